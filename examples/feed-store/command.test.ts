/**
 * The command as people type it: bundled by `npm run example`, and run on the build of Orrery. What
 * it prints in words is in README.md; here it is asked for figures, and for what it refuses.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import type { TableRow } from "./table/table.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

function run(script: string, ...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [script, ...args], { cwd: ROOT });
  let [out, error] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    error += text;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, error })));
}

/** Each starts a process, which takes its time on a busy machine. */
const TIMEOUT_MS = 180_000;

const BUNDLE = "examples/feed-store/dist/main.js";

let usage: Ended;
beforeAll(async () => {
  usage = await run("scripts/example.mjs", "--built", "feed-store");
}, TIMEOUT_MS);

test("without a command it says which there are", () => {
  expect(usage).toMatchObject({ code: 0, error: "" });
  expect(usage.out).toContain("Usage: npm run example feed-store <command>");
});

test(
  "the table as JSON, from a server of its own",
  async () => {
    const volume = ["--items-per-day", "1", "--months", "3", "--item-bytes", "800"];
    const { code, out, error } = await run(BUNDLE, "table", "--json", ...volume);
    expect([code, error]).toEqual([0, ""]);
    const { rows } = JSON.parse(out) as { readonly rows: readonly TableRow[] };
    expect(rows.map(({ id }) => id)).toEqual([
      "recent",
      "recent-indexed",
      "provider",
      "provider-indexed",
      "search",
      "all",
      "analytics",
    ]);
    for (const { measured } of rows) expect(measured.ru).toBeGreaterThan(2);
  },
  TIMEOUT_MS,
);

test(
  "the demo stores, asks, archives and restores",
  async () => {
    const { code, out, error } = await run(
      BUNDLE,
      "demo",
      "--items-per-day",
      "1",
      "--months",
      "25",
    );
    expect([code, error]).toEqual([0, ""]);
    expect(out).toContain("Archived 2024-05: 31 items");
    expect(out).toMatch(/Restored 2024-05: 31 items/);
  },
  TIMEOUT_MS,
);

test.each([
  [2, "There is no command", ["tables"]],
  [1, "whole number above 0", ["table", "--months", "x"]],
  [1, "There is no provider", ["table", "--items-per-day", "1", "--provider", "nobody"]],
  [1, "needs --endpoint", ["set-up"]],
  [1, "Unknown option", ["table", "--rows"]],
] as const)(
  "refused with %i: %s",
  async (code, message, args) => {
    const ended = await run(BUNDLE, ...args);
    expect(ended.code).toBe(code);
    expect(ended.error).toContain(message);
    expect(ended.error).not.toContain("    at ");
  },
  TIMEOUT_MS,
);
