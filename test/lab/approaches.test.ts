/**
 * The four approaches to ageing data in a small form, on the real engine through the official
 * client. What is counted is exact: items, moves, containers and physical partitions; nothing here
 * depends on how quick the machine is.
 */
import * as official from "@azure/cosmos";
import { describe, expect, test } from "vitest";
import { measured } from "../../src/cli/lab/approaches/approaches.ts";
import { ClientMover } from "../../src/cli/lab/approaches/mover.ts";
import { candidateOf } from "../../src/lab/lab.ts";
import { comparisonOf } from "../../src/lab/lifecycle/comparison.ts";
import { comparisonJson } from "../../src/lab/lifecycle/comparisonJson.ts";
import { comparisonText } from "../../src/lab/lifecycle/comparisonText.ts";
import { DEFAULT_SETTINGS } from "../../src/lab/lifecycle/containers.ts";
import {
  FEED_DEFAULTS,
  FEED_KEY,
  feedWorkload,
  itemsPerDayFor,
} from "../../src/lab/lifecycle/feedWorkload.ts";
import { type RunPlan, runPlanOf } from "../../src/lab/lifecycle/runPlan.ts";
import { SERVICE_LIMITS } from "../../src/model/limits.ts";
import { startOrrery } from "../../src/server/start.ts";

const DAY_MS = 86_400_000;
const HOT_DAYS = 30;

function planOf(items: number, reads: number): RunPlan {
  const candidate = candidateOf({ id: "k", levels: [FEED_KEY], facts: undefined, place: "k" });
  if (!candidate.ok) throw new Error(candidate.error);
  const figures = { ...FEED_DEFAULTS, itemBytes: 800, retentionDays: 400, queriesPerSecond: 10 };
  const itemsPerDay = itemsPerDayFor(100 * 1024 ** 3, figures);
  return runPlanOf(
    {
      workload: feedWorkload({ ...figures, itemsPerDay }),
      agePath: "/publishedDate",
      candidate: candidate.value,
      settings: { ...DEFAULT_SETTINGS, hotDays: HOT_DAYS },
      limits: SERVICE_LIMITS,
      startMillis: Date.UTC(2026, 2, 1),
      seed: 1,
    },
    { items, reads },
  );
}

describe("the four approaches on the engine", () => {
  test("keep every item, move what is old, and visit what they must", {
    timeout: 240_000,
  }, async () => {
    const plan = planOf(400, 2);
    const measurements = await measured(plan, { official, seconds: 0, environment: {} });
    const { stored, live, nowMillis } = plan;
    const all = [...stored, ...live];
    expect([all.length, live.length]).toEqual([400, 20]);

    for (const { foundCount, itemCount } of measurements) {
      expect([foundCount, itemCount]).toEqual([400, 400]);
    }
    const firstMillis = live[0]!.millis;
    const agesOf = (millis: number) =>
      all.filter((item) => millis - item.millis >= HOT_DAYS * DAY_MS);
    const [runs, steps, single, years] = measurements;

    // Whatever came of age since the beginning was moved, however often somebody looked.
    const moved = agesOf(nowMillis).length - agesOf(firstMillis).length;
    expect(moved).toBeGreaterThan(0);
    const days = (live.at(-1)!.millis - firstMillis) / DAY_MS;
    expect(runs!.moving).toMatchObject({ movedCount: moved, stepCount: Math.floor(days) + 1 });
    expect(steps!.moving).toMatchObject({ movedCount: moved, stepCount: live.length + 1 });
    expect([single!.moving, years!.moving]).toEqual([undefined, undefined]);

    // The hot container has its own and those that wait for their time to live.
    const warmCount = agesOf(nowMillis).length;
    for (const { containers } of [runs!, steps!]) {
      expect(containers.map(({ name, itemCount }) => [name, itemCount])).toEqual([
        ["hot", 400 - warmCount + moved],
        ["warm", warmCount],
      ]);
    }
    expect(single!.containers.map(({ itemCount }) => itemCount)).toEqual([400]);
    expect(years!.containers.reduce((sum, { itemCount }) => sum + itemCount, 0)).toBe(400);

    // Who asks for all providers visits every physical partition of the containers it is about.
    const partitionsOf = (at: number) =>
      plan.approaches[at]!.containers.map(({ partitionCount }) => partitionCount);
    const visits = (at: number, id: string) => {
      const { containersVisited, partitionsVisited } = measurements[at]!.patterns.find(
        (pattern) => pattern.id === id,
      )!;
      return [containersVisited, partitionsVisited];
    };
    const [[hot = 0, warm = 0], , [one = 0], [thisYear = 0, lastYear = 0]] = [0, 1, 2, 3].map(
      partitionsOf,
    ) as [number[], number[], number[], number[]];
    expect(one).toBeGreaterThan(hot);
    for (const at of [0, 1]) {
      expect(visits(at, "recent")).toEqual([1, hot]);
      expect(visits(at, "search")).toEqual([2, hot + warm]);
      expect(visits(at, "analytics")).toEqual([2, hot + warm]);
    }
    expect(visits(2, "recent")).toEqual([1, one]);
    expect(visits(2, "analytics")).toEqual([1, one]);
    expect(visits(3, "recent")).toEqual([1, thisYear]);
    // On the first of March 90 days reach into the year before.
    expect(visits(3, "search")).toEqual([2, thisYear + lastYear]);

    // The text has the numbers of the JSON.
    const comparison = comparisonOf(plan, measurements);
    const text = comparisonText(comparison, undefined);
    const json = comparisonJson(comparison) as unknown as {
      approaches: { title: string; cost: number; manualRate: number }[];
      agreement: { agreedCount: number };
    };
    expect(json.approaches.map(({ title }) => title)).toHaveLength(4);
    for (const { title, cost } of json.approaches) {
      const line = text.split("\n").find((each) => each.startsWith(`${title}  `));
      expect(line).toContain(cost < 10 ? `$${cost.toFixed(2)}` : `$${Math.round(cost)}`);
    }
    const words = text.replaceAll(/\s+/g, " ");
    expect(words).toContain(`${json.agreement.agreedCount} come out here`);
    expect(text).toContain("In the end every item was found once under each approach.");
  });

  test("are the same plan for the same seed", () => {
    const [one, other] = [planOf(400, 3), planOf(400, 3)];
    expect(other.live.map(({ id, millis }) => [id, millis])).toEqual(
      one.live.map(({ id, millis }) => [id, millis]),
    );
    expect(other.reads).toEqual(one.reads);
    const [read] = one.reads;
    const requests = (plan: RunPlan) =>
      plan.approaches.map(({ containers }) => containers.map((each) => each.requestFor(read!)));
    expect(requests(other)).toEqual(requests(one));
  });
});

describe("a mover", () => {
  test("copies before it marks, twice is no more than once, and an edit arrives", async () => {
    const server = await startOrrery({ memory: true, port: 0 });
    const client = new official.CosmosClient({ endpoint: server.endpoint, key: server.key });
    try {
      const { database } = await client.databases.create({ id: "db" });
      const made = async (id: string, defaultTtl?: number) =>
        (
          await database.containers.create({
            id,
            partitionKey: { paths: ["/pk"], version: 2 },
            ...(defaultTtl === undefined ? {} : { defaultTtl }),
          })
        ).container;
      const [hot, warm] = [await made("hot", 1000), await made("warm")];
      const mover = new ClientMover({
        hot,
        warm,
        property: 'c["at"]',
        timeAt: (millis) => new Date(millis).toISOString(),
        keyOf: (item) => [String(item["pk"])],
        batch: 2,
        graceSeconds: 500,
      });
      for (const day of [1, 2, 3, 4, 5]) {
        await hot.items.create({
          id: `${day}`,
          pk: `p${day % 2}`,
          at: `2026-01-0${day}T00:00:00.000Z`,
        });
      }
      const cutoff = Date.UTC(2026, 0, 4);
      expect(await mover.moveUntil(cutoff)).toBe(3);
      expect(await mover.moveUntil(cutoff)).toBe(0);
      const idsIn = async (container: official.Container, where = "true") =>
        (
          await container.items
            .query<string>(`SELECT VALUE c.id FROM c WHERE ${where} ORDER BY c.id`)
            .fetchAll()
        ).resources;
      expect(await idsIn(warm)).toEqual(["1", "2", "3"]);
      expect(await idsIn(warm, "IS_DEFINED(c.ttl) OR IS_DEFINED(c.migrated)")).toEqual([]);
      expect(await idsIn(hot, "c.migrated = true AND c.ttl = 500")).toEqual(["1", "2", "3"]);

      // Somebody writes the item anew, without the mark: it is copied again.
      await hot.items.upsert({ id: "2", pk: "p0", at: "2026-01-02T00:00:00.000Z", text: "edited" });
      expect(await mover.moveUntil(cutoff)).toBe(1);
      expect(await idsIn(warm, "c.text = 'edited'")).toEqual(["2"]);
      expect(await idsIn(warm)).toEqual(["1", "2", "3"]);
    } finally {
      client.dispose();
      await server.close();
    }
  });
});
