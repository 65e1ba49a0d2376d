/** Runs of the lab with a command that is played by the test. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { LabRunQuestion } from "../../protocol/adminLab.ts";
import type { CommandEnd, StartCommand } from "./labCommand.ts";
import { LabDesk } from "./labDesk.ts";

const WORKLOAD = `
name: shop
item: { bytes: 1 KB }
properties:
  /customerId: { distinct: 2000 }
growth: { itemsPerDay: 2000 }
operations:
  - { id: place, kind: create, rate: 2000/day }
`;

interface Played {
  readonly args: readonly string[];
  readonly folder: string;
  readonly say: (text: string) => void;
  readonly end: (end: CommandEnd) => void;
  isStopped: boolean;
}

let parent: string;
let played: Played[];
let onStart: (() => void) | undefined;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "orrery-lab-desk-"));
  played = [];
  onStart = undefined;
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const start: StartCommand = (args, folder, say) => {
  let end: (end: CommandEnd) => void = () => undefined;
  const ended = new Promise<CommandEnd>((resolve) => {
    end = resolve;
  });
  const one: Played = { args, folder, say, end, isStopped: false };
  played.push(one);
  onStart?.();
  const stop = (): void => {
    one.isStopped = true;
    end({ code: undefined, output: "", complaint: "" });
  };
  return { ended, stop };
};

function desk(): LabDesk {
  return new LabDesk({
    start,
    parent,
    limits: SERVICE_LIMITS,
    wallNow: () => 1_000,
    random: () => 0.5,
    linesOf: (database, container, countMax) =>
      `${database}/${container}` === "shop/orders" ? lines(Math.min(3, countMax)) : undefined,
  });
}

async function* lines(count: number): AsyncGenerator<string, void, undefined> {
  for (let n = 0; n < count; n++) yield JSON.stringify({ id: String(n) });
}

const started = (count: number): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (played.length >= count) resolve();
    };
    onStart = look;
    look();
  });

const ask = (rest: Partial<LabRunQuestion> = {}): LabRunQuestion => ({
  kind: "advise",
  workload: WORKLOAD,
  ...rest,
});

describe("a run of the lab", () => {
  test("is the command, with its files, and its answer is the result", async () => {
    const lab = desk();
    const entry = lab.start(
      ask({
        data: { kind: "container", database: "shop", container: "orders", sampleCount: 2 },
        candidates: ["/customerId", "concat(/a, '-', /b)"],
        onlyMine: true,
        months: 6,
      }),
    );
    expect(entry).toMatchObject({ ok: true, value: { id: "1", title: "shop", kind: "advise" } });
    await started(1);
    const [{ args, folder, say, end }] = played as [Played];
    expect(args).toEqual([
      "lab",
      "advise",
      "--workload=workload.yaml",
      "--data=data.ndjson",
      "--candidate=/customerId",
      "--candidate=concat(/a, '-', /b)",
      "--only-mine",
      "--months=6",
      "--html=report.html",
      "--json",
    ]);
    expect(readFileSync(join(folder, "data.ndjson"), "utf8")).toBe('{"id":"0"}\n{"id":"1"}\n');
    expect(readFileSync(join(folder, "workload.yaml"), "utf8")).toBe(WORKLOAD);
    say("/customerId: 1 of 2");
    expect(lab.entries[0]).toMatchObject({ state: "running", progress: "/customerId: 1 of 2" });
    writeFileSync(join(folder, "report.html"), "<p>page</p>");
    end({ code: 0, output: '{"best":"/customerId"}', complaint: "" });
    await lab.idle;
    const run = lab.find("1")!;
    expect(run.entry(true)).toMatchObject({ state: "done", result: { best: "/customerId" } });
    expect(run.entry(true).commands).toEqual([
      "orrery export shop/orders orders.ndjson",
      "orrery lab advise --workload=workload.yaml --data=orders.ndjson --candidate=/customerId " +
        "'--candidate=concat(/a, '\\''-'\\'', /b)' --only-mine --months=6 --html=report.html",
    ]);
    expect(run.page).toBe("<p>page</p>");
    expect(readdirSync(parent)).toEqual([]);
  });

  test("fails with the words of the command", async () => {
    const lab = desk();
    lab.start(ask());
    await started(1);
    played[0]!.end({ code: 1, output: "", complaint: "orrery: no." });
    await lab.idle;
    expect(lab.entries[0]).toMatchObject({ state: "failed", problem: "orrery: no." });
  });

  test("fails when its container is not there, or is empty", async () => {
    const lab = desk();
    lab.start(ask({ data: { kind: "container", database: "shop", container: "none" } }));
    lab.start(
      ask({
        data: { kind: "container", database: "shop", container: "orders", sampleCount: 0 },
      }),
    );
    await lab.idle;
    expect(played).toEqual([]);
    expect(lab.entries.map(({ problem }) => problem)).toEqual([
      "The container 'orders' has no items yet.",
      "There is no container 'none' in 'shop'.",
    ]);
  });

  test("a second one waits, and a cancelled one ends its command", async () => {
    const lab = desk();
    lab.start(ask());
    lab.start(ask());
    await started(1);
    expect(lab.entries.map(({ state }) => state)).toEqual(["waiting", "running"]);
    lab.find("1")!.cancel();
    expect(played[0]!.isStopped).toBe(true);
    await started(2);
    lab.forget(lab.find("2")!);
    expect(lab.entries.map(({ id, state }) => [id, state])).toEqual([["1", "cancelled"]]);
    await lab.close();
    expect(existsSync(played[1]!.folder)).toBe(false);
  });

  test("a workload with problems is refused with all of them", () => {
    const refused = desk().start(ask({ workload: "name: x\nitem: { bytes: -3 }\n" }));
    expect(refused).toMatchObject({ ok: false });
    expect(JSON.stringify(refused)).toContain("item.bytes");
    expect(desk().workload("name: x\nitem: { bytes: -3 }\n").problems.length).toBeGreaterThan(0);
    expect(desk().workload(WORKLOAD).summary[0]).toContain("shop");
  });
});

describe("placements", () => {
  test("come with the check, and a wrong key is told where it is wrong", async () => {
    const items = [{ id: "1", tenant: "a" }, { id: "2" }];
    const placement = await desk().place({ items, key: "/tenant" });
    expect(placement).toMatchObject({
      ok: true,
      value: { key: "/tenant", itemCount: 2, missingCount: 1, keyCount: 2 },
    });
    expect(await desk().place({ items, key: "concat(/a" })).toMatchObject({
      ok: false,
      error: expect.stringContaining("At "),
    });
  });

  test("every template is a workload", () => {
    const lab = desk();
    expect(lab.templates.length).toBeGreaterThan(10);
    for (const { text } of lab.templates) expect(lab.workload(text).problems).toEqual([]);
  });
});

describe("a proof of a run", () => {
  test("takes its workload and its data, and proves the keys that are named", async () => {
    const lab = desk();
    lab.start(ask({ data: { kind: "text", text: "id\n1", format: "csv" }, current: "/a" }));
    await started(1);
    const proof = lab.prove(lab.find("1")!, ["/customerId"]);
    expect(proof).toMatchObject({
      ok: true,
      value: {
        id: "2",
        kind: "prove",
        proofOf: "1",
        asked: { candidates: ["/customerId"], current: "/a", data: { name: "data.csv" } },
      },
    });
    expect(lab.entries[1]).not.toHaveProperty("asked");
    played[0]!.end({ code: 0, output: "{}", complaint: "" });
    await started(2);
    expect(played[1]!.args).toEqual([
      "lab",
      "prove",
      "--workload=workload.yaml",
      "--data=data.csv",
      "--candidate=/customerId",
      "--only-mine",
      "--current=/a",
      "--quick",
      "--html=report.html",
      "--json",
    ]);
    played[1]!.end({ code: 0, output: "{}", complaint: "" });
    await lab.idle;
  });
});
