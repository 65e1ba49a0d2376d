/** Items of real data at the scale of a proof, and what the simulator knows of them. */
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../base/world.ts";
import type { JsonObject } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { epkOf } from "../../partition/epk.ts";
import { candidateOf, factsOf } from "../lab.ts";
import type { Profile } from "../profile/profile.ts";
import { Profiler } from "../profile/profiler.ts";
import { operationModels } from "../simulate/operationModel.ts";
import type { Workload } from "../workload/workload.ts";
import { readWorkload } from "../workload/workloadText.ts";
import { undescribed } from "./described.ts";
import { likeStored } from "./likeStored.ts";
import { PROOF_MILLIS, planOf } from "./plan.ts";
import { sampledData } from "./proofData.ts";
import { subjectsOf } from "./subjects.ts";

const TEXT = `
growth: {itemsPerDay: 100000, retentionDays: 50}
properties: {/channel: {distinct: 3}}
operations:
  - {id: add, kind: create, rate: 2}
  - {id: mine, kind: query, rate: 2, sql: "SELECT * FROM c WHERE c.maker = @m"}
horizonMonths: 3
`;

function workloadOf(text: string = TEXT): Workload {
  const read = readWorkload(text, "yaml", "test");
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
}

/** Three in ten have a maker; one region has half of all, and each town lies in one region. */
function realItem(at: number): JsonObject {
  const region = at % 2 === 0 ? "north" : `r${at % 7}`;
  return {
    id: `i${at}`,
    region,
    town: `${region}/${at % 3}`,
    ...(at % 10 < 3 ? { maker: `m${at % 30}` } : {}),
    serial: `s-${at}`,
    at: new Date(Date.UTC(2020, 0, 1) + at * 60_000).toISOString(),
    sizes: [at % 5, 2, 3],
  };
}

function profileOf(items: readonly JsonObject[]): Profile {
  const profiler = new Profiler({ source: "real.ndjson" });
  for (const item of items) profiler.add(item, JSON.stringify(item).length);
  return profiler.result("all");
}

const ITEMS = Array.from({ length: 500 }, (_, at) => realItem(at));

function madeOf(count: number, workload: Workload = workloadOf()) {
  const profile = profileOf(ITEMS);
  const facts = factsOf({ workload, profile });
  const data = sampledData(profile, facts);
  const span = { count, seed: 1, endMillis: PROOF_MILLIS, spanDays: 50 };
  return { profile, facts, data, stored: data.stored(workload, span), workload };
}

function shareOf(items: readonly JsonObject[], is: (item: JsonObject) => boolean): number {
  return items.filter(is).length / items.length;
}

describe("items made from a profile", () => {
  it("have the values of the data, together as they were met, as often as they were", () => {
    const { stored } = madeOf(500);
    expect(shareOf(stored, ({ region }) => region === "north")).toBeCloseTo(0.5);
    expect(shareOf(stored, (item) => "maker" in item)).toBeCloseTo(0.3);
    for (const { region, town, sizes } of stored) {
      expect(String(town).startsWith(`${region}/`)).toBe(true);
      expect(sizes).toHaveLength(3);
    }
  });

  it("lie over the days of the scale, in the order in which they came, in the form they had", () => {
    const { stored } = madeOf(500);
    const times = stored.map(({ at }) => Date.parse(String(at)));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(PROOF_MILLIS - 50 * 86_400_000);
    expect(times.at(-1)).toBeLessThanOrEqual(PROOF_MILLIS);
    expect(stored.map(({ id }) => id)).toEqual(ITEMS.map(({ id }) => id));
  });

  it("come again under other ids where more are wanted, and what was one's own stays so", () => {
    const { stored } = madeOf(1500);
    expect(new Set(stored.map(({ id }) => id)).size).toBe(1500);
    expect(new Set(stored.map(({ serial }) => serial)).size).toBe(1500);
    expect(new Set(stored.map(({ town }) => town)).size).toBe(
      new Set(ITEMS.map(({ town }) => town)).size,
    );
  });

  it("have what the workload declares and the data lacks", () => {
    const { stored, data, workload } = madeOf(300);
    expect(new Set(stored.map(({ channel }) => channel)).size).toBe(3);
    expect(data.factsOf(workload, stored).populationOf(["/channel"]).rows).toHaveLength(3);
  });

  it("are as large as declared, where that is larger than the file has them", () => {
    const { stored } = madeOf(100, workloadOf(`item: {bytes: 2 KB}\n${TEXT}`));
    const bytes = stored.reduce((sum, item) => sum + JSON.stringify(item).length, 0) / 100;
    expect(bytes / 2048).toBeCloseTo(1, 1);
  });

  it("are new and of now where a run writes them", () => {
    const { data, workload } = madeOf(300);
    const made = data.created(workload, {
      count: 50,
      after: 300,
      nowMillis: PROOF_MILLIS,
      seed: 2,
    });
    expect(made.map(({ id }) => id)).toEqual(made.map((_, at) => `new-${300 + at}`));
    expect(made.every(({ at }) => Date.parse(String(at)) === PROOF_MILLIS)).toBe(true);
  });
});

describe("what is known of items at hand", () => {
  it("is counted, missing values and bytes as well", () => {
    const { data, stored, workload } = madeOf(400);
    const facts = data.factsOf(workload, stored);
    const { rows, distinct } = facts.populationOf(["/region", "/maker"]);
    for (const { values, itemShare, byteShare, keyCount } of rows) {
      const [region, maker] = values;
      const own = stored.filter((item) => item["region"] === region && item["maker"] === maker);
      const bytes = (some: readonly JsonObject[]): number =>
        some.reduce((sum, item) => sum + JSON.stringify(item).length, 0);
      expect(itemShare).toBeCloseTo(own.length / 400);
      expect(byteShare).toBeCloseTo(bytes(own) / bytes(stored));
      expect(keyCount).toBe(1);
    }
    expect(rows.reduce((sum, { itemShare }) => sum + itemShare, 0)).toBeCloseTo(1);
    expect(distinct.value).toBe(rows.length);
    expect(facts.properties.get("/maker")!.missingShare).toBeCloseTo(0.7, 1);
  });

  it("is what operations ask by: nobody asks for a value that is not there", () => {
    const { data, stored, workload } = madeOf(400);
    const facts = data.factsOf(workload, stored);
    const models = operationModels(workload, facts);
    const [, mine] = models;
    // Each of nine makers has a thirtieth of the items.
    expect(mine!.selectivity).toBeCloseTo(1 / 30, 2);
    const setting = { facts, items: stored, nowMillis: PROOF_MILLIS };
    const subjects = subjectsOf(mine!, setting, [...stored.keys()], 0.1);
    for (let asked = 0; asked < 50; asked++) {
      expect(stored[subjects.next()]).toHaveProperty("maker");
    }
  });
});

describe("keys that a run writes", () => {
  it("lie as those that are stored do", () => {
    const plan = planOf({
      workload: workloadOf(),
      profile: profileOf(ITEMS),
      simulations: [],
      limits: SERVICE_LIMITS,
      serverLimits: undefined,
      factor: undefined,
      items: 300,
      rate: 50,
      seconds: 1,
      operationCount: 100,
      seed: 1,
    });
    const read = candidateOf({ id: "id", levels: ["/id"], facts: undefined, place: "" });
    if (!read.ok) throw new Error(read.error);
    const { items, keyed, definition } = plan.caseOf(read.value);
    const made = Array.from({ length: 400 }, (_, at) => keyed({ id: `new-${at}` }));
    const random = seededRandom(3);
    const chosen = likeStored(items, made, definition, { count: 100, random });
    expect(new Set(chosen).size).toBe(100);
    const places = (some: readonly { key: (typeof items)[number]["key"] }[]) =>
      some.map(({ key }) => epkOf(definition, key)).sort();
    const [stored, own] = [places(items), places(chosen.map((at) => made[at]!))];
    // Wherever a partition is cut, it gets the share of what is new that it has of what there is.
    for (const cut of [0.2, 0.4, 0.6, 0.8]) {
      const place = stored[Math.floor(cut * stored.length)]!;
      expect(Math.abs(own.filter((each) => each < place).length / 100 - cut)).toBeLessThan(0.03);
    }
  });
});

describe("what nothing describes", () => {
  const candidate = (text: string) => {
    const read = candidateOf({ id: text, levels: [text], facts: undefined, place: "" });
    if (!read.ok) throw new Error(read.error);
    return read.value;
  };

  it("is told: paths of keys and of operations", () => {
    const { facts, workload } = madeOf(10);
    expect(undescribed(workload, facts, [candidate("/region"), candidate("/channel")])).toEqual([]);
    expect(undescribed(workload, facts, [candidate("concat(/region, '-', /nowhere)")])).toEqual([
      "concat(/region, '-', /nowhere) is made of /nowhere.",
    ]);
    const declared = factsOf({ workload, profile: undefined });
    expect(undescribed(workload, declared, [candidate("/channel")])).toEqual([
      "'mine' asks by /maker.",
    ]);
  });
});
