/** The lab on the command line: what it prints, writes and refuses, and how it ends. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { namedKeys } from "../../src/cli/lab/adviseCandidates.ts";
import { labLimitsOf, startOf } from "../../src/cli/lab/options.ts";
import { readProfile } from "../../src/cli/lab/profileFile.ts";
import { readWorkload } from "../../src/lab/workload/workloadText.ts";
import { BadOption } from "../../src/server/surroundings/options.ts";
import { temporaryDirectory } from "../sdk/stage.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

const WORKLOAD = `\
name: shop
title: Orders of a shop
item: {bytes: 1 KB}
properties:
  /customerId: {distinct: 20000, items: {kind: zipf, s: 0.6}}
  /status: {distinct: 4, changes: true}
growth: {itemsPerDay: 20000, retentionDays: 90, peakFactor: 2}
horizonMonths: 6
operations:
  - {id: place, kind: create, rate: 20000/day}
  - {id: mine, kind: query, rate: 20, sql: "SELECT * FROM c WHERE c.customerId = @c", resultItems: 10}
candidates:
  - {id: customer, key: /customerId}
`;

const PROFILE = {
  formatVersion: 1,
  source: "orders.ndjson",
  itemCount: 2,
  coverage: "all",
  problems: { count: 0, first: [] },
  itemBytes: { mean: 900, p50: 900, p99: 900, max: 900 },
  leafCountMean: 4,
  time: null,
  properties: [],
  keys: [
    {
      paths: ["/customerId"],
      presence: 1,
      distinct: { value: 2, low: 2, high: 2 },
      heaviest: [],
      tail: [{ keyCount: 2, itemShare: 1 }],
      giniItems: 0,
      entropy: 1,
      effectiveKeys: 2,
      hottestShare: null,
    },
  ],
  sample: [],
};

interface Told {
  readonly output: string;
  readonly errors: string;
  readonly code: number | null;
}

/** In a folder of its own, with the files in it. */
async function lab(args: readonly string[], files: Record<string, string> = {}): Promise<Told> {
  using directory = temporaryDirectory();
  for (const [name, content] of Object.entries({ "shop.yaml": WORKLOAD, ...files })) {
    writeFileSync(join(directory.path, name), content);
  }
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: directory.path,
    env: { PATH, HOME },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, errors] = [text(child.stdout), text(child.stderr)];
  await once(child, "close");
  const page = args.includes("--html")
    ? readFileSync(join(directory.path, "page.html"), "utf8")
    : "";
  return { output: (await output) + page, errors: await errors, code: child.exitCode };
}

const ADVISE = ["lab", "advise", "--workload", "shop.yaml", "--only-mine", "--start", "2026-01-01"];

describe("orrery lab", () => {
  test.concurrent.each([
    [["lab"], "usage: orrery lab <command>"],
    [["lab", "--help"], "usage: orrery lab <command>"],
    [["help", "lab"], "usage: orrery lab <command>"],
    [["help", "lab", "advise"], "usage: orrery lab advise"],
    [["lab", "advise", "--help"], "usage: orrery lab advise"],
    [["lab", "help", "check"], "usage: orrery lab check"],
    [["help", "record"], "usage: orrery record"],
  ])("%j explains itself", async (args, begin) => {
    const { output, code } = await lab(args);
    expect(output.startsWith(begin)).toBe(true);
    expect(code).toBe(0);
  });

  test.concurrent.each<[string, string[], RegExp]>([
    [
      "an unknown command",
      ["lab", "guess"],
      /There is no command 'lab guess'\. There are .*advise/,
    ],
    ["no workload", ["lab", "advise"], /Name the workload with --workload/],
    [
      "no such file",
      ["lab", "advise", "--workload", "no.yaml"],
      /--workload cannot be read: ENOENT/,
    ],
    ["no key", ["lab", "check", "--workload", "shop.yaml"], /Name the key with --key/],
    [
      "nothing to check with",
      ["lab", "check", "--key", "/a"],
      /give --workload, --profile or --data/,
    ],
    [
      "a bad key",
      [...ADVISE, "--candidate", "concat(/a"],
      /--candidate is no key: .*\n {2}concat\(\/a\n {11}\^/,
    ],
    ["a bad count", [...ADVISE, "--top", "0"], /--top is '0'; it must be a whole number from 1/],
    ["a bad scale", [...ADVISE, "--scale-limits", "2"], /scale of the limits is '2'/],
    [
      "nothing of one's own",
      ["lab", "advise", "--workload", "bare.yaml", "--only-mine"],
      /--only-mine leaves nothing/,
    ],
  ])("misuse is told, and ends with 2: %s", async (_, args, message) => {
    const files = { "bare.yaml": WORKLOAD.split("candidates:")[0]! };
    const { output, errors, code } = await lab(args, files);
    expect(errors).toMatch(message);
    expect([output, code]).toEqual(["", 2]);
  });

  test.concurrent("every problem of a workload is told with its place, and ends with 1", async () => {
    const broken = WORKLOAD.replace("bytes: 1 KB", "bytes: -3").replace("rate: 20,", "rate: fast,");
    const { errors, code } = await lab(ADVISE, { "shop.yaml": broken });
    const [head, ...places] = errors.trimEnd().split("\n");
    expect(head).toBe("orrery: shop.yaml has 2 problems:");
    expect(places).toEqual([
      expect.stringMatching(/^ {2}3:15 item\.bytes: /),
      expect.stringMatching(/^ {2}11:\d+ operations\[1\]\.rate: /),
    ]);
    expect(code).toBe(1);
  });

  test.concurrent("a profile that is none is refused with the place", async () => {
    const broken = JSON.stringify({ ...PROFILE, keys: [{ ...PROFILE.keys[0], distinct: 2 }] });
    const { errors, code } = await lab([...ADVISE, "--profile", "p.json"], { "p.json": broken });
    expect(errors).toBe("orrery: p.json cannot be used: keys[0].distinct must be an object\n");
    expect(code).toBe(1);
  });
});

describe("orrery lab advise", () => {
  test.concurrent("answers with the verdict, the table and the reasons", async () => {
    const { output, errors, code } = await lab([...ADVISE, "--current", "/status"]);
    expect(code).toBe(0);
    expect(errors).toBe("");
    expect(output).toMatch(/^Orders of a shop \(shop\)\n\n/);
    expect(output).toMatch(/^1 {2}customer: \/customerId +★ best +20,000 /m);
    expect(output).toMatch(/^2 {2}\/status \(now\) +✕ bad +4 /m);
    expect(output).toMatch(/✕ .*\[mutable\]/s);
  });

  test.concurrent("the same command gives the same JSON, and the page beside it", async () => {
    const command = [...ADVISE, "--json", "--candidate", "/status", "--html", "page.html"];
    const [first, second] = await Promise.all([lab(command), lab(command)]);
    expect(first.output).toBe(second.output);
    expect(first.errors).toBe("report: page.html\n");
    const at = first.output.indexOf("<!doctype html>");
    const json = JSON.parse(first.output.slice(0, at));
    expect(json.best).toEqual({ id: "customer", expression: "/customerId", rank: 1 });
    expect(json.candidates.map(({ verdict }: { verdict: string }) => verdict)).toEqual([
      "best",
      "bad",
    ]);
    expect(json.candidates[0].months).toHaveLength(7);
    expect(first.output.slice(at)).toContain("<code>/customerId</code>");
  });

  test.concurrent("months and limits of the command line count", async () => {
    const scaled = ["--months", "3", "--scale-limits", "1/100000"];
    const { output } = await lab([...ADVISE, "--json", ...scaled]);
    const [candidate] = JSON.parse(output).candidates;
    expect(candidate.months).toHaveLength(4);
    expect(candidate.figures.limits.keysOver20Gb).toBeGreaterThan(0);
    expect(candidate.figures.limits.partitions).toBeGreaterThan(10);
  });
});

describe("orrery lab check", () => {
  const CHECK = ["lab", "check", "--workload", "shop.yaml", "--start", "2026-01-01", "--key"];

  test.concurrent("scores a key against the thresholds of the guides", async () => {
    const { output, code } = await lab([...CHECK, "/status"]);
    expect(output).toMatch(/^cardinality +4 +at least 100 +△ warning$/m);
    expect(output).toMatch(/^alignment +0 +at least 0\.8 +△ warning$/m);
    expect(output).toContain("3 of 8 checks warn.");
    expect(code).toBe(0);
  });

  test.concurrent("--strict ends with 1 when a check warns, and only then", async () => {
    expect((await lab([...CHECK, "/status", "--strict"])).code).toBe(1);
    const good = await lab([...CHECK, "/customerId", "--strict", "--json"]);
    expect(good.code).toBe(0);
    expect(JSON.parse(good.output)).toMatchObject({ isPassed: true, expression: "/customerId" });
  });

  test.concurrent("says what a profile alone cannot tell", async () => {
    const files = { "p.json": JSON.stringify(PROFILE) };
    const { output } = await lab(
      ["lab", "check", "--key", "/customerId", "--profile", "p.json"],
      files,
    );
    expect(output).toMatch(/^cardinality +2 +at least 100 +△ warning$/m);
    expect(output).toMatch(/^alignment +– +at least 0\.8 +\? unknown$/m);
  });
});

describe("data", () => {
  const items = Array.from({ length: 300 }, (_, at) =>
    JSON.stringify({ id: `o${at}`, customerId: `c${at % 150}` }),
  );
  const files = { "o.ndjson": [...items.slice(0, 9), "{broken", ...items.slice(9), ""].join("\n") };
  const CHECK = ["lab", "check", "--key", "/customerId"];

  test.concurrent("a broken line is told with its place, and the rest is used", async () => {
    const { output, errors, code } = await lab([...CHECK, "--data", "o.ndjson"], files);
    expect(errors).toMatch(/line 10\b/);
    expect(output).toMatch(/^cardinality +150 +at least 100 +✓ passed$/m);
    expect(code).toBe(0);
  });

  test.concurrent("a path that no item has is told, with the one that was meant", async () => {
    const key = ["lab", "check", "--key", "concat(/customrId, '-', /id)"];
    const { output, errors, code } = await lab([...key, "--data", "o.ndjson"], files);
    expect(errors).toContain("no item of o.ndjson has a value at /customrId. Is it /customerId?");
    expect([output, code]).toEqual(["", 1]);
  });

  test.concurrent("a profile and data at once are refused", async () => {
    const { errors, code } = await lab([...CHECK, "--data", "o.ndjson", "--profile", "p"], files);
    expect(errors).toContain("--profile and --data exclude each other");
    expect(code).toBe(2);
  });
});

describe("options", () => {
  const read = readWorkload(WORKLOAD, "yaml", "shop.yaml");
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  const workload = read.value;

  test("a key is judged once, however it is written, and by the name of the workload", () => {
    const { candidates, current } = namedKeys(
      ["/status", " /status ", "/customerId"],
      "[/status, /id]",
      workload,
    );
    expect(candidates.map(({ id, place }) => [id, place])).toEqual([
      ["/status", "--candidate 1"],
      ["[/status, /id]", "--current"],
    ]);
    expect(current).toBe("[/status, /id]");
    expect(namedKeys([], "customer", workload)).toEqual({ candidates: [], current: "/customerId" });
  });

  test.each(["2026-13-01", "yesterday", "2026-1-1"])("--start %s is refused", (text) => {
    expect(() => startOf(text)).toThrow(BadOption);
  });

  test("limits are those of the server", () => {
    const limits = labLimitsOf({ limit: ["logicalPartitionBytes=20MB"] });
    expect(limits.logicalPartitionBytesMax).toBe(20 * 1024 ** 2);
    expect(() => labLimitsOf({ limit: ["logicalPartitionBytes"] })).toThrow("<name>=<value>");
  });

  test.each<[string, RegExp]>([
    ["{", /^it is no JSON/],
    ["[]", /^it is no profile/],
    ['{"formatVersion":2}', /formatVersion is 2/],
    ['{"formatVersion":1}', /^source must be a string$/],
  ])("a profile file with %s", (content, problem) => {
    const profile = readProfile(content);
    expect(profile.ok ? "" : profile.error).toMatch(problem);
  });

  test("a profile comes back as it was saved, and without any member it is none", () => {
    const saved = readProfile(JSON.stringify(PROFILE));
    expect(saved.ok && saved.value).toMatchObject(PROFILE);
    for (const name of Object.keys(PROFILE)) {
      const rest = Object.fromEntries(Object.entries(PROFILE).filter(([key]) => key !== name));
      expect(readProfile(JSON.stringify(rest)).ok).toBe(false);
    }
  });
});
