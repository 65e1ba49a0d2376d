/** The round of alerts on a simulated clock: when it looks, whom it tells, and when it rests. */

import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { AlertBoard, type AlertEvent } from "../alerts/alertBoard.ts";
import { parseAlertSettings } from "../alerts/alertSettings.ts";
import { GIB, type Sample, sampleReport } from "../alerts/sampleReports.fake.ts";
import { type Millis, millis } from "../base/units.ts";
import type { ContainerReport } from "../statistics/report.ts";
import { Alerting, diskReportOf } from "./alerting.ts";
import { Webhook } from "./webhook.ts";

const INTERVAL = millis(10_000);
const FULL: Sample = { topBySize: [{ key: "a", itemBytes: 18 * GIB }] };
const BUSY: Sample = { partitions: [{ usePercent: 30 }, { usePercent: 30 }] };
const HOT: Sample = { partitions: [{ usePercent: 95 }, { usePercent: 5 }] };

test("it looks every ten seconds, and tells the log and the listeners", async () => {
  const world = worldOf([HOT]);
  const heard: AlertEvent[] = [];
  world.alerting.listen((event) => heard.push(event));
  await world.pass(9_999);
  expect(world.looks()).toBe(0);
  await world.pass(1);
  expect(world.looks()).toBe(1);
  await world.pass(60_000);
  expect(world.looks()).toBe(7);
  expect(heard.map(({ event, alert, at }) => [event, alert.rule, at])).toEqual([
    ["raised", "hotPartition", 70_000],
  ]);
  expect(world.log).toEqual([
    [
      "alertRaised",
      {
        rule: "hotPartition",
        severity: "warning",
        container: "shop/orders",
        says: heard[0]?.alert.says,
      },
    ],
  ]);
  expect(world.alerting.board.history()).toEqual(heard);
});

test("a listener that was let go hears nothing more", async () => {
  const world = worldOf([FULL]);
  let count = 0;
  const forget = world.alerting.listen(() => {
    count += 1;
  });
  forget();
  await world.pass(10_000);
  expect(count).toBe(0);
  expect(world.alerting.board.history()).toHaveLength(1);
});

test("a listener that throws is logged, and the others hear all the same", async () => {
  const world = worldOf([FULL]);
  const heard: string[] = [];
  world.alerting.listen(() => {
    throw new Error("not today");
  });
  world.alerting.listen(({ alert }) => heard.push(alert.rule));
  await world.pass(10_000);
  expect(heard).toEqual(["largeLogicalPartition"]);
  expect(world.log.map(([event]) => event)).toContain("alertListenerFailed");
});

test("an idle server is looked at twice, and then not again until it is woken", async () => {
  const world = worldOf([{}]);
  await world.pass(600_000);
  expect(world.looks()).toBe(2);
  expect(world.waitCount()).toBe(0);
  world.alerting.wake();
  world.alerting.wake();
  expect(world.waitCount()).toBe(1);
  await world.pass(600_000);
  expect(world.looks()).toBe(4);
});

test("it goes on while there are requests, and until what they led to is cleared", async () => {
  const world = worldOf([HOT]);
  await world.pass(100_000);
  expect(world.looks()).toBe(10);
  world.setReports([{}]);
  await world.pass(600_000);
  expect(world.alerting.board.history().map(({ event }) => event)).toEqual(["cleared", "raised"]);
  expect(world.waitCount()).toBe(0);
});

test("an alert that fires for good does not keep an idle server awake", async () => {
  const world = worldOf([FULL]);
  await world.pass(600_000);
  expect(world.waitCount()).toBe(0);
  expect(world.alerting.board.alerts()[0]?.state).toBe("firing");
});

test("a job keeps it awake", async () => {
  const job = { kind: "split", reason: "storage", state: "copying", partitionIds: ["0"] } as const;
  const world = worldOf([{ jobs: [{ ...job, copiedCount: 0, totalCount: 1 }] }]);
  await world.pass(600_000);
  expect(world.looks()).toBe(60);
});

test("what happens during a round is not missed", async () => {
  const world = worldOf([{}]);
  await world.pass(10_000);
  world.duringLook(() => world.alerting.wake());
  await world.pass(10_000);
  world.duringLook(() => undefined);
  await world.pass(600_000);
  expect(world.looks()).toBe(4);
});

test("a container that is missing from the reports was deleted", async () => {
  const world = worldOf([
    { ...FULL, rid: "one" },
    { ...BUSY, rid: "two" },
  ]);
  await world.pass(10_000);
  world.setReports([{ ...BUSY, rid: "two" }]);
  await world.pass(10_000);
  expect(world.log.map(([event]) => event)).toEqual(["alertRaised", "alertCleared"]);
});

test("reports that fail are logged once a minute, nothing is cleared, and it tries again", async () => {
  const world = worldOf([FULL]);
  await world.pass(10_000);
  world.duringLook(() => {
    throw new Error("the disk is gone");
  });
  await world.pass(120_000);
  const failures = world.log.filter(([event]) => event === "alertingFailed");
  expect(failures).toHaveLength(2);
  expect(failures[0]?.[1]).toEqual({ reason: "Error: the disk is gone" });
  expect(world.alerting.board.alerts()[0]?.state).toBe("firing");
  world.duringLook(() => undefined);
  world.setReports([]);
  await world.pass(10_000);
  expect(world.log.at(-1)?.[0]).toBe("alertCleared");
});

test("the disk is looked at as well", async () => {
  const world = worldOf([BUSY], { freeBytes: GIB / 2, totalBytes: GIB });
  await world.pass(60_000);
  expect(world.log).toMatchObject([["alertRaised", { rule: "diskSpace", severity: "critical" }]]);
});

test("the disk of a directory has room and an end; of none there is nothing to say", async () => {
  const disk = await diskReportOf(tmpdir());
  expect(disk!.totalBytes).toBeGreaterThan(0);
  expect(disk!.freeBytes).toBeLessThanOrEqual(disk!.totalBytes);
  expect(await diskReportOf("no/such/directory")).toBeUndefined();
});

test("once closed it neither looks nor tells, even if a round was under way", async () => {
  const world = worldOf([FULL]);
  let isClosed: Promise<void> | undefined;
  world.duringLook(() => {
    isClosed = world.alerting.close();
  });
  await world.pass(10_000);
  await isClosed;
  world.alerting.wake();
  await world.pass(600_000);
  expect(world.looks()).toBe(1);
  expect(world.log).toEqual([]);
  expect(world.waitCount()).toBe(0);
});

test("a webhook gets the event itself, and is closed with the round", async () => {
  const sent: unknown[] = [];
  class Recorder extends Webhook {
    override send(message: unknown): void {
      sent.push(message);
    }
    override async close(): Promise<void> {
      sent.push("closed");
    }
  }
  const world = worldOf([FULL], undefined, (options) => new Recorder({ ...options, urls: [] }));
  await world.pass(10_000);
  await world.alerting.close();
  expect(sent).toMatchObject([
    { event: "raised", at: 10_000, alert: { rule: "largeLogicalPartition", state: "firing" } },
    "closed",
  ]);
});

function worldOf(
  samples: readonly Sample[],
  disk?: { readonly freeBytes: number; readonly totalBytes: number },
  webhookOf: (options: Pick<Simulated, "clock" | "timer" | "log">) => Webhook | undefined = () =>
    undefined,
) {
  const simulated = simulatedWorld();
  const parsed = parseAlertSettings({});
  if (!parsed.ok) throw new Error(parsed.error.join());
  const board = new AlertBoard({ settings: parsed.value, gapMaxMs: 60_000, historyCountMax: 500 });
  let reports: readonly ContainerReport[] = samples.map((sample) => sampleReport(sample));
  let during: () => void = () => undefined;
  let lookCount = 0;
  const alerting = new Alerting({
    board,
    interval: INTERVAL,
    clock: simulated.clock,
    timer: simulated.timer,
    log: simulated.log,
    reports: async () => {
      lookCount += 1;
      during();
      return reports;
    },
    server: () => ({ disk }),
    webhook: webhookOf(simulated),
  });
  return {
    alerting,
    log: simulated.lines,
    pass: simulated.pass,
    waitCount: simulated.waitCount,
    looks: () => lookCount,
    duringLook: (action: () => void) => {
      during = action;
    },
    setReports: (others: readonly Sample[]) => {
      reports = others.map((sample) => sampleReport(sample));
    },
  };
}

type Simulated = ReturnType<typeof simulatedWorld>;

/** Time that passes when the test says so, wait by wait. */
function simulatedWorld() {
  let now = 0;
  const waits = new Set<{ readonly at: number; readonly action: () => void }>();
  const lines: [string, Readonly<Record<string, unknown>>][] = [];
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    lines,
    clock: { now: () => millis(now), wallNow: () => now },
    timer: {
      after(delay: Millis, action: () => void): () => void {
        const wait = { at: now + delay, action };
        waits.add(wait);
        return () => void waits.delete(wait);
      },
      soon: () => Promise.resolve(),
    },
    log: (event: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      lines.push([event, fields]);
    },
    waitCount: () => waits.size,
    async pass(span: number): Promise<void> {
      const end = now + span;
      for (;;) {
        const [next] = [...waits].toSorted((one, other) => one.at - other.at);
        if (next === undefined || next.at > end) break;
        now = next.at;
        waits.delete(next);
        next.action();
        await turns();
      }
      now = end;
    },
  };
}
