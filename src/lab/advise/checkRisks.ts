/**
 * What the guides' validator does not ask of a key and time will: whether items without a value
 * share one, whether updates change it, whether all that is written now has the same, how large its
 * largest gets and when, and how much its hottest is asked for.
 */
import { DAY_MS } from "../../base/units.ts";
import { bytesText } from "../../base/wording.ts";
import { pathsOf, pathText } from "../../keys/paths.ts";
import type { Limits } from "../../model/limits.ts";
import type { Candidate } from "../candidate/candidate.ts";
import { keyShapeOf } from "../candidate/keyShape.ts";
import { noValuesIn } from "../candidate/noValue.ts";
import type { DataFacts } from "../data/facts.ts";
import { missingShareOf } from "../simulate/missingShare.ts";
import type { Simulation } from "../simulate/simulation.ts";
import { percentText, rateText } from "../wording/plain.ts";
import type { Workload } from "../workload/workload.ts";
import type { CheckFinding } from "./check.ts";
import { hottestAllotment } from "./ground.ts";
import { ALARM_SHARE, KEY_RATE_AGAINST, MISSING_NOTABLE, PERIOD_WRITES_MIN } from "./thresholds.ts";

interface RiskInput {
  readonly workload: Workload | undefined;
  readonly facts: DataFacts;
  readonly simulation: Simulation | undefined;
  readonly candidate: Candidate;
  readonly limits: Limits;
  /** When day 0 of the simulation is. */
  readonly startMillis: number;
}

export function riskFindings(input: RiskInput): readonly CheckFinding[] {
  return [
    noValue(input),
    immutability(input),
    currentWrites(input),
    largestKey(input),
    hottestKey(input),
  ];
}

/** Null, missing, or what looks filled in: the largest share that one key has because of it. */
function noValue(input: RiskInput): CheckFinding {
  const common = { check: "no-value", threshold: MISSING_NOTABLE, isAtMost: true } as const;
  const found = concentrationOf(input);
  if (found === undefined) {
    return { ...common, outcome: "passed", score: 0, sentence: "No key is one of no value." };
  }
  const { share, what, path } = found;
  const says = `${percentText(share)} of the data has ${what} for ${path} and so one key`;
  const isWarning = share > MISSING_NOTABLE;
  const than = `${isWarning ? "more" : "no more"} than ${percentText(MISSING_NOTABLE)}`;
  const cure = isWarning
    ? ` coalesce(${path}, concat('none-', /id)) would give each of them its own.`
    : "";
  return {
    ...common,
    outcome: isWarning ? "warning" : "passed",
    score: share,
    sentence: `${says}, ${than}.${what.startsWith('"') ? "" : cure}`,
  };
}

interface Concentration {
  readonly share: number;
  readonly what: string;
  readonly path: string;
}

function concentrationOf(input: RiskInput): Concentration | undefined {
  const { candidate, facts, simulation, startMillis } = input;
  const shape = keyShapeOf(candidate, facts);
  const paths = shape.staticPaths.filter((path) => !shape.hashCounts.has(path));
  const values = paths
    .flatMap((path) => noValuesIn(facts.populationOf([path])).map((each) => ({ ...each, path })))
    .toSorted((a, b) => b.itemShare - a.itemShare);
  const absent = values.find(({ kind }) => kind !== "default");
  const isOneLevel = candidate.levels.length === 1;
  const alone = isOneLevel
    ? missingShareOf(shape, facts.populationOf(shape.staticPaths), startMillis)
    : 0;
  const share = simulation === undefined ? alone : (simulation.missingKey?.share ?? 0);
  // Beside other parts of a key a default is divided by them.
  const isPath = isOneLevel && candidate.levels[0]?.kind === "path";
  const filled = isPath ? values.find(({ kind }) => kind === "default") : undefined;
  if (filled !== undefined && filled.itemShare > share) {
    return { share: filled.itemShare, what: `"${String(filled.value)}"`, path: filled.path };
  }
  if (absent === undefined || share === 0) return undefined;
  const what = absent.kind === "null" ? "null" : "no value";
  return { share, what, path: absent.path };
}

/** Declared in the workload, or seen in versions of items. */
function immutability({ candidate, facts, workload, simulation }: RiskInput): CheckFinding {
  const common = { check: "immutability", threshold: 0, isAtMost: true } as const;
  const paths = [...new Set(candidate.levels.flatMap((level) => pathsOf(level).map(pathText)))];
  const declared = paths.filter(
    (path) =>
      workload?.properties.get(path)?.changes === true ||
      workload?.operations.some(({ changes }) => changes.includes(path)) === true,
  );
  const seen = paths.filter((path) => (facts.properties.get(path)?.changingShare ?? 0) > 0);
  const changing = [...new Set([...declared, ...seen])];
  const isStated = candidate.stated?.isMutable === true;
  if (changing.length === 0 && !isStated) {
    const isKnown = paths.every(
      (path) => path === "/id" || facts.properties.get(path)?.changingShare !== undefined,
    );
    return {
      ...common,
      outcome: isKnown ? "passed" : "unknown",
      score: isKnown ? 0 : undefined,
      sentence: isKnown
        ? "No update changes it."
        : "Nobody has said whether updates change it; `changes: true` under a property would.",
    };
  }
  const score = Math.max(simulation?.changingShare ?? 0, declared.length > 0 || isStated ? 1 : 0);
  const by = declared.length > 0 || isStated ? "is declared to change" : "was seen to change";
  return {
    ...common,
    outcome: "warning",
    score: score > 0 ? score : (facts.properties.get(changing[0]!)?.changingShare ?? 1),
    sentence:
      `${changing.length > 0 ? changing.join(", ") : "The key"} ${by}, and the key of an item ` +
      "cannot: each such update has to delete the item and create it again.",
  };
}

/** A period, or a time as it is, gets everything that is written now. */
function currentWrites({ candidate, facts, simulation }: RiskInput): CheckFinding {
  const common = { check: "current-writes", threshold: PERIOD_WRITES_MIN, isAtMost: true } as const;
  const { times, staticPaths, spreadCount } = keyShapeOf(candidate, facts);
  if (times.size === 0) {
    return { ...common, outcome: "passed", score: 0, sentence: "No time is in the key." };
  }
  const isAlone = staticPaths.length === 0 && spreadCount === 1;
  const score = simulation?.load.hottestKey.writeShare ?? (isAlone ? 1 : undefined);
  if (score === undefined) {
    return {
      ...common,
      outcome: "unknown",
      score,
      sentence: "How much of what is written now has one key, a workload would say.",
    };
  }
  const says = `${percentText(score)} of what is written at one time has one key`;
  return score > PERIOD_WRITES_MIN
    ? {
        ...common,
        outcome: "warning",
        score,
        sentence: `${says}: all current writes go to one physical partition.`,
      }
    : { ...common, outcome: "passed", score, sentence: `${says}.` };
}

/** In shares of the limit of a logical partition, with the days on which it passes what. */
function largestKey({ simulation, limits, startMillis }: RiskInput): CheckFinding {
  const common = { check: "growth", threshold: ALARM_SHARE, isAtMost: true } as const;
  if (simulation === undefined) return unknown(common, "How large its keys get");
  const { label, bytesAtEnd, passes15GbOnDay, passes20GbOnDay } = simulation.keys.largest;
  const max = limits.logicalPartitionBytesMax;
  const score = bytesAtEnd.value / max;
  const steps: readonly (readonly [number | undefined, number])[] = [
    [passes15GbOnDay, ALARM_SHARE * max],
    [passes20GbOnDay, max],
  ];
  const passed = steps.flatMap(([day, bytes]) =>
    day === undefined ? [] : [`${bytesText(bytes)} on ${dateText(startMillis, day)}`],
  );
  const when = passed.length === 0 ? "" : `; it passes ${passed.join(" and ")}`;
  const says =
    `The largest, ${label}, ends at ${bytesText(bytesAtEnd.value)} of the ${bytesText(max)} that ` +
    `a logical partition holds${when}.`;
  const isWarning = score > ALARM_SHARE || passed.length > 0;
  return { ...common, outcome: isWarning ? "warning" : "passed", score, sentence: says };
}

/** In shares of what one physical partition serves at most. */
function hottestKey({ simulation, limits }: RiskInput): CheckFinding {
  const common = { check: "hottest-key", threshold: KEY_RATE_AGAINST, isAtMost: true } as const;
  if (simulation === undefined) return unknown(common, "How much its hottest key is asked for");
  const { hottestKey: key, reference } = simulation.load;
  const score = key.rate.value / limits.partitionRateMax;
  const allotment = hottestAllotment(simulation);
  const isBeyond = reference === undefined && key.rate.value > allotment;
  const declared = isBeyond ? ` Its physical partition is allotted ${rateText(allotment)}.` : "";
  const sentence =
    `The hottest, ${key.label}, gets ${rateText(key.rate.value)} at the peak; a physical ` +
    `partition serves ${rateText(limits.partitionRateMax)} at most.${declared}`;
  const outcome = score > KEY_RATE_AGAINST || isBeyond ? "warning" : "passed";
  return { ...common, outcome, score, sentence };
}

function unknown(
  common: Pick<CheckFinding, "check" | "threshold" | "isAtMost">,
  what: string,
): CheckFinding {
  const sentence = `${what}, a workload would say.`;
  return { ...common, outcome: "unknown", score: undefined, sentence };
}

/** "2027-03-02", beside its number from the beginning. */
function dateText(startMillis: number, day: number): string {
  const date = new Date(startMillis + Math.ceil(day) * DAY_MS).toISOString().slice(0, 10);
  return `${date} (day ${Math.ceil(day)})`;
}
