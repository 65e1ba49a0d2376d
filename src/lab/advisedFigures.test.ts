/**
 * Every figure that advice shows of a key, against data of which the truth is known: skew, nulls,
 * hierarchies, populations that grow and that do not. `ORRERY_ADVISED_ITEMS=100000,1000000` makes
 * it as many items, `ORRERY_ADVISED_SEED` other ones.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../base/world.ts";
import type { JsonObject } from "../json/value.ts";
import { keyOf } from "../keys/component.ts";
import type { KeyLevels } from "../keys/expression.ts";
import { parseKeyLevels } from "../keys/expressionText.ts";
import { SERVICE_LIMITS } from "../model/limits.ts";
import type { Candidate } from "./candidate/candidate.ts";
import type { Estimate } from "./counting/estimate.ts";
import type { MeasuredKey } from "./data/measuredKeys.ts";
import { keysToCount, withCounts } from "./keysToCount.ts";
import { candidatesFor, factsOf, type LabInput, runLab, settingOf } from "./lab.ts";
import { KeyCounter } from "./profile/keyCounter.ts";
import type { Profile } from "./profile/profile.ts";
import { Profiler } from "./profile/profiler.ts";
import { profileText } from "./profile/savedProfile.ts";
import { Survey } from "./profile/survey.ts";
import { adviceHtml } from "./report/html.ts";
import { adviceJson } from "./report/json.ts";
import { adviceText } from "./report/text.ts";
import { readWorkload } from "./workload/workloadText.ts";

const SEED = Number(process.env["ORRERY_ADVISED_SEED"] ?? 1);
const ASKED = process.env["ORRERY_ADVISED_ITEMS"];
const SIZES = ASKED === undefined ? [1000, 10_000] : ASKED.split(",").map(Number);
const STARTED_AT = Date.UTC(2026, 0, 1);

/** Devices have one fleet each, users join and stay, sessions come and go, few codes come twice. */
function itemsOf(count: number, seed: number): readonly JsonObject[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const device = Math.floor((count / 20) * random.next() ** 3);
    const user = Math.floor((random.next() * (index + 20)) / 10);
    return {
      id: `i-${index}`,
      fleet: `f${device % 7}`,
      device: `d${device}`,
      ...(random.next() < 0.3 ? {} : { account: random.next() < 0.2 ? null : `a${device % 90}` }),
      user: `u${user}`,
      session: `s${Math.floor(index / 5)}`,
      code: `c${Math.floor(random.next() * count * 5)}`,
      kind: random.next() < 0.9 ? "plain" : "other",
      at: new Date(STARTED_AT + index * 30_000).toISOString(),
    };
  });
}

const CANDIDATES = [
  "/device",
  "[/fleet, /device]",
  "/account",
  "[/account, /id]",
  "[/fleet, /account, /user]",
  "concat(/account, '-', /user)",
  "concat(/device, '-', day(/at))",
  "/session",
  "/code",
  "[/kind, /code]",
  "lower(/fleet)",
];

function inputOf(count: number, perDay: number): Omit<LabInput, "profile"> {
  const read = readWorkload(
    `name: test
growth: { initialItems: ${count}, itemsPerDay: ${perDay} }
horizonMonths: 3
operations:
  - { id: of, kind: query, rate: 5, sql: "SELECT * FROM c WHERE c.device = @d AND c.account = @a" }
  - { id: user, kind: query, rate: 2, sql: "SELECT * FROM c WHERE c.user = @u" }
`,
    "yaml",
    "test.yaml",
  );
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return {
    workload: read.value,
    candidates: CANDIDATES.map((text) => ({
      id: text,
      levels: text.startsWith("[") ? text.slice(1, -1).split(", ") : [text],
      facts: undefined,
      place: "test",
    })),
    onlyNamed: false,
    current: undefined,
    limits: SERVICE_LIMITS,
    startMillis: STARTED_AT,
    seed: 1,
    whatIfs: false,
  };
}

function bytesOf(item: JsonObject): number {
  return JSON.stringify(item).length;
}

async function profileOf(
  items: readonly JsonObject[],
  input: Omit<LabInput, "profile">,
  entriesMax?: number,
): Promise<{ readonly plain: Profile; readonly counted: Profile }> {
  const survey = new Survey();
  for (const item of items) survey.add(item, bytesOf(item));
  const surveyed = survey.result();
  const profiler = new Profiler({
    source: "test",
    survey: surveyed,
    areSinglesEnough: true,
    entriesMax,
  });
  for (const item of items) profiler.add(item, bytesOf(item));
  const plain = profiler.result("all");
  const wantedOf = (profile: Profile) => keysToCount({ ...input, profile });
  const counted = await withCounts(plain, wantedOf, async (wanted, { time }) => {
    const counter = new KeyCounter({ ...wanted, survey: surveyed, time: time?.path, entriesMax });
    for (const item of items) counter.add(item, bytesOf(item));
    return counter.results();
  });
  return { plain, counted };
}

interface Truth {
  readonly distinct: number;
  readonly largest: number;
  readonly nulls: number;
  readonly gini: number;
}

function truthOf(items: readonly JsonObject[], levels: KeyLevels): Truth {
  const counts = new Map<string, number>();
  let nulls = 0;
  for (const item of items) {
    const key = keyOf(levels, item, { random: () => 0, turn: () => 0 });
    if (key.some((part) => part === null || part === undefined)) nulls++;
    const name = JSON.stringify(key.map((part) => (part === undefined ? {} : part)));
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const ordered = [...counts.values()].sort((a, b) => a - b);
  const weighted = ordered.reduce((sum, count, at) => sum + count * (at + 1), 0);
  const n = ordered.length;
  return {
    distinct: n,
    largest: ordered.at(-1)! / items.length,
    nulls: nulls / items.length,
    gini: (2 * weighted) / (n * items.length) - (n + 1) / n,
  };
}

function expectWithin(estimate: Estimate, truth: number, what: string): void {
  expect(estimate.low, what).toBeLessThanOrEqual(truth + 1e-9);
  expect(estimate.high, what).toBeGreaterThanOrEqual(truth - 1e-9);
}

function expectTrue(measured: MeasuredKey, truth: Truth, what: string): void {
  expectWithin(measured.distinct, truth.distinct, `${what}: distinct`);
  expectWithin(measured.largest.share, truth.largest, `${what}: largest`);
  expectWithin(measured.nullShare, truth.nulls, `${what}: nulls`);
  expectWithin(measured.gini, truth.gini, `${what}: gini`);
}

function candidatesIn(input: Omit<LabInput, "profile">, profile: Profile): readonly Candidate[] {
  const whole = { ...input, profile };
  return candidatesFor(whole, settingOf(whole, input.workload, factsOf(whole)));
}

describe.each(SIZES)("%i items", (count) => {
  const input = inputOf(count, 0);
  let items: readonly JsonObject[] = [];
  let plain: Profile;
  let counted: Profile;

  beforeAll(async () => {
    items = itemsOf(count, SEED);
    ({ plain, counted } = await profileOf(items, input));
  }, 600_000);

  test("all keys that are ranked are counted, and exact", () => {
    const facts = factsOf({ workload: input.workload, profile: counted });
    const candidates = candidatesIn(input, counted);
    expect(candidates.length).toBeGreaterThan(20);
    for (const candidate of candidates) {
      const measured = facts.measuredKey!(candidate);
      const truth = truthOf(items, candidate.levels);
      expect(measured.basis, candidate.id).toEqual({ kind: "counted", items: count });
      expectTrue(measured, truth, candidate.id);
      expect(Math.abs(measured.distinct.value / truth.distinct - 1)).toBeLessThan(0.01);
      expect(Math.abs(measured.gini.value - truth.gini)).toBeLessThan(0.01);
    }
  }, 600_000);

  test("figures of a saved profile that did not count them say so, and are within their error", () => {
    const facts = factsOf({ workload: input.workload, profile: plain });
    let sampled = 0;
    for (const candidate of candidatesIn(input, counted)) {
      const measured = facts.measuredKey!(candidate);
      if (measured.basis.kind === "sample") sampled++;
      expectTrue(measured, truthOf(items, candidate.levels), candidate.id);
    }
    // With so few items the sample is all of them.
    expect(sampled > 0).toBe(count > 2000);
  }, 600_000);

  test("shuffled and repeated, the counts are the same", async () => {
    const random = seededRandom(9);
    const shuffled = items
      .map((item) => ({ item, at: random.next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
    const { counted: again } = await profileOf(shuffled, input);
    expect(profileText(again)).toBe(profileText(counted));
  }, 600_000);
});

describe("what advice shows", () => {
  const count = 4000;
  const items = itemsOf(count, 5);
  const input = inputOf(count, 0);
  let plain: Profile;
  let counted: Profile;

  beforeAll(async () => {
    ({ plain, counted } = await profileOf(items, input));
  });

  test("names the basis of every candidate, in text, JSON and HTML", () => {
    for (const [profile, label] of [
      [counted, "counted on 4,000 items"],
      [{ ...plain, keys: [] }, "from a sample of 2,000"],
    ] as const) {
      const advice = runLab({ ...input, profile, onlyNamed: true });
      const said = adviceText(advice, { width: undefined, top: 100 }).replace(/\s+/g, " ");
      const page = adviceHtml(advice, { limits: SERVICE_LIMITS });
      expect(said.split(label).length - 1).toBe(CANDIDATES.length);
      expect(page.split(label).length - 1).toBe(CANDIDATES.length);
      const { candidates } = adviceJson(advice) as unknown as {
        candidates: { figures: { keys: { measured: { label: string } } } }[];
      };
      for (const { figures } of candidates) expect(figures.keys.measured.label).toBe(label);
    }
  });

  test("is the same to the digit for keys that form the same groups", () => {
    const { candidates } = runLab({ ...input, profile: counted, onlyNamed: true });
    const keysOf = (id: string) => {
      const { keys, measured } = candidates.find(({ simulation }) => {
        return simulation.candidate.id === id;
      })!.simulation;
      const { label: _, ...largest } = keys.largest;
      return {
        ...keys,
        largest,
        measured: { ...measured, largest: measured!.largest.share },
      };
    };
    expect(keysOf("[/fleet, /device]")).toEqual(keysOf("/device"));
  });

  test("has as many keys as the data where no items come", () => {
    for (const { simulation } of runLab({ ...input, profile: counted, onlyNamed: true })
      .candidates) {
      const { candidate, keys } = simulation;
      if (keys.period !== undefined) continue;
      const truth = truthOf(items, candidate.levels).distinct;
      expect(Math.abs(keys.count.value / truth - 1), candidate.id).toBeLessThan(0.01);
    }
  });

  test("extrapolates what grows, and what does not grow only as far as it was not met", () => {
    const [now, later] = [items.length, 400_000];
    const growing = inputOf(now, (later - now) / 91.3125);
    const facts = factsOf({ workload: growing.workload, profile: counted });
    const countOf = (path: string): number => facts.populationOf([path]).distinct.value;
    const modelOf = (path: string) => facts.properties.get(path)!.growth!.model;
    const devices = truthOf(items, levelsOf("/device")).distinct;
    expect(modelOf("/device")).toBe("fixed");
    expect(countOf("/device")).toBeLessThan(1.2 * (now / 20));
    expect(countOf("/device")).toBeGreaterThanOrEqual(devices);
    // Five codes for each item there was: nearly all came once, and still they are a fixed set.
    expect(modelOf("/code")).toBe("fixed");
    expect(countOf("/code") / (now * 5)).toBeGreaterThan(0.7);
    expect(countOf("/code") / (now * 5)).toBeLessThan(1.4);
    expect(modelOf("/session")).toBe("items");
    expect(countOf("/session") / (later / 5)).toBeGreaterThan(0.8);
    expect(countOf("/session") / (later / 5)).toBeLessThan(1.25);
    expect(modelOf("/user")).toBe("items");
    expect(modelOf("/id")).toBe("unique");
    expect(countOf("/id") / later).toBeCloseTo(1, 2);
  });

  test("grows as the workload says, whatever the data shows", () => {
    const growing = inputOf(items.length, 4000);
    const withModel = (kind: "fixed" | "withItems") => {
      const properties = new Map(growing.workload.properties);
      properties.set("/session", { ...SHAPE, path: "/session", grows: { kind } });
      const workload = { ...growing.workload, properties };
      return factsOf({ workload, profile: counted }).populationOf(["/session"]).distinct.value;
    };
    const met = truthOf(items, levelsOf("/session")).distinct;
    expect(withModel("fixed")).toBe(met);
    expect(withModel("withItems")).toBeGreaterThan(50 * met);
  });
});

const SHAPE = {
  distinct: undefined,
  isUnique: false,
  items: { kind: "uniform" },
  requests: undefined,
  within: undefined,
  distinctWithin: undefined,
  time: undefined,
  changes: false,
  missingShare: 0,
} as const;

function levelsOf(text: string): KeyLevels {
  const parsed = parseKeyLevels(text);
  if (!parsed.ok) throw new Error(text);
  return parsed.value;
}
