/**
 * The operations of a workload as the simulator needs them: who is asked, what it finds, and what
 * that costs. Nothing here depends on a candidate.
 */
import { DAY_SECONDS } from "../../base/units.ts";
import { DEFAULT_INDEXING_POLICY, type IndexingPolicy } from "../../index/policy.ts";
import type { JsonValue } from "../../json/value.ts";
import type { DataFacts, Population } from "../data/facts.ts";
import { askedByValue } from "../data/requestView.ts";
import {
  changedLeavesOf,
  createRu,
  deleteRu,
  leafCountOf,
  patchRu,
  pointReadRu,
  replaceRu,
  upsertRu,
} from "../price/itemPrice.ts";
import type { PriceSetting, QueryPrice } from "../price/price.ts";
import { filterPriceOf, queryPriceOf } from "../price/queryPrice.ts";
import { type Access, accessOf } from "../workload/access.ts";
import { itemsOnDay, itemsWritten, oldestDay } from "../workload/totalItems.ts";
import type { Operation, Workload } from "../workload/workload.ts";
import { hourFactors, peakWithinHour } from "./hours.ts";

export interface OperationModel {
  readonly operation: Operation;
  readonly access: Access;
  readonly isWrite: boolean;
  /** Of a point operation. */
  readonly pointRu: number;
  readonly price: QueryPrice | undefined;
  /** To look for an item in one partition by its id, when its key is not known. */
  readonly lookupRu: number;
  /** 24 factors of the mean rate. */
  readonly hours: readonly number[];
  /** Of the busiest seconds over the mean of their hour. */
  readonly innerPeak: number;
  /** Mean share of all items that one value of the filter has, ranges of time not counted. */
  readonly selectivity: number;
  /** Over how many days it asks, if it asks for a range of time. */
  readonly spanDays: number | undefined;
  /** How old what it asks for is at most; undefined: as old as anything. */
  readonly ageDays: number | undefined;
  /** What could not be worked out, for the report. */
  readonly remarks: readonly string[];
}

export function operationModels(workload: Workload, facts: DataFacts): readonly OperationModel[] {
  const policy = workload.indexing ?? DEFAULT_INDEXING_POLICY;
  const setting: PriceSetting = {
    itemBytes: facts.itemBytes,
    leafCount: facts.leafCount * indexedShare(facts, policy),
    example: facts.example,
    consistency: workload.consistency,
    policy,
  };
  return workload.operations.map((operation) => modelOf(operation, workload, facts, setting));
}

/** Of the leaves of an item, those that its policy indexes; without an example all of them. */
function indexedShare({ example }: DataFacts, policy: IndexingPolicy): number {
  const all = example === undefined ? 0 : leafCountOf(example, DEFAULT_INDEXING_POLICY);
  return all === 0 ? 1 : leafCountOf(example!, policy) / all;
}

function modelOf(
  operation: Operation,
  workload: Workload,
  facts: DataFacts,
  setting: PriceSetting,
): OperationModel {
  const access = accessOf(operation);
  const peak = operation.peakFactor ?? workload.growth.peakFactor;
  const hours = hourFactors(peak, operation.hours ?? workload.growth.hours);
  const isQuery = operation.kind === "query";
  const priced = isQuery ? priceOfQuery(operation, access, setting) : undefined;
  const span = spanOf(operation, access, facts);
  return {
    operation,
    access,
    isWrite: operation.kind !== "pointRead" && !isQuery,
    pointRu: isQuery ? 0 : (operation.ru ?? pointRuOf(operation, workload, setting)),
    price: priced?.price,
    lookupRu: filterPriceOf(["/id"], setting).visitRu,
    hours,
    innerPeak: peakWithinHour(peak, hours),
    selectivity: isQuery ? selectivityOf(access, facts) : 0,
    spanDays: span?.days,
    ageDays: operation.ageDays ?? span?.days,
    remarks: [priced?.remark, span?.remark].filter((remark) => remark !== undefined),
  };
}

/** Of ranges of time that do not say how long they are: up to now, and between two times. */
const OPEN_SPAN_DAYS = 7;
const CLOSED_SPAN_DAYS = 1;

function spanOf(
  { id }: Operation,
  { ranges }: Access,
  facts: DataFacts,
): { readonly days: number; readonly remark: string | undefined } | undefined {
  const ofTime = ranges.filter(
    ({ path, spanDays }) => spanDays !== undefined || facts.properties.get(path)?.time,
  );
  const range = ofTime.find(({ spanDays }) => spanDays !== undefined) ?? ofTime[0];
  if (range === undefined) return undefined;
  if (range.spanDays !== undefined) return { days: range.spanDays, remark: undefined };
  const days = range.isOpenEnded ? OPEN_SPAN_DAYS : CLOSED_SPAN_DAYS;
  const assumed = days === 1 ? "one day" : `${days} days`;
  return {
    days,
    remark:
      `'${id}' asks for a range of ${range.path} and does not say how long it is: ${assumed} ` +
      'assumed. Say it with a parameter such as "now - 30 days".',
  };
}

function pointRuOf(operation: Operation, workload: Workload, setting: PriceSetting): number {
  const { kind, changes } = operation;
  const changed = Math.max(1, changedLeavesOf(setting, changes));
  switch (kind) {
    case "create":
      return createRu(setting);
    case "upsert":
      return upsertRu(setting, {
        isNew: newShareOf(operation, workload),
        changedLeafCount: changed,
        changedPaths: changes,
      });
    case "replace":
      return replaceRu(setting, changed, changes);
    case "patch":
      return patchRu(setting, changed, Math.max(1, changes.length), changes);
    case "delete":
      return deleteRu(setting);
    default:
      return pointReadRu(setting);
  }
}

/** Upserts that create: as many as it takes for the items to grow as declared. */
export function newShareOf(
  { ratePerSecond }: Pick<Operation, "ratePerSecond">,
  { growth, operations }: Workload,
): number {
  const rateOf = (kind: string): number =>
    operations
      .filter((operation) => operation.kind === kind)
      .reduce((sum, operation) => sum + operation.ratePerSecond, 0);
  const wanted = growth.itemsPerDay / DAY_SECONDS - rateOf("create");
  const upserts = rateOf("upsert");
  if (ratePerSecond === 0 || upserts === 0) return 0;
  return Math.min(1, Math.max(0, wanted / upserts));
}

function priceOfQuery(
  operation: Operation,
  access: Access,
  setting: PriceSetting,
): { readonly price: QueryPrice; readonly remark: string | undefined } {
  const paths = [...access.equal.keys(), ...access.ranges.map(({ path }) => path)];
  const described = (): QueryPrice => filterPriceOf(paths, setting);
  if (operation.sql === undefined) return { price: described(), remark: undefined };
  const priced = queryPriceOf(operation.sql, exampleParameters(operation, access), setting);
  if (priced.ok) return { price: priced.value, remark: undefined };
  return {
    price: described(),
    remark:
      `The query of '${operation.id}' was priced by its filters alone, because the server ` +
      `would not run it: ${priced.error}`,
  };
}

/** A value for each parameter: prices depend on the form of a query, hardly on its values. */
function exampleParameters(operation: Operation, access: Access): ReadonlyMap<string, JsonValue> {
  const values = new Map<string, JsonValue>();
  for (const name of parameterNames(operation.sql ?? "")) {
    const shape = operation.parameters.get(name);
    const isTime = shape?.agoDays !== undefined;
    values.set(name, shape?.values?.[0] ?? (isTime ? "2026-01-01T00:00:00Z" : "value"));
  }
  for (const { parameter, values: given } of access.equal.values()) {
    if (parameter !== undefined && given?.[0] !== undefined) values.set(parameter, given[0]);
  }
  return values;
}

function parameterNames(sql: string): readonly string[] {
  return [...new Set(sql.match(/@[A-Za-z_]\w*/g) ?? [])];
}

/** Paths beyond three that are filtered together hardly narrow further. */
const PATHS_MAX = 3;
/** Of a property that nobody knows anything about. */
const UNKNOWN_SELECTIVITY = 0.01;

function selectivityOf(access: Access, facts: DataFacts): number {
  const asked = [...access.equal.entries()].filter(
    ([path]) => facts.properties.get(path)?.time === undefined,
  );
  const known = asked.filter(([path]) => facts.properties.has(path));
  const unknown = asked.length - known.length;
  const paths = known
    .sort(([a], [b]) => distinctOf(facts, b) - distinctOf(facts, a))
    .slice(0, PATHS_MAX);
  const listCount = paths.reduce((product, [, { count }]) => product * count, 1);
  const names = paths.map(([path]) => path);
  const share = names.length === 0 ? 1 : meanShare(askedByValue(facts.populationOf(names), names));
  return Math.min(1, share * listCount) * UNKNOWN_SELECTIVITY ** Math.min(1, unknown);
}

function distinctOf(facts: DataFacts, path: string): number {
  return facts.properties.get(path)?.distinct.value ?? 1;
}

/** The share of items that a value has which is asked for: heavy values are asked for more. */
function meanShare({ rows }: Population): number {
  return rows.reduce(
    (sum, { requestShare, itemShare, keyCount }) => sum + requestShare * (itemShare / keyCount),
    0,
  );
}

/** What a query finds in a container. */
interface FoundInAll {
  readonly matchCount: number;
  readonly rowCount: number;
  /** What the equalities and the range leave, which may be more than match. */
  readonly candidateCount: number;
  /** Share of all items that its range of time leaves; undefined: it has none. */
  readonly rangeShare: number | undefined;
}

/** If it looks at what was written in the last so many days. */
export function foundWithin(
  model: OperationModel,
  { growth }: Workload,
  day: number,
  windowDays: number | undefined,
  /** Of a value that has so many times the items of one that is asked for. */
  valueFactor = 1,
): FoundInAll {
  const { access, operation, selectivity, spanDays } = model;
  const kept = day - oldestDay(growth, day);
  const all = itemsOnDay(growth, day);
  const writtenIn = (days: number): number =>
    days >= kept ? all : itemsWritten(growth, day - days, day);
  const window = Math.min(windowDays ?? kept, spanDays ?? kept);
  const candidateCount = writtenIn(window) * selectivity * valueFactor;
  const rangeShare = spanDays === undefined || all === 0 ? undefined : writtenIn(spanDays) / all;
  const top = access.top ?? Number.POSITIVE_INFINITY;
  const { resultItems } = operation;
  if (resultItems !== undefined) {
    const isCut = access.top !== undefined;
    const matchCount = isCut ? Math.max(resultItems, candidateCount) : resultItems;
    return {
      matchCount,
      rowCount: Math.min(resultItems, top),
      candidateCount: Math.max(candidateCount, matchCount),
      rangeShare,
    };
  }
  const found = access.usesContains ? candidateCount * CONTAINS_SHARE : candidateCount;
  const rowMax = Math.min(top, ROWS_MAX);
  // Who wants fewer rows than match stops reading there; the price tells where that is.
  const matchCount = Math.min(found, operation.matchesMax ?? MATCHES_MAX);
  const rows = access.isAggregate ? Math.min(matchCount, 1) : matchCount;
  return { matchCount, rowCount: Math.min(rows, rowMax), candidateCount, rangeShare };
}

/** Rows that anyone reads of an answer, and items that anyone adds up, if nobody says. */
export const ROWS_MAX = 1000;
export const MATCHES_MAX = 100_000;

/** Of texts, how many have what is looked for in them, if nobody says. */
const CONTAINS_SHARE = 0.02;
