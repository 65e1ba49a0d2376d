/**
 * `orrery demo` as people and scripts run it: from `dist`, as a process, with a server of its own and
 * the official client in front of it. One after the other: each of them loads the machine.
 */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runDemo } from "../../src/cli/demo.ts";
import { BadOption } from "../../src/server/surroundings/options.ts";
import type { ContainerReport } from "../../src/statistics/report.ts";
import { temporaryDirectory } from "./stage.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Told to take a few seconds, none may take minutes, however busy the machine is. */
const TIMEOUT_MS = 150_000;

interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

function launch(args: readonly string[], cli = CLI, cwd?: string): ChildProcessWithoutNullStreams {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [cli, ...args], { env: { PATH, HOME }, cwd });
  child.stdin.end();
  return child;
}

async function ended(child: ChildProcessWithoutNullStreams): Promise<Ran> {
  const closed = once(child, "close");
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await closed;
  return { code: child.exitCode, output, errors };
}

function orrery(...args: readonly string[]): Promise<Ran> {
  return ended(launch(args));
}

interface Told<Facts> {
  readonly demo: string;
  readonly seed: number;
  readonly elapsedSeconds: number;
  readonly limits: readonly { readonly name: string }[];
  readonly facts: Facts;
  readonly said: readonly string[];
  readonly reports: readonly ContainerReport[];
}

/** What a demo measured; it ends well, says nothing else, and in the time it was told. */
async function factsOf<Facts>(name: string, seconds: number): Promise<Told<Facts>> {
  const { code, output, errors } = await orrery("demo", name, "--seconds", `${seconds}`, "--json");
  expect([code, errors]).toEqual([0, ""]);
  expect(output.trimEnd().split("\n").length).toBe(1);
  const told = JSON.parse(output) as Told<Facts>;
  expect(told).toMatchObject({ demo: name, seed: 1, seconds });
  expect(told.said.join(" ")).not.toMatch(/NaN|undefined|Infinity|\[object/);
  return told;
}

interface Sum {
  readonly servedCount: number;
  readonly throttledCount: number;
  readonly throttledShare: number;
  readonly ruPerSecond: number;
}

interface Phase {
  readonly provisionedRate: number;
  readonly tenants: readonly (Sum & { readonly tenant: string; readonly on: string[] })[];
  readonly partitions: readonly (Sum & {
    readonly id: string;
    readonly allottedRate: number;
    readonly spentShare: number;
    readonly tenants: readonly string[];
  })[];
}

interface HotFacts {
  readonly tenants: readonly { readonly letter: string; readonly name: string }[];
  readonly heavyTenant: string;
  readonly phases: Readonly<Record<"hot" | "raised" | "split" | "suffix", Phase>>;
  readonly countQuery: { readonly byTenantRu: number; readonly bySuffixRu: number };
}

// A machine that is busy for some seconds serves too little to make a partition hot.
test("hot-partition: one key throttles its partition alone, until it is spread", {
  timeout: TIMEOUT_MS,
  retry: 2,
}, async () => {
  const { facts, limits, reports } = await factsOf<HotFacts>("hot-partition", 10);
  const { hot, raised, split, suffix } = facts.phases;
  const of = ({ tenants }: Phase, name: string) => tenants.find(({ tenant }) => tenant === name)!;
  const heavy = facts.heavyTenant;
  expect(limits.map(({ name }) => name)).toContain("partitionRate");

  expect(hot.partitions.map(({ allottedRate }) => allottedRate)).toEqual([500, 500, 500]);
  const homes = facts.tenants.map(({ name }) => of(hot, name).on);
  const [first, second, third] = hot.partitions.map(({ id }) => [id]);
  expect(homes).toEqual([first, first, second, second, third, third]);
  expect(of(hot, heavy).throttledCount).toBeGreaterThan(0);
  const [left, home, right] = hot.partitions;
  expect(home!.spentShare).toBeGreaterThan(0.8);
  for (const idle of [left!, right!]) {
    expect(idle.throttledCount).toBe(0);
    expect(idle.spentShare).toBeLessThan(0.5);
  }

  expect([raised.provisionedRate, raised.partitions.length]).toEqual([3000, 6]);
  expect(of(raised, heavy).on.length).toBe(1);
  expect(of(raised, heavy).throttledCount).toBeGreaterThan(0);
  expect(split.partitions.length).toBe(7);
  expect(of(split, heavy).on.length).toBe(1);
  expect(of(split, heavy).throttledCount).toBeGreaterThan(0);
  const rates = split.partitions.map(({ allottedRate }) => allottedRate);
  expect(Math.max(...rates)).toBeLessThan(500);

  expect([suffix.provisionedRate, suffix.partitions.length]).toEqual([1500, 3]);
  expect(of(suffix, heavy).on.length).toBe(3);
  expect(of(suffix, heavy).throttledShare).toBeLessThan(of(hot, heavy).throttledShare);
  expect(facts.countQuery.bySuffixRu).toBeGreaterThan(facts.countQuery.byTenantRu);
  expect(reports.map(({ partitions }) => partitions.length)).toEqual([7, 3]);
});

interface Attempt {
  readonly code: number;
  readonly substatus: number;
}

interface FullFacts {
  readonly logicalPartitionBytesMax: number;
  readonly wall: Attempt & { readonly itemBytes: number };
  readonly attempts: {
    readonly longer: Attempt;
    readonly shorter: Attempt;
    readonly deletes: readonly Attempt[];
    readonly writtenCount: number;
    readonly last: Attempt;
  };
  readonly afterSplit: Attempt;
  readonly suffix: { readonly acknowledgedCount: number; readonly foundCount: number };
}

test("full-partition: what grows a full key gets 403, all else goes on", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { facts, reports } = await factsOf<FullFacts>("full-partition", 5);
  const full = { code: 403, substatus: 1014 };
  const { wall, attempts, logicalPartitionBytesMax: bytesMax } = facts;
  expect(bytesMax).toBe(Math.floor((20 * 1024 ** 3) / 10_000));
  expect(wall).toMatchObject(full);
  expect(wall.itemBytes).toBeLessThanOrEqual(bytesMax);
  expect(wall.itemBytes).toBeGreaterThan(bytesMax * 0.99);
  expect(attempts.longer).toEqual(full);
  expect(attempts.shorter.code).toBe(200);
  expect(attempts.deletes.map(({ code }) => code)).toEqual(Array(10).fill(204));
  expect(attempts.writtenCount).toBeGreaterThanOrEqual(10);
  expect(attempts.last).toEqual(full);
  expect(facts.afterSplit).toEqual(full);
  expect(facts.suffix.foundCount).toBe(facts.suffix.acknowledgedCount);
  const [report] = reports;
  expect(report!.topBySize.map(({ partitionKey }) => partitionKey![0])).toContain("contoso-2");
  expect(report!.partitions.length).toBeGreaterThan(1);
});

interface Asked {
  readonly ru: number;
  readonly visitedCount: number;
  readonly foundCount: number;
}

interface FanOutFacts {
  readonly measured: readonly {
    readonly partitionCount: number;
    readonly pointReadRu: number;
    readonly byKey: Asked;
    readonly byOther: Asked;
  }[];
  readonly perDay: { readonly byKey: { readonly ruPerDay: number } };
}

test("fan-out: by the key one partition, by another property all", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { facts, reports } = await factsOf<FanOutFacts>("fan-out", 4);
  const { measured, perDay } = facts;
  expect(measured.map(({ partitionCount }) => partitionCount)).toEqual([1, 3, 9]);
  for (const { partitionCount, pointReadRu, byKey, byOther } of measured) {
    expect(pointReadRu).toBe(1);
    expect(byKey).toEqual({ ...measured[0]!.byKey, visitedCount: 1 });
    expect(byOther.visitedCount).toBe(partitionCount);
    expect(byOther.foundCount).toBe(byKey.foundCount);
    // A partition that is looked at in vain has its price.
    expect(byOther.ru - byKey.ru).toBeCloseTo((partitionCount - 1) * 2.79, 0);
  }
  expect(perDay.byKey.ruPerDay).toBeCloseTo(measured[2]!.byKey.ru * 100 * 86_400);
  expect(reports[0]!.figures.crossPartitionQueryCount).toBeGreaterThan(0);
});

interface SplitFacts {
  readonly physicalPartitionBytesMax: number;
  readonly partitionCount: number;
  readonly splits: readonly {
    readonly parent: { readonly itemBytes: number; readonly allottedRate: number };
    readonly children: readonly { readonly itemBytes: number; readonly allottedRate: number }[];
  }[];
  readonly clients: {
    readonly writeCount: number;
    readonly readCount: number;
    readonly queryCount: number;
    readonly errors: readonly string[];
    readonly surprises: readonly string[];
  };
  readonly kept: {
    readonly acknowledgedCount: number;
    readonly foundCount: number;
    readonly missingCount: number;
    readonly doubledCount: number;
  };
}

test("split: partitions halve, and clients notice nothing", { timeout: TIMEOUT_MS }, async () => {
  const { facts, reports } = await factsOf<SplitFacts>("split", 5);
  const { clients, kept, splits } = facts;
  expect(splits.length).toBeGreaterThanOrEqual(3);
  expect(facts.partitionCount).toBe(splits.length + 1);
  for (const { parent, children } of splits) {
    expect(children.length).toBe(2);
    for (const child of children) {
      expect(child.allottedRate).toBeLessThan(parent.allottedRate);
      expect(child.itemBytes).toBeLessThan(facts.physicalPartitionBytesMax);
    }
  }
  const [left, right] = splits[0]!.children;
  expect(left!.itemBytes / (left!.itemBytes + right!.itemBytes)).toBeCloseTo(0.5, 1);
  expect([clients.errors, clients.surprises]).toEqual([[], []]);
  expect(Math.min(clients.writeCount, clients.readCount, clients.queryCount)).toBeGreaterThan(0);
  expect(kept).toEqual({
    acknowledgedCount: clients.writeCount,
    foundCount: clients.writeCount,
    missingCount: 0,
    doubledCount: 0,
  });
  expect(reports[0]!.partitions.every(({ parents }) => parents.includes("0"))).toBe(true);
});

describe("for people", () => {
  test("it is told in sentences and plain tables, and the server stays if asked to", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const child = launch(["demo", "fan-out", "--seconds", "4", "--keep", "--seed", "9"]);
    const errors = text(child.stderr);
    let output = "";
    for await (const piece of child.stdout) {
      output += String(piece);
      const command = /^ +orrery (partitions demo\/\S+).* (--endpoint \S+)$/m.exec(output);
      if (command === null || child.killed) continue;
      const shown = await orrery(...command[1]!.split(" "), ...command[2]!.split(" "));
      expect([shown.code, shown.errors]).toEqual([0, ""]);
      expect(shown.output).toContain("in 9 physical partitions");
      child.kill("SIGINT");
    }
    if (child.exitCode === null) await once(child, "exit");
    expect([child.exitCode, await errors]).toEqual([0, ""]);
    expect(output).toContain("By the key the query visits 1 physical partition of 9");
    expect(output).toMatch(/^partitions {2}query +visited +found +RU /m);
    expect(output).not.toContain("\x1b");
    for (const line of output.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });

  test("Ctrl-C ends it in order", { timeout: TIMEOUT_MS }, async () => {
    const child = launch(["demo", "split", "--seconds", "60"]);
    const errors = text(child.stderr);
    let output = "";
    for await (const piece of child.stdout) {
      output += String(piece);
      if (child.killed) continue; // A second one would kill it.
      if (output.includes("A physical partition may hold")) child.kill("SIGINT");
    }
    if (child.exitCode === null) await once(child, "exit");
    expect([child.exitCode, await errors]).toEqual([0, ""]);
    expect(output).toContain("Ended before its end.");
  });

  test("without a name they are listed", async () => {
    const { code, output } = await orrery("demo");
    expect(code).toBe(0);
    const names = [...output.matchAll(/^ {2}(\S+) +\w/gm)].map((match) => match[1]);
    expect(names).toEqual(["hot-partition", "full-partition", "fan-out", "split"]);
  });

  test("it explains itself", async () => {
    const { code, output } = await orrery("help", "demo");
    expect([code, output]).toEqual([0, expect.stringContaining("usage: orrery demo <name>")]);
    expect((await orrery("demo", "--help")).output).toBe(output);
    expect((await orrery("help")).output).toMatch(/^ {2}demo +\w/m);
  });
});

/** In this process, since starting another one is what takes time. */
test.each<[string, string[], string]>([
  ["a demo that is none", ["cold-partition"], "hot-partition"],
  ["too many words", ["split", "twice"], "'twice'"],
  ["seconds that are none", ["split", "--seconds", "soon"], "--seconds"],
  ["a seed that is none", ["split", "--seed=-1"], "--seed"],
])("%s is misuse", async (_rule, args, part) => {
  const told = await runDemo(args, {}).catch((error: unknown) => error);
  expect(told).toBeInstanceOf(BadOption);
  expect((told as BadOption).message).toContain(part);
});

test.concurrent.each<[string, readonly string[], string]>([
  ["too few seconds", ["split", "--seconds", "1"], "--seconds"],
  ["an unknown option", ["split", "--fast"], "--fast"],
])("%s is misuse, and ends with 2", async (_rule, args, part) => {
  const { code, output, errors } = await orrery("demo", ...args);
  expect([code, output]).toEqual([2, ""]);
  expect(errors).toMatch(/^orrery: /);
  expect(errors).toContain(part);
});

test("without the official client it says in one line how to get it", async () => {
  using directory = temporaryDirectory();
  const cli = join(directory.path, "dist", "cli.js");
  mkdirSync(join(directory.path, "dist"));
  for (const file of readdirSync(dirname(CLI)).filter((name) => name.endsWith(".js"))) {
    copyFileSync(join(dirname(CLI), file), join(directory.path, "dist", file));
  }
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  for (const name of Object.keys(dependencies)) {
    const installed = join(directory.path, "node_modules", name);
    mkdirSync(dirname(installed), { recursive: true });
    symlinkSync(realpathSync(join(ROOT, "node_modules", name)), installed, "dir");
  }
  const child = launch(["demo", "split"], cli, directory.path);
  const { code, output, errors } = await ended(child);
  expect([code, output]).toEqual([1, ""]);
  expect(errors).toMatch(/^orrery: [^\n]*`npm install @azure\/cosmos`\.\n$/);
});
