/**
 * Every claim of a report is true of its own numbers, over worked cases and made-up ones. Two of
 * those here, a busy one and a quiet one; sixteen with ORRERY_SCENARIOS=full.
 */
import { describe, expect, test } from "vitest";
import { type Random, seededRandom } from "../../base/world.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Advice } from "../advise/advice.ts";
import { type LabInput, runLab } from "../lab.ts";
import type { Profile } from "../profile/profile.ts";
import { Profiler } from "../profile/profiler.ts";
import { scenarioWorkload } from "../scenario/scenario.ts";
import { scenarios } from "../scenario/scenarios.ts";
import type { Workload } from "../workload/workload.ts";
import { readWorkload } from "../workload/workloadText.ts";
import { brokenClaims } from "./reportClaims.fake.ts";

/** These simulate many keys over months; how long that takes is the machine's affair. */
const PATIENCE_MS = 300_000;

function adviceOn(workload: Workload, options: Partial<LabInput> = {}): Advice {
  return runLab({
    workload,
    profile: undefined,
    candidates: [],
    onlyNamed: false,
    current: undefined,
    limits: SERVICE_LIMITS,
    startMillis: Date.UTC(2026, 0, 1),
    seed: 1,
    whatIfs: false,
    ...options,
  });
}

describe("worked cases", () => {
  const cases = scenarios.flatMap((scenario) => [
    { name: scenario.name, workload: scenarioWorkload(scenario) },
    ...scenario.variants.map((variant) => ({
      name: `${scenario.name}, ${variant.name}`,
      workload: scenarioWorkload(scenario, variant),
    })),
  ]);
  test.each(cases)(
    "$name",
    ({ workload }) => {
      expect(brokenClaims(adviceOn(workload, { onlyNamed: true }))).toEqual([]);
    },
    PATIENCE_MS,
  );

  test.each(["tenants"])(
    "%s, with what the lab finds and what would change it",
    (name) => {
      const scenario = scenarios.find((each) => each.name === name)!;
      const advice = adviceOn(scenarioWorkload(scenario), { whatIfs: true });
      expect(brokenClaims(advice)).toEqual([]);
    },
    PATIENCE_MS,
  );
});

/** Shops, fleets and the like, of any size, with and without a rate and a key of somebody's own. */
function madeUp(random: Random): Workload {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random.next() * values.length)]!;
  const rate = pick([0.5, 20, 300, 2500]);
  const reads = rate * pick([0.2, 1, 4]);
  const throughput = pick(["", "", "throughput: 400", "throughput: 4000", "throughput: 40000"]);
  const retention = pick(["", ", retentionDays: 30", ", retentionDays: 200"]);
  const keys = [
    "/accountId",
    "/region",
    "[/region, /accountId]",
    "concat(/accountId, '-', month(/at))",
    "/status",
    "/id",
  ];
  const text = `
name: made-up
horizonMonths: 6
item: {bytes: ${pick([300, 1024, 6000])}}
properties:
  /accountId:
    distinct: ${pick([40, 900, 70000])}
    items: ${pick(["uniform", "zipf 0.8", "zipf 1.2"])}
    missingShare: ${pick([0, 0.02, 0.3])}
  /region: {distinct: ${pick([3, 12])}, items: zipf 1}
  /status: {distinct: 5, changes: ${pick(["true", "false"])}}
  /at: {time: second}
growth: {itemsPerDay: ${Math.round(rate * 86_400)}, peakFactor: ${pick([1, 2, 5])}${retention}}
${throughput}
operations:
  - {id: write, kind: ${pick(["create", "upsert"])}, rate: ${rate}}
  - id: by-account
    kind: query
    rate: ${reads}
    sql: SELECT TOP 20 * FROM c WHERE c.accountId = @a ORDER BY c.at DESC
    resultItems: 20
  - id: by-region
    kind: query
    rate: ${reads / pick([3, 30])}
    sql: SELECT * FROM c WHERE c.region = @r AND c.at > @since
    params: {"@since": now - 1 hour}
    resultItems: 40
  - {id: open, kind: pointRead, rate: ${reads}}
candidates:
  - {id: mine, key: "${pick(keys)}"}
`;
  const read = readWorkload(text, "yaml", "made-up");
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
}

/** Most of these simulate hundreds of items a second over half a year, for a minute each. */
const ALL_SEEDS = Array.from({ length: 16 }, (_, at) => at + 1);
const SEEDS = process.env["ORRERY_SCENARIOS"] === "full" ? ALL_SEEDS : [3, 8];
/** Those of which it is asked what would change the verdict. */
const WHAT_IF_SEEDS = [4, 8];

describe("made-up cases", () => {
  test.each(SEEDS)(
    "seed %i",
    (seed) => {
      const advice = adviceOn(madeUp(seededRandom(seed)), {
        whatIfs: WHAT_IF_SEEDS.includes(seed),
      });
      expect(brokenClaims(advice)).toEqual([]);
    },
    PATIENCE_MS,
  );
});

/** Items of accounts, some of which have none, one of which has many. */
function profileOf(random: Random, count: number): Profile {
  const profiler = new Profiler({ source: "items" });
  for (let at = 0; at < count; at++) {
    const account = Math.floor(random.next() ** 3 * 400);
    const item = {
      id: `item-${at}`,
      ...(random.next() < 0.15 ? {} : { accountId: random.next() < 0.1 ? null : `a${account}` }),
      region: `r${Math.floor(random.next() ** 2 * 9)}`,
      status: "NEW",
      at: new Date(Date.UTC(2025, 10, 1) + at * 60_000).toISOString(),
    };
    profiler.add(item, Buffer.byteLength(JSON.stringify(item)));
  }
  return profiler.result("all");
}

describe("made-up items", () => {
  test.each([21])(
    "seed %i",
    (seed) => {
      const random = seededRandom(seed);
      const workload = madeUp(random);
      const advice = adviceOn(workload, { profile: profileOf(random, 4000) });
      expect(brokenClaims(advice, true)).toEqual([]);
    },
    PATIENCE_MS,
  );
});
