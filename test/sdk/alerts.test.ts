/**
 * Alerts from the trouble to the message: the official client makes it, a local receiver is told,
 * and told again when it is over.
 *
 * The server looks every ten seconds, so this takes two of its rounds. All alerts of one server are
 * raised in the first and what can be mended by then is cleared in the second.
 */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { Container } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AlertsAnswer } from "../../src/protocol/admin.ts";
import { ask, locate, reportOf } from "./inside.ts";
import type { Stage } from "./stage.ts";
import { openContainer, openStage } from "./stage.ts";

interface Alert {
  readonly rule: string;
  readonly state: string;
  readonly severity?: string;
  readonly says: string;
  readonly todo: readonly string[];
  readonly scope: { readonly container?: string };
  readonly evidence: {
    readonly figures: Readonly<Record<string, number>>;
    readonly partitionIds: readonly string[];
    readonly partitionKeys: readonly unknown[];
    readonly thresholds: Readonly<Record<string, number>>;
  };
}

interface Message {
  readonly event: "raised" | "changed" | "cleared";
  readonly at: number;
  readonly alert: Alert;
}

const AT_ONCE = { forSeconds: 0, clearSeconds: 0 };
/** 20 KB for a logical partition instead of 20 GB, 500 RU/s for a physical one. */
const OPTIONS = {
  memory: true,
  limits: { logicalPartitionBytes: "20KB", partitionRate: 500 },
  alerts: {
    largeLogicalPartition: AT_ONCE,
    hotPartition: { ...AT_ONCE, requestCountMin: 20 },
    crossPartitionQueries: { ...AT_ONCE, queryCountMin: 5 },
    throttledRequests: { ...AT_ONCE, enabled: false },
    unevenKeys: { forSeconds: 1000 },
  },
} as const;
const ROUND_MS = 10_000;
const PATIENCE = { timeout: 4 * ROUND_MS, interval: 100 };

let stage: Stage;
let receiver: Server;
let full: Container;
let hot: Container;
const messages: Message[] = [];
const received: IncomingHttpHeaders[] = [];

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    received.push(request.headers);
    messages.push((await json(request)) as Message);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const { port } = receiver.address() as AddressInfo;
  stage = await openStage({ ...OPTIONS, alertWebhook: [`http://127.0.0.1:${port}/alerts`] });
  full = await openContainer(stage.database);
  hot = await openContainer(stage.database, { throughput: 1500 });
  await fill();
  await overload();
  await fanOut();
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  receiver.closeAllConnections();
  receiver.close();
});

/** 90 % of what the logical partition may hold. */
async function fill(): Promise<void> {
  for (const id of ["1", "2", "3", "4"]) {
    await full.items.create({ id, pk: "tenant-a", fill: "x".repeat(4300) });
  }
}

/** One key spends nearly all of what is spent. */
async function overload(): Promise<void> {
  for (let index = 0; index < 80; index++) {
    await hot.items.upsert({ id: String(index % 20), pk: "tenant-d", n: index });
  }
}

async function fanOut(): Promise<void> {
  for (let index = 0; index < 8; index++) {
    await hot.items.query(`SELECT * FROM c WHERE c.color = ${index}`).fetchAll();
  }
}

describe("the receiver of alerts", () => {
  test("is told what is wrong, by which numbers, and what to do", async () => {
    await expect.poll(() => raised("largeLogicalPartition"), PATIENCE).toBeDefined();
    const { alert } = raised("largeLogicalPartition")!;
    expect(alert).toMatchObject({
      state: "firing",
      severity: "critical",
      scope: { kind: "container", database: "stage", container: full.id },
      evidence: { partitionKeys: [["tenant-a"]] },
    });
    expect(alert.says).toContain("tenant-a");
    expect(alert.todo.length).toBeGreaterThan(0);
    expect(alert.evidence.thresholds).toMatchObject({ warningPercent: 75, criticalPercent: 80 });
    const { limitShare } = await locate(stage.server, full, "tenant-a");
    expect(Object.values(alert.evidence.figures)).toContainEqual(
      expect.closeTo(100 * limitShare, 0),
    );
    expect(received[0]).toMatchObject({ "content-type": "application/json" });
  });

  test("that a split does not help a single key", async () => {
    await expect.poll(() => raised("hotPartition"), PATIENCE).toBeDefined();
    const { alert } = raised("hotPartition")!;
    const { partitionId } = await locate(stage.server, hot, "tenant-d");
    expect(alert.scope).toMatchObject({ container: hot.id });
    expect(alert.evidence.partitionIds[0]).toBe(partitionId);
    expect(alert.evidence.partitionKeys).toEqual([["tenant-d"]]);
    const { figures } = await reportOf(stage.server, hot);
    expect(alert.evidence.figures["sharePercent"]).toBeGreaterThan(80);
    expect(figures.busiestShare).toBeGreaterThan(0.8);
    expect(alert.todo.join(" ")).toMatch(/split does not help/i);
  });

  test("that most queries visit several physical partitions", async () => {
    await expect.poll(() => raised("crossPartitionQueries"), PATIENCE).toBeDefined();
    expect(raised("crossPartitionQueries")!.alert.scope).toMatchObject({ container: hot.id });
  });

  test("nothing about rules that are switched off, or not for long enough yet", async () => {
    expect(raised("throttledRequests")).toBeUndefined();
    expect(raised("unevenKeys")).toBeUndefined();
  });
});

describe("the admin API", () => {
  test("has states, history and rules", async () => {
    await expect.poll(() => raised("largeLogicalPartition"), PATIENCE).toBeDefined();
    const { alerts } = await ask<AlertsAnswer>(stage.server, "alerts");
    const board = alerts as unknown as {
      readonly alerts: readonly Alert[];
      readonly history: readonly Message[];
      readonly rules: readonly object[];
    };
    const state = (rule: string, container: Container): string | undefined =>
      board.alerts.find((alert) => alert.rule === rule && alert.scope.container === container.id)
        ?.state;
    expect(state("largeLogicalPartition", full)).toBe("firing");
    expect(state("largeLogicalPartition", hot)).toBe("normal");
    expect(state("hotPartition", hot)).toBe("firing");
    expect(state("crossPartitionQueries", full)).toBe("noData");
    expect(board.history.map(({ event }) => event)).toContain("raised");
    expect(board.rules.length).toBeGreaterThan(10);
  });
});

describe("when it is over", () => {
  test("the alert is cleared, and the receiver told", async () => {
    await expect.poll(() => raised("largeLogicalPartition"), PATIENCE).toBeDefined();
    for (const id of ["2", "3", "4"]) await full.item(id, "tenant-a").delete();
    await expect.poll(() => cleared("largeLogicalPartition"), PATIENCE).toBeDefined();
    const { alert } = cleared("largeLogicalPartition")!;
    expect(alert).toMatchObject({ state: "normal", scope: { container: full.id } });
    expect(alert).not.toHaveProperty("severity");
    expect(alert.says).not.toBe(raised("largeLogicalPartition")!.alert.says);
  });
});

function raised(rule: string): Message | undefined {
  return messages.find(({ event, alert }) => event === "raised" && alert.rule === rule);
}

function cleared(rule: string): Message | undefined {
  return messages.find(({ event, alert }) => event === "cleared" && alert.rule === rule);
}
