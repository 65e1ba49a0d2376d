/**
 * `orrery partitions`, `split` and `merge` as people and scripts run them: from `dist`, as
 * processes, against the admin API in front of a simulated engine.
 */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runMerge } from "../../src/cli/partitions/merge.ts";
import { runPartitions } from "../../src/cli/partitions/partitions.ts";
import { runSplit } from "../../src/cli/partitions/split.ts";
import type { AdminSetting } from "../../src/server/admin/door.ts";
import { openAdmin } from "../../src/server/admin/door.ts";
import type { SimulatedSurface } from "../../src/server/admin/simulatedSurface.fake.ts";
import { simulatedSurface } from "../../src/server/admin/simulatedSurface.fake.ts";
import { Outbox } from "../../src/server/http/outbox.ts";
import { BadOption, WELL_KNOWN_KEY } from "../../src/server/surroundings/options.ts";
import { realClock, realTimer } from "../../src/server/surroundings/realWorld.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

interface Stage extends AsyncDisposable {
  readonly endpoint: string;
  readonly surface: SimulatedSurface;
  /** What the authorization header of each request was. */
  readonly authorizations: (string | undefined)[];
}

const NAME = { database: "shop", container: "my orders" };

async function openStage(
  setting: Partial<AdminSetting> & {
    readonly failure?: string;
    readonly isElsewhere?: boolean;
  } = {},
): Promise<Stage> {
  const surface = simulatedSurface(NAME, setting.failure);
  const authorizations: (string | undefined)[] = [];
  const door = openAdmin({
    surface,
    access: "loopback",
    keys: { list: [{ key: WELL_KNOWN_KEY, isReadOnly: false }] },
    outbox: new Outbox(realTimer, () => undefined),
    log: () => undefined,
    wallNow: realClock.wallNow,
    version: "1.2.3",
    ...setting,
  });
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    if (setting.isElsewhere === true) request.headers["x-forwarded-for"] = "10.0.0.1";
    door(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    surface,
    authorizations,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Nothing of this process's own surroundings decides what the command does. */
function launch(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [CLI, ...args], { env: { PATH, HOME, ...environment } });
  child.stdin.end();
  return child;
}

interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

async function orrery(
  args: readonly string[],
  environment?: Readonly<Record<string, string>>,
): Promise<Ran> {
  const child = launch(args, environment);
  const closed = once(child, "close");
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await closed;
  return { code: child.exitCode, output, errors };
}

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage[Symbol.asyncDispose]());

const run = (command: string, ...args: readonly string[]): Promise<Ran> =>
  orrery([command, "shop/my orders", "--endpoint", stage.endpoint, ...args]);

describe.concurrent("orrery partitions", () => {
  test("shows physical and logical partitions, figures and words", async () => {
    const { code, output, errors } = await run("partitions");
    expect([code, errors]).toEqual([0, ""]);
    expect(output).toMatch(/^shop\/my orders {2}by \/tenant {2}2026-05-15 14:10:00 UTC\n/);
    expect(output).toMatch(/^ 1 {2}33\.3–66\.7 +200,000 +195 MB +10,000 +10,000 +100 +25 /m);
    expect(output).toContain("Load of physical partitions: uneven (Gini 0.50");
    expect(output).not.toContain("\x1b");
  });

  test("lists as many keys as are wanted", async () => {
    const { output } = await run("partitions", "--top", "1");
    expect(output).toContain('"tenant-d"');
    expect(output).not.toContain("u001b");
  });

  test("gives the report as JSON", async () => {
    const { output } = await run("partitions", "--json");
    expect(output.split("\n").length).toBe(2);
    expect(JSON.parse(output)).toMatchObject({
      container: "my orders",
      partitions: [{ id: "0" }, { id: "1" }, { id: "2" }],
    });
  });

  test.each([["--json"], []])("watches until Ctrl-C, with %s", async (...flags) => {
    const args = ["partitions", "shop/my orders", "--endpoint", stage.endpoint, "--watch"];
    const child = launch([...args, ...flags]);
    let output = "";
    const isEnough = (): boolean =>
      flags.length === 0 ? output.includes("Queries:") : output.split("\n").length > 2;
    for await (const piece of child.stdout) {
      output += String(piece);
      if (isEnough()) child.kill("SIGINT");
    }
    if (child.exitCode === null) await once(child, "exit");
    expect(child.exitCode).toBe(0);
    if (flags.length > 0) {
      const frames = output.trim().split("\n");
      for (const frame of frames) expect(JSON.parse(frame)).toHaveProperty("partitions");
    }
  });

  test("stops watching when the server goes away, and says so", async () => {
    const gone = await openStage();
    const args = ["partitions", "shop/my orders", "--endpoint", gone.endpoint];
    const child = launch([...args, "--watch", "--json"]);
    const errors = text(child.stderr);
    await once(child.stdout, "data");
    await gone[Symbol.asyncDispose]();
    await once(child, "close");
    expect([child.exitCode, await errors]).toEqual([
      1,
      expect.stringContaining("Nobody listens at"),
    ]);
  });
});

describe.concurrent("orrery split", () => {
  test("follows the job to its end", async () => {
    // Each look moves a job on, so nobody else may look.
    await using own = await openStage();
    const args = ["split", "shop/my orders", "--endpoint", own.endpoint];
    const { code, output, errors } = await orrery(args);
    expect([code, output]).toEqual([0, "Physical partition 1 was split into 3 and 4 in 1.5 s.\n"]);
    expect(errors.split("\n").slice(0, 2)).toEqual([
      "Split of 1, as asked: waits for its turn.",
      "Split of 1, as asked: copying, 500 of 1,000 changes (50 %).",
    ]);
    expect(errors).toContain("catching up");
  });

  test("says which one and where", async () => {
    const { code } = await run("split", "--range", "2", "--at", "2abc");
    expect(code).toBe(0);
    expect(stage.surface.asked).toContainEqual([
      "split",
      "shop",
      "my orders",
      { partitionId: "2", at: "2ABC" },
    ]);
  });

  test("tells why it failed", async () => {
    await using failing = await openStage({ failure: "The disk is full." });
    const args = ["split", "shop/my orders", "--endpoint", failing.endpoint];
    const { code, output, errors } = await orrery(args);
    expect([code, output]).toEqual([1, ""]);
    expect(errors).toMatch(/\norrery: The split of 1 failed: The disk is full\.\n$/);
  });

  test.each<[string, readonly string[], string]>([
    ["a range that is not there", ["--range", "99"], "There is no physical partition '99'."],
    ["a range that is none", ["--range", "x"], "range id"],
    ["a place that is none", ["--at", "half"], "'half'"],
  ])("is refused for %s", async (_rule, args, part) => {
    const { code, output, errors } = await run("split", ...args);
    expect([code, output]).toEqual([1, ""]);
    expect(errors).toMatch(/^orrery: [^\n]+\n$/);
    expect(errors).toContain(part);
  });
});

describe.concurrent("orrery merge", () => {
  test("merges two", async () => {
    const { code, output } = await run("merge", "0", "1");
    expect([code, output]).toEqual([
      0,
      "Physical partitions 0 and 1 were merged into 5 in 1.5 s.\n",
    ]);
  });

  test("suggests", async () => {
    const { code, output } = await run("merge", "--suggest");
    expect(code).toBe(0);
    expect(output.split("\n").slice(0, 3)).toEqual([
      "merge      size    RU/s",
      "───────  ──────  ──────",
      "0 and 1  293 MB  15,000",
    ]);
    expect(output).toContain("0 and 1: Both are nearly empty");
  });
});

describe.concurrent("the server", () => {
  test("never sees the key unless it asks for it", async () => {
    await run("partitions");
    expect(stage.authorizations.every((sent) => sent === undefined)).toBe(true);
  });

  test("is given the key when it asks", async () => {
    await using open = await openStage({ access: "any", isElsewhere: true });
    const args = ["merge", "shop/my orders", "--suggest", "--endpoint", open.endpoint];
    expect((await orrery(args)).code).toBe(0);
    expect(open.authorizations).toEqual([undefined, `Bearer ${WELL_KNOWN_KEY}`]);
    const wrong = await orrery([...args, "--key", Buffer.alloc(64).toString("base64")]);
    expect([wrong.code, wrong.errors]).toEqual([1, expect.stringContaining("--key")]);
  });

  test("that only talks to its own machine says so", async () => {
    await using local = await openStage({ isElsewhere: true });
    const { code, errors } = await orrery(["partitions", "a/b", "--endpoint", local.endpoint]);
    expect([code, errors]).toEqual([1, expect.stringContaining("--admin any")]);
  });

  test("is found by the environment, as it is started", async () => {
    const { port } = new URL(stage.endpoint);
    const { code } = await orrery(["partitions", "shop/my orders"], { PORT: port });
    expect(code).toBe(0);
  });

  test.each<[string, readonly string[], string]>([
    ["has no such container", ["shop/none"], "There is no container 'none'"],
    ["is not there", ["shop/none", "--endpoint", "http://127.0.0.1:1"], "orrery start"],
    ["does not speak TLS", ["shop/none", "--endpoint", "https"], "does not speak TLS"],
  ])("%s", async (_rule, args, part) => {
    const tls = stage.endpoint.replace("http:", "https:");
    const given = args.map((arg) => (arg === "https" ? tls : arg));
    const endpoint = given.includes("--endpoint") ? [] : ["--endpoint", stage.endpoint];
    const { code, output, errors } = await orrery(["partitions", ...given, ...endpoint]);
    expect([code, output]).toEqual([1, ""]);
    expect(errors).toMatch(/^orrery: [^\n]+\n$/);
    expect(errors).toContain(part);
  });

  test("that is something else is told, too", async () => {
    const other = createServer((_, response) => response.end("hello")).listen(0, "127.0.0.1");
    await once(other, "listening");
    const endpoint = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { code, errors } = await orrery(["partitions", "a/b", "--endpoint", endpoint]);
    other.close();
    expect([code, errors]).toEqual([1, expect.stringContaining("has no admin API")]);
  });
});

/** In this process, since starting another one is what takes time. */
const RUN: Readonly<Record<string, typeof runPartitions>> = {
  partitions: runPartitions,
  split: runSplit,
  merge: runMerge,
};

test.each<[string, [string, ...string[]], string]>([
  ["no container", ["partitions"], "<database>/<container>"],
  ["too many words", ["partitions", "a/b", "c"], "'c'"],
  ["a range id that is no option", ["split", "a/b", "1"], "--range"],
  ["one range id", ["merge", "a/b", "1"], "--suggest"],
  ["range ids and a wish for some", ["merge", "a/b", "1", "2", "--suggest"], "--suggest"],
  ["a count that is none", ["partitions", "a/b", "--top", "0"], "--top"],
  ["an endpoint that is none", ["merge", "a/b", "--suggest", "--endpoint", "x"], "--endpoint"],
])("%s is misuse", async (_rule, [command, ...args], part) => {
  const told = await RUN[command]!(args, {}).catch((error: unknown) => error);
  expect(told).toBeInstanceOf(BadOption);
  expect((told as BadOption).message).toContain(part);
});

test.concurrent.each<[string, readonly string[], string]>([
  ["half a name", ["split", "orders"], "'orders'"],
  ["an unknown option", ["partitions", "a/b", "--wach"], "--wach"],
])("%s is misuse, and ends with 2", async (_rule, args, part) => {
  const { code, output, errors } = await orrery(args);
  expect([code, output]).toEqual([2, ""]);
  expect(errors).toMatch(/^orrery: /);
  expect(errors).toContain(part);
  expect(errors).not.toMatch(/^\s+at /m);
});

test.concurrent.each(["partitions", "split", "merge"])("%s explains itself", async (command) => {
  const asked = await orrery(["help", command]);
  expect(asked.code).toBe(0);
  expect(asked.output).toContain(`usage: orrery ${command} <db>/<container>`);
  expect((await orrery([command, "--help"])).output).toBe(asked.output);
});

test("the list of commands names them all", async () => {
  const { output } = await orrery(["help"]);
  for (const command of ["partitions", "split", "merge"]) {
    expect(output).toMatch(new RegExp(`^ {2}${command} +\\w`, "m"));
  }
});
