/**
 * Advice and proof on the command line with the same files: the same keys in the same order, on
 * items of the data; and what nothing describes is refused before anything runs.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { temporaryDirectory } from "../sdk/stage.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
/** Where the official client is. */
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const WORKLOAD = `\
name: meters
growth: {itemsPerDay: 1 million, retentionDays: 60}
operations:
  - {id: add, kind: create, rate: 12}
  - {id: see, kind: pointRead, rate: 60}
  - {id: ofMeter, kind: query, rate: 30, sql: "SELECT * FROM c WHERE c.meter = @m", resultItems: 20}
candidates: [/city]
horizonMonths: 4
`;

/** Meters of a few cities; some items have no city. */
function lines(count: number): string {
  const random = seededRandom(7);
  return Array.from({ length: count }, (_, at) => {
    const meter = Math.floor(120 * random.next() ** 2);
    const city = meter % 9 === 0 ? {} : { city: `city-${meter % 6}` };
    const read = new Date(Date.UTC(2026, 3, 1) + at * 40_000).toISOString();
    return JSON.stringify({ id: `r${at}`, meter: `m${meter}`, ...city, read, value: at % 97 });
  }).join("\n");
}

async function orrery(...args: readonly string[]): Promise<{
  readonly output: string;
  readonly errors: string;
  readonly code: number | null;
}> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [CLI, "lab", ...args], { cwd: ROOT, env: { PATH, HOME } });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, "exit");
  return { output, errors, code: child.exitCode };
}

interface AdviceJson {
  readonly candidates: readonly { readonly id: string; readonly rank: number }[];
}

interface ProofJson {
  readonly advised: readonly {
    readonly id: string;
    readonly rank: number;
    readonly isNamed: boolean;
    readonly isProved: boolean;
  }[];
  readonly candidates: readonly { readonly id: string; readonly failures: object }[];
  readonly summary: {
    readonly medianError: number;
    readonly verdicts: Readonly<Record<string, { readonly finding: string }>>;
  };
}

describe("advice and proof of the same files", { timeout: 120_000 }, () => {
  test("are about the same keys, and the run shows what was predicted", async () => {
    using directory = temporaryDirectory();
    const [workload, data, profile] = ["w.yaml", "d.ndjson", "p.json"].map((name) =>
      join(directory.path, name),
    );
    writeFileSync(workload!, WORKLOAD);
    writeFileSync(data!, lines(900));
    const profiled = await orrery("profile", data!, "--save", profile!);
    expect(profiled.code).toBe(0);
    const files = ["--workload", workload!, "--profile", profile!, "--json"];
    const advised = await orrery("advise", ...files);
    const small = ["--items", "400", "--operations", "200", "--seconds", "1", "--top", "1"];
    const proved = await orrery("prove", ...files, ...small);
    expect(proved.errors).toBe("");
    const advice = JSON.parse(advised.output) as AdviceJson;
    const proof = JSON.parse(proved.output) as ProofJson;
    const ids = advice.candidates.map(({ id }) => id);
    expect(proof.advised.map(({ id }) => id)).toEqual(ids);
    const expected = ids.filter((id, at) => at < 1 || id === "/city");
    expect(proof.candidates.map(({ id }) => id)).toEqual(expected);
    expect(proof.candidates.every(({ failures }) => Object.keys(failures).length === 0)).toBe(true);
    // Counted by the server, so however busy the machine is.
    expect(proof.summary.medianError).toBeLessThan(0.05);
    expect(proof.summary.verdicts["ru"]!.finding).toBe("held");
    expect(proof.summary.verdicts["ranking"]!.finding).toBe("held");
  });

  test("a key of what neither data nor workload has is refused", async () => {
    using directory = temporaryDirectory();
    const [workload, data] = ["w.yaml", "d.ndjson"].map((name) => join(directory.path, name));
    writeFileSync(workload!, WORKLOAD);
    writeFileSync(data!, lines(50));
    const files = ["--workload", workload!, "--data", data!];
    const proved = await orrery("prove", ...files, "--candidate", "/owner", "--quick");
    expect(proved).toMatchObject({ code: 1, output: "" });
    expect(proved.errors).toContain("/owner is made of /owner.");
    // Without the data nothing says which meters there are.
    const bare = await orrery("prove", "--workload", workload!, "--quick");
    expect(bare.code).toBe(1);
    expect(bare.errors).toContain("'ofMeter' asks by /meter.");
  });
});
