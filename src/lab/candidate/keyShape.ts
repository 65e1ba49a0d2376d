/**
 * What a candidate's expressions are made of, as far as it matters for where keys come from: which
 * paths, which of them only through a hash, which time, and what is drawn by chance.
 */
import { DAY_SECONDS, DAYS_PER_MONTH, DAYS_PER_YEAR } from "../../base/units.ts";
import type { CoalescePart, KeyExpression, TimeGrain } from "../../keys/expression.ts";
import { pathsOf, pathText } from "../../keys/paths.ts";
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import type { DataFacts, TimeResolution } from "../data/facts.ts";
import type { Candidate } from "./candidate.ts";

export interface KeyShape {
  readonly candidate: Candidate;
  readonly definition: PartitionKeyDefinition;
  /** Paths whose values the key depends on; no times. */
  readonly staticPaths: readonly string[];
  /** Those of them that are in the key only as one of so many numbers. */
  readonly hashCounts: ReadonlyMap<string, number>;
  /** Paths of times, each with the finest grain in which it is in the key. */
  readonly times: ReadonlyMap<string, KeyTime>;
  /** What is drawn for each item: so many keys where there would be one. */
  readonly spreadCount: number;
  /** Whether what a key is made of depends on a value, or on whether there is one. */
  readonly hasChoice: boolean;
  /** All paths that say when an item is written, of the key or not. */
  readonly writeTimes: ReadonlySet<string>;
}

interface KeyTime {
  readonly grain: TimeResolution;
  /** As precise as items have it. */
  readonly resolution: TimeResolution;
  /** The value itself is in the key, not only its period. */
  readonly isRaw: boolean;
}

/** From coarse to fine. */
const GRAIN_ORDER: readonly TimeResolution[] = [
  "year",
  "quarter",
  "month",
  "week",
  "day",
  "hour",
  "minute",
  "second",
];

/** Hashes of such times are as good as drawn by chance: no two writes have the same for long. */
const FLEETING: ReadonlySet<TimeResolution> = new Set(["second", "minute"]);

export function keyShapeOf(candidate: Candidate, facts: DataFacts): KeyShape {
  const plain = new Set<string>();
  const hashed = new Map<string, number>();
  const times = new Map<string, KeyTime>();
  let spreadCount = 1;
  let hasChoice = false;

  const addTime = (path: string, grain: TimeResolution, isOwn: boolean): void => {
    const known = times.get(path)?.grain;
    const isFiner = known === undefined || GRAIN_ORDER.indexOf(grain) > GRAIN_ORDER.indexOf(known);
    const resolution = facts.properties.get(path)?.time ?? "second";
    const isRaw = isOwn || times.get(path)?.isRaw === true;
    if (isFiner || isRaw) times.set(path, { grain: isFiner ? grain : known, resolution, isRaw });
  };
  const addPath = (path: string, hashCount: number | undefined): void => {
    const time = facts.properties.get(path)?.time;
    const isSteady = time !== undefined && !FLEETING.has(time);
    if (time !== undefined && (hashCount === undefined || isSteady)) addTime(path, time, true);
    else if (hashCount === undefined) plain.add(path);
    else hashed.set(path, Math.max(hashCount, hashed.get(path) ?? 0));
  };
  const visit = (part: KeyExpression, hashCount: number | undefined): void => {
    switch (part.kind) {
      case "path":
        addPath(pathText(part), hashCount);
        return;
      case "period":
        // The hash of a period is another one with each of them, too.
        addTime(pathText(part.of), part.grain, false);
        return;
      case "concat":
        for (const each of part.parts) visit(each, hashCount);
        return;
      case "hash":
        visit(part.of, hashCount ?? part.count);
        return;
      case "random":
      case "turn":
        spreadCount *= part.count;
        return;
      case "suffix":
        visit(part.base, hashCount);
        if (typeof part.by === "object") visit(part.by.hashOf, hashCount ?? part.count);
        else spreadCount *= part.count;
        return;
      case "choose":
        hasChoice = true;
        addPath(pathText(part.of), hashCount);
        visit(part.chosen, hashCount);
        visit(part.otherwise, hashCount);
        return;
      case "coalesce":
        hasChoice = true;
        for (const each of part.parts) visit(each, hashCount);
        return;
      case "lower":
        visit(part.of, hashCount);
        return;
      case "text":
        return;
    }
  };
  for (const level of candidate.levels) visit(level, undefined);
  for (const path of plain) hashed.delete(path);
  return {
    candidate,
    definition: definitionOf(candidate),
    staticPaths: [...plain, ...hashed.keys()],
    hashCounts: hashed,
    times,
    spreadCount,
    hasChoice,
    writeTimes: new Set([...times.keys(), ...timesIn(facts)]),
  };
}

/** Among them the server's own, which no profile has. */
function timesIn({ properties }: DataFacts): readonly string[] {
  const declared = [...properties.values()].filter(({ time }) => time !== undefined);
  return ["/_ts", ...declared.map(({ path }) => path)];
}

/** What a container would declare: the paths themselves, or properties that hold what is made. */
function definitionOf({ levels }: Candidate): PartitionKeyDefinition {
  const paths = levels.map((level, at) => {
    if (level.kind === "path") return pathText(level);
    return levels.length === 1 ? "/partitionKey" : `/partitionKey${at + 1}`;
  });
  return { paths, kind: levels.length > 1 ? "MultiHash" : "Hash", version: 2 };
}

/** The grain of the key for items whose chosen-by values are these; undefined without a time. */
export function grainOf(
  shape: KeyShape,
  valueAt: (path: string) => unknown,
): TimeResolution | undefined {
  if (!shape.hasChoice) return finest([...shape.times.values()].map(({ grain }) => grain));
  const grains: TimeResolution[] = [];
  const visit = (part: KeyExpression): void => {
    switch (part.kind) {
      case "path": {
        const time = shape.times.get(pathText(part));
        if (time !== undefined) grains.push(time.grain);
        return;
      }
      case "period":
        grains.push(part.grain satisfies TimeGrain);
        return;
      case "concat":
        for (const each of part.parts) visit(each);
        return;
      case "suffix":
        visit(part.base);
        return;
      case "choose": {
        const isChosen = part.values.includes(String(valueAt(pathText(part.of))));
        visit(isChosen ? part.chosen : part.otherwise);
        return;
      }
      case "coalesce":
        visit(takenPart(part, (path) => shape.times.has(path) || hasValue(valueAt(path))));
        return;
      case "lower":
        visit(part.of);
        return;
      default:
        return;
    }
  };
  for (const level of shape.candidate.levels) visit(level);
  return finest(grains);
}

function hasValue(value: unknown): boolean {
  return value !== null && value !== undefined;
}

/** The part of a `coalesce` that an item with values at these paths has its key from. */
export function takenPart(
  { parts }: CoalescePart,
  isThere: (path: string) => boolean,
): KeyExpression {
  const taken = parts.find((part) => pathsOf(part).every((path) => isThere(pathText(path))));
  return taken ?? parts.at(-1)!;
}

export function finest(grains: readonly TimeResolution[]): TimeResolution | undefined {
  return grains.reduce<TimeResolution | undefined>((found, grain) => {
    if (found === undefined) return grain;
    return GRAIN_ORDER.indexOf(grain) > GRAIN_ORDER.indexOf(found) ? grain : found;
  }, undefined);
}

/** Days, on average. */
export function grainDays(grain: TimeResolution): number {
  return GRAIN_DAYS[grain];
}

const GRAIN_DAYS: Readonly<Record<TimeResolution, number>> = {
  year: DAYS_PER_YEAR,
  quarter: DAYS_PER_YEAR / 4,
  month: DAYS_PER_MONTH,
  week: 7,
  day: 1,
  hour: 1 / 24,
  minute: 1 / 1440,
  second: 1 / DAY_SECONDS,
};
