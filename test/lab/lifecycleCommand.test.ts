/** `orrery lifecycle advise` as a user calls it: what it prints and refuses, and how it ends. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import * as official from "@azure/cosmos";
import { describe, expect, test } from "vitest";
import { startOrrery } from "../../src/server/start.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

interface Told {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function orrery(...args: readonly string[]): Promise<Told> {
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  return { code, out, err };
}

const FIGURES = ["--volume", "20GB", "--queries-per-second", "2", "--start", "2026-01-01"];

describe("orrery lifecycle advise", () => {
  test("says a verdict in words, and the same as JSON", async () => {
    const said = await orrery("lifecycle", "advise", ...FIGURES);
    expect(said.code).toBe(0);
    expect(said.out).toContain("→ A single container. That is tier 2");
    const json = await orrery("lifecycle", "advise", ...FIGURES, "--json");
    const advice = JSON.parse(json.out) as {
      decision: { branch: string; recommended: string };
      approaches: { id: string; cost: number; patterns: unknown[] }[];
    };
    expect(advice.decision).toMatchObject({ branch: "single", recommended: "single" });
    expect(advice.approaches.map(({ id }) => id)).toEqual([
      "hotWarm",
      "nearRealTime",
      "single",
      "perYear",
    ]);
  });

  test.each<readonly [string, readonly string[]]>([
    ["Say what there is", []],
    [
      "--endpoint says something with --container only",
      [...FIGURES, "--endpoint", "http://[::1]:1"],
    ],
    ["exclude each other", ["--container", "a/b", "--scenario", "feed"]],
    ["names no container", ["--container", "nonsense"]],
    ["--start is 'soon'", [...FIGURES, "--start", "soon"]],
  ])("ends with 2 and says: %s", async (message, args) => {
    const { code, err } = await orrery("lifecycle", "advise", ...args);
    expect(err).toContain(message);
    expect(code).toBe(2);
  });

  test("explains itself, and knows no other words", async () => {
    const { out, code } = await orrery("lifecycle", "advise", "--help");
    expect([code, out.startsWith("usage: orrery lifecycle advise")]).toEqual([0, true]);
    expect((await orrery("help", "lifecycle")).out).toContain("advise");
    const unknown = await orrery("lifecycle", "nonsense");
    expect([unknown.code, unknown.err]).toEqual([
      2,
      expect.stringContaining("There is no command"),
    ]);
  });

  test("reads a running container's report", async () => {
    const server = await startOrrery({ memory: true, port: 0 });
    const client = new official.CosmosClient({ endpoint: server.endpoint, key: server.key });
    try {
      const { database } = await client.databases.create({ id: "db" });
      const { container } = await database.containers.create({ id: "feeds", partitionKey: "/pk" });
      const advise = (...args: readonly string[]) =>
        orrery(
          "lifecycle",
          "advise",
          "--container",
          "db/feeds",
          "--endpoint",
          server.endpoint,
          ...args,
        );
      const empty = await advise();
      expect([empty.code, empty.err]).toEqual([1, expect.stringContaining("has no items")]);
      await container.items.create({ id: "1", pk: "a", text: "x".repeat(900) });
      await container.items.create({ id: "2", pk: "a", text: "x".repeat(900) });
      await container.items.query("SELECT * FROM c").fetchAll();
      const { out, code } = await advise("--json", "--retention", "100 days");
      expect(code).toBe(0);
      const { figures, remarks } = JSON.parse(out) as {
        figures: { itemCount: number; volumeBytes: number; keptDays: number };
        remarks: string[];
      };
      expect(figures.itemCount).toBeCloseTo(2, 6);
      expect(figures.keptDays).toBe(100);
      const { figures: reported } = await reportOf(server.endpoint);
      // The size of a mean item is a whole number of bytes.
      expect(Math.abs(figures.volumeBytes - reported.itemBytes)).toBeLessThanOrEqual(2);
      expect(remarks.join(" ")).toContain("How fast db/feeds grows is not known yet");
    } finally {
      client.dispose();
      await server.close();
    }
  });
});

async function reportOf(endpoint: string): Promise<{ readonly figures: { itemBytes: number } }> {
  const answer = await fetch(new URL("/_orrery/v1/containers/db/feeds/report", endpoint));
  return (await answer.json()) as { readonly figures: { itemBytes: number } };
}
