/** `orrery record` as people run it: from `dist`, as a process, against a server under load. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Container } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runRecord } from "../../src/cli/record.ts";
import { readWorkload } from "../../src/lab/workload/workloadText.ts";
import type { Recording } from "../../src/recording/recording.ts";
import { BadOption } from "../../src/server/surroundings/options.ts";
import type { Stage, TemporaryDirectory } from "./stage.ts";
import { openContainer, openStage, temporaryDirectory } from "./stage.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

let stage: Stage;
let directory: TemporaryDirectory;

beforeAll(async () => {
  stage = await openStage();
  directory = temporaryDirectory();
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
});

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly complaints: string;
}

interface Running {
  readonly ended: Promise<Ended>;
  interrupt(): void;
  /** Resolves once the command has written this. */
  says(words: string): Promise<void>;
}

/** Nothing of this process's own surroundings decides what the command does. */
function launch(...args: readonly string[]): Running {
  const child = spawn(process.execPath, [CLI, "record", ...args], { env: {}, cwd: directory.path });
  const heard: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => heard.push(chunk.toString()));
  const says = async (words: string): Promise<void> => {
    while (!heard.join("").includes(words)) await once(child.stderr, "data");
  };
  const ended = Promise.all([once(child, "close"), text(child.stdout)]).then(
    ([[code], output]) => ({
      code: code as number | null,
      output,
      complaints: heard.join(""),
    }),
  );
  return { ended, says, interrupt: () => child.kill("SIGINT") };
}

/** Until told to stop. */
async function underLoad<T>(container: Container, act: () => Promise<T>): Promise<T> {
  let isOver = false;
  const load = (async () => {
    for (let at = 0; !isOver; at++) {
      await container.items.upsert({ id: `${at}`, pk: `pk-${at % 3}`, email: "canary@x.org" });
      await container.item(`${at}`, `pk-${at % 3}`).read();
    }
  })();
  try {
    return await act();
  } finally {
    isOver = true;
    await load;
  }
}

describe("orrery record", () => {
  test("for some seconds: progress, a summary, and a workload that can be read", async () => {
    const container = await openContainer(stage.database);
    const { endpoint } = stage.server;
    const ended = await underLoad(container, () => {
      const options = ["--seconds", "2", "--secret", "/email", "--output", "w.yaml"];
      const json = ["--json", "r.json"];
      return launch(`stage/${container.id}`, "--endpoint", endpoint, ...options, ...json).ended;
    });
    expect(ended).toMatchObject({ code: 0, output: "" });
    expect(ended.complaints).toContain(`stage/${container.id}  recorded for 2 s`);
    expect(ended.complaints).toMatch(/pointRead +[\d,]+ /);
    expect(ended.complaints).toContain("Wrote w.yaml");
    const file = readFileSync(join(directory.path, "w.yaml"), "utf8");
    const json = readFileSync(join(directory.path, "r.json"), "utf8");
    expect(file + json + ended.complaints).not.toContain("canary");
    const read = readWorkload(file, "yaml", "w.yaml");
    if (!read.ok) throw new Error(JSON.stringify(read.error));
    expect(read.value.operations.map(({ kind }) => kind).sort()).toEqual(["pointRead", "upsert"]);
    const recording = JSON.parse(json) as Recording;
    const [operation] = read.value.operations;
    const count = recording.operations.find(({ id }) => id === operation!.id)!.count;
    expect(operation!.ratePerSecond).toBeCloseTo(count / recording.seconds, 1);
    expect(recording.seconds).toBeGreaterThan(1.9);
  });

  test("until Ctrl-C: the file is written all the same, and the server records no more", async () => {
    const container = await openContainer(stage.database);
    const { endpoint } = stage.server;
    const ended = await underLoad(container, async () => {
      const running = launch(`stage/${container.id}`, "--endpoint", endpoint);
      await running.says("until Ctrl-C");
      await container.items.query("SELECT * FROM c WHERE c.pk = 'pk-1'").fetchAll();
      running.interrupt();
      return running.ended;
    });
    expect(ended.code).toBe(0);
    const file = join(directory.path, `${container.id}.workload.yaml`);
    expect(readFileSync(file, "utf8")).toContain("SELECT * FROM c WHERE c.pk = 'pk-1'");
    const again = launch(`stage/${container.id}`, "--endpoint", endpoint, "--discard");
    expect(await again.ended).toMatchObject({ code: 1 });
  });

  test("to standard output, which has nothing else", async () => {
    const { id } = await openContainer(stage.database);
    const { endpoint } = stage.server;
    const { output, code } = await launch(
      `stage/${id}`,
      "--endpoint",
      endpoint,
      "--seconds",
      "1",
      "--output",
      "-",
    ).ended;
    expect(code).toBe(0);
    expect(output).toContain("Nothing was asked of the container");
  });

  test("a recording that somebody left behind can be discarded", async () => {
    const { id } = await openContainer(stage.database);
    const named = [`stage/${id}`, "--endpoint", stage.server.endpoint];
    const first = launch(...named, "--output", "first.yaml");
    await first.says("until Ctrl-C");
    const second = await launch(...named, "--seconds", "1").ended;
    expect(second.code).toBe(1);
    expect(second.complaints).toContain(`orrery record stage/${id} --discard`);
    expect(await launch(...named, "--discard").ended).toMatchObject({
      code: 0,
      complaints: expect.stringContaining(`Discarded the recording of stage/${id}`),
    });
    first.interrupt();
    expect((await first.ended).code).toBe(1);
    expect(existsSync(join(directory.path, `${id}.workload.yaml`))).toBe(false);
  });

  test.each<[string[], string]>([
    [["stage/none", "--seconds", "1"], "There is no container 'none'"],
  ])("%j: refused", async (args, part) => {
    const { code, complaints } = await launch(...args, "--endpoint", stage.server.endpoint).ended;
    expect([code, complaints]).toEqual([1, expect.stringContaining(part)]);
  });

  // In this process, since starting another one is what takes time.
  test.each<[string[], string]>([
    [[], "Name the container"],
    [["a/b", "c"], "one word too many"],
    [["a/b", "--seconds", "0"], "--seconds"],
    [["a/b", "--seconds", "90000"], "86400"],
    [["a/b", "--secret", "email"], "'email' is no path"],
  ])("%j makes no sense", async (args, part) => {
    const told = await runRecord(args, {}).catch((error: unknown) => error);
    expect(told).toBeInstanceOf(BadOption);
    expect((told as BadOption).message).toContain(part);
  });

  test("an unknown option makes no sense, and ends with 2", async () => {
    const { code, complaints } = await launch("a/b", "--sekret", "/email").ended;
    expect([code, complaints]).toEqual([2, expect.stringContaining("--sekret")]);
  });
});
