/**
 * Which containers each approach has, and what each of them has to hold and to answer. The work of
 * moving items is in it as operations of its own, so that it is priced and provisioned like all
 * others.
 */
import { DAY_SECONDS, DAYS_PER_YEAR } from "../../base/units.ts";
import type { Operation, Workload } from "../workload/workload.ts";
import { type AgedItems, type Ages, daysOf, type Slice, slicedWorkload } from "./ages.ts";
import type { ApproachId } from "./approach.ts";

export interface AgeingSettings {
  /** From this age on items belong to the warm container. */
  readonly hotDays: number;
  /** Time to live of the hot container: items go then, moved or not. */
  readonly ttlDays: number;
  /** Between two runs of the mover, and between two steps of one that never rests. */
  readonly intervalDays: number;
  readonly stepDays: number;
  /** How long a moved item stays in the hot container. */
  readonly graceDays: number;
  /** Items that the mover takes at a time. */
  readonly batch: number;
}

export const DEFAULT_SETTINGS: AgeingSettings = {
  hotDays: 30,
  ttlDays: 45,
  intervalDays: 1,
  stepDays: 15 / (24 * 60),
  graceDays: 1,
  batch: 100,
};

export interface PlannedContainer {
  readonly name: string;
  /** Ages of what it holds, at the mean. */
  readonly ages: Ages;
  readonly itemCount: number;
  /** Share of the time in which there is such a container at all. */
  readonly presence: number;
  readonly workload: Workload;
  /** By operation of the user: the share of the operations that come here. */
  readonly chances: ReadonlyMap<string, number>;
}

/** What the operations of the mover are called. */
export const MOVING: {
  readonly find: string;
  readonly mark: string;
  readonly copy: string;
} = { find: "move: find", mark: "move: mark", copy: "move: copy" };

interface PlanInput {
  readonly workload: Workload;
  readonly items: AgedItems;
  /** The property that has the age, such as "/publishedDate". */
  readonly agePath: string;
  readonly settings: AgeingSettings;
  readonly spanDaysOf: (operation: Operation) => number | undefined;
  /** Days since the year began; undefined: it began at any time, and all is a mean of that. */
  readonly dayOfYear?: number | undefined;
}

export function containersOf(id: ApproachId, input: PlanInput): readonly PlannedContainer[] {
  switch (id) {
    case "hotWarm":
      return hotAndWarm(input, input.settings.intervalDays);
    case "nearRealTime":
      return hotAndWarm(input, input.settings.stepDays);
    case "single":
      return [planned("all", input, [{ fromDays: 0, toDays: input.items.keptDays }])];
    case "perYear":
      return years(input);
  }
}

function planned(
  name: string,
  { workload, items, spanDaysOf }: PlanInput,
  slice: Slice,
): PlannedContainer {
  return { name, ...slicedWorkload(workload, items, slice, spanDaysOf) };
}

/**
 * The router asks each container for its ages only. The hot one holds items a little longer: until
 * they are moved, and for a while after that.
 */
function hotAndWarm(input: PlanInput, everyDays: number): readonly PlannedContainer[] {
  const { items, settings, agePath } = input;
  const hotDays = Math.min(settings.hotDays, items.keptDays);
  const hot = planned("hot", input, [{ fromDays: 0, toDays: hotDays }]);
  const warm = planned("warm", input, [{ fromDays: hotDays, toDays: items.keptDays }]);
  const longer = everyDays / 2 + settings.graceDays;
  const heldDays = Math.min(hotDays + longer, settings.ttlDays, items.keptDays);
  const heldCount = items.between({ fromDays: 0, toDays: heldDays });
  const isMoving = hotDays < items.keptDays;
  const moves = isMoving ? items.itemsPerDay / DAY_SECONDS : 0;
  const held: PlannedContainer = {
    ...hot,
    ages: { fromDays: 0, toDays: heldDays },
    itemCount: heldCount,
    workload: {
      ...hot.workload,
      growth: { ...hot.workload.growth, initialItems: heldCount, retentionDays: heldDays },
      operations: [
        ...hot.workload.operations,
        ...(isMoving ? [findOf(input, everyDays), markOf(hotDays, moves)] : []),
      ],
    },
  };
  if (!isMoving) return [held];
  const copy: Operation = { ...STEADY, id: MOVING.copy, kind: "create", ratePerSecond: moves };
  const taking = { ...warm.workload, operations: [...warm.workload.operations, copy] };
  return [held, { ...warm, workload: taking }];

  function markOf(ageDays: number, ratePerSecond: number): Operation {
    return { ...STEADY, id: MOVING.mark, kind: "patch", ratePerSecond, ageDays, changes: MARKS };
  }

  function findOf({ settings: { batch } }: PlanInput, days: number): Operation {
    const perStep = items.itemsPerDay * days;
    const looks = looksPerSecond(items.itemsPerDay, days, batch);
    const property = propertyText(agePath);
    return {
      ...STEADY,
      id: MOVING.find,
      kind: "query",
      ratePerSecond: looks,
      sql:
        `SELECT TOP ${batch} * FROM c WHERE ${property} >= @from AND ${property} < @until ` +
        `ORDER BY ${property}`,
      parameters: new Map([
        ["@from", agoOf(hotDays + days)],
        ["@until", agoOf(hotDays)],
      ]),
      resultItems: Math.min(batch, perStep),
      pageSize: batch,
    };
  }
}

/** A look for each step, and for each batch of a step if more have come of age than are one. */
export function looksPerSecond(itemsPerDay: number, everyDays: number, batch: number): number {
  return Math.max(1, Math.ceil((itemsPerDay * everyDays) / batch)) / (everyDays * DAY_SECONDS);
}

/** How a query names a property: `c["a"]["b"]`. */
export function propertyText(path: string): string {
  const steps = path.split("/").slice(1);
  return `c${steps.map((step) => `[${JSON.stringify(step)}]`).join("")}`;
}

const MARKS: readonly string[] = ["/migrated", "/ttl"];

function agoOf(
  agoDays: number,
): Operation["parameters"] extends ReadonlyMap<string, infer T> ? T : never {
  return { like: undefined, distribution: undefined, agoDays, values: undefined };
}

/** The mover keeps to its share of the rate, so its work is the same at every hour. */
const STEADY: Omit<Operation, "id" | "kind" | "ratePerSecond"> = {
  peakFactor: 1,
  hours: Array.from({ length: 24 }, () => 1),
  sql: undefined,
  parameters: new Map(),
  knows: undefined,
  resultItems: undefined,
  pageSize: 100,
  ru: undefined,
  changes: [],
  transactionScope: undefined,
  ageDays: undefined,
};

/** A year begins at any time of the round. */
const ROUND = 24;

function years(input: PlanInput): readonly PlannedContainer[] {
  const { keptDays } = input.items;
  const round = Array.from({ length: ROUND }, (_, at) => ((at + 0.5) / ROUND) * DAYS_PER_YEAR);
  const starts = input.dayOfYear === undefined ? round : [input.dayOfYear];
  const containers: PlannedContainer[] = [];
  for (let back = 0; ; back++) {
    const slice = starts.map((start): Ages => {
      const fromDays = back === 0 ? 0 : start + (back - 1) * DAYS_PER_YEAR;
      const toDays = Math.min(keptDays, start + back * DAYS_PER_YEAR);
      return { fromDays: Math.min(fromDays, toDays), toDays };
    });
    const there = slice.filter((ages) => daysOf(ages) > 0);
    if (there.length === 0) return containers;
    containers.push(planned(back === 0 ? "this year" : yearsAgo(back), input, slice));
  }
}

function yearsAgo(back: number): string {
  return back === 1 ? "last year" : `${back} years ago`;
}
