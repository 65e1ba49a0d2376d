/**
 * What an application sends for an operation under a candidate: with the key, if it can work it
 * out from what it knows; to several keys; below a prefix; or to everybody.
 *
 * It decides as the simulator assumes that applications do (`candidate/routing.ts`), but with the
 * real values at hand, so the keys are real.
 */
import { DAY_MS } from "../../base/units.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import type { KeyComponent } from "../../keys/component.ts";
import type { TimeGrain } from "../../keys/expression.ts";
import { pathText, periodsIn } from "../../keys/paths.ts";
import { periodStart, periodStartsBetween } from "../../keys/period.ts";
import { visitsForLevels } from "../../keys/visits.ts";
import { timeText } from "../candidate/itemOf.ts";
import type { KeyShape } from "../candidate/keyShape.ts";
import { isNewestFirst, keySpanOf } from "../candidate/routing.ts";
import type { TimeResolution } from "../data/facts.ts";
import { TURNS, turnsMax } from "../simulate/askedPeriods.ts";
import { type OperationModel, ROWS_MAX } from "../simulate/operationModel.ts";
import { valueIn } from "../workload/pathField.ts";
import type { KeyedItem, KeyTuple } from "./keyedItem.ts";
import type { QueryParameter } from "./parameters.ts";
import type { TraceEvent } from "./trace.ts";

export type ProofRequest =
  | { readonly kind: "create"; readonly item: JsonObject }
  | { readonly kind: "pointRead" | "delete"; readonly id: string; readonly key: KeyTuple }
  | {
      readonly kind: "upsert" | "replace" | "patch";
      readonly id: string;
      readonly key: KeyTuple;
      readonly changes: TraceEvent["changes"];
    }
  | QueryRequest;

export interface QueryRequest {
  readonly kind: "query";
  readonly text: string;
  readonly parameters: readonly QueryParameter[];
  /** Undefined: everywhere. */
  readonly keys: AskedInTurn | undefined;
  /** Rows that are enough: one turn after the other is asked until there are so many. */
  readonly enough: number | undefined;
  readonly pageSize: number;
  /** Nobody reads further. */
  readonly rowsMax: number;
  /** What is done with the one item that is found. */
  readonly andThen: ProofRequest | undefined;
}

/** Those of a turn are asked together. Where all are, there is one turn. */
type AskedInTurn = readonly (readonly KeyTuple[])[];

interface RequestSetting {
  readonly shape: KeyShape;
  readonly models: readonly OperationModel[];
  readonly nowMillis: number;
  readonly partitionCount: number;
  stored(index: number): KeyedItem;
}

const BY_ID = "SELECT * FROM c WHERE c.id = @id";

export function requestOf(event: TraceEvent, setting: RequestSetting): ProofRequest {
  const model = setting.models[event.operation]!;
  const { kind } = model.operation;
  if (event.created !== undefined) {
    return { kind: "create", item: event.created.item };
  }
  const subject = setting.stored(event.subject);
  if (kind === "query") return queryOf(event, model, subject, setting);
  if (kind === "create") return { kind, item: subject.item };
  const point = pointOf(kind, event, subject, setting);
  if (knowsKey(model, setting.shape)) return point;
  return {
    kind: "query",
    text: BY_ID,
    parameters: [{ name: "@id", value: subject.id, path: "/id" }],
    keys: keysKnown(event, model, subject, setting),
    enough: undefined,
    pageSize: model.operation.pageSize,
    rowsMax: ROWS_MAX,
    andThen: kind === "pointRead" ? undefined : point,
  };
}

function pointOf(
  kind: "upsert" | "replace" | "patch" | "delete" | "pointRead",
  { changes, otherChange }: TraceEvent,
  { id, key }: KeyedItem,
  { shape }: RequestSetting,
): ProofRequest {
  if (kind === "pointRead" || kind === "delete") return { kind, id, key };
  // What a key is made of cannot be changed in place.
  const fixed = new Set([...shape.staticPaths, ...shape.times.keys(), ...shape.definition.paths]);
  const allowed = changes.filter(([path]) => !fixed.has(path));
  const isNone = allowed.length === 0 && otherChange !== undefined;
  return { kind, id, key, changes: isNone ? [otherChange] : allowed };
}

function knowsKey({ operation }: OperationModel, { candidate }: KeyShape): boolean {
  if (operation.kind !== "query" && operation.knows === undefined) return true;
  return candidate.stated?.pins?.includes(operation.id) === true;
}

function queryOf(
  event: TraceEvent,
  model: OperationModel,
  subject: KeyedItem,
  setting: RequestSetting,
): ProofRequest {
  const { operation, access } = model;
  const keys = knowsKey(model, setting.shape)
    ? [[subject.key]]
    : keysKnown(event, model, subject, setting);
  return {
    kind: "query",
    text: operation.sql ?? "",
    parameters: event.parameters,
    keys,
    enough: isNewestFirst(setting.shape, access) ? access.top : undefined,
    pageSize: operation.pageSize,
    rowsMax: ROWS_MAX,
    andThen: undefined,
  };
}

/** Undefined: too many, or nobody can say. */
function keysKnown(
  event: TraceEvent,
  model: OperationModel,
  { item }: KeyedItem,
  setting: RequestSetting,
): AskedInTurn | undefined {
  const { shape, nowMillis, partitionCount } = setting;
  const { access, operation } = model;
  const values = new Map<string, readonly KeyComponent[]>();
  const note = (path: string, found: readonly (JsonValue | undefined)[]): void => {
    const scalars = found.filter(isScalar);
    if (scalars.length > 0) values.set(path, scalars);
  };
  for (const path of operation.knows ?? []) note(path, [valueIn(item, path)]);
  if (operation.kind !== "query") note("/id", [valueIn(item, "/id")]);
  for (const [path, binding] of access.equal) {
    const given = event.parameters
      .filter((parameter) => parameter.path === path)
      .flatMap(({ value }) => (Array.isArray(value) ? (value as readonly JsonValue[]) : [value]));
    note(path, given.length > 0 ? given : (binding.values ?? []));
  }
  const span = keySpanOf(shape, access, model.spanDays);
  const [time] = shape.times.keys();
  const isOfTime = time !== undefined && !values.has(time) && grainsIn(shape).length > 0;
  const turns =
    isOfTime && isNewestFirst(shape, access)
      ? newestTurns(values, { shape, nowMillis, spanDays: span, partitionCount })
      : keysWithin(values, shape, span === undefined ? undefined : spanUpTo(nowMillis, span));
  if (turns === undefined || operation.kind !== "query") return turns?.keys;
  const asked = partitionCount > 1 ? turns.keys.slice(0, 1) : turns.keys;
  const isTooMany = !turns.isPrefix && asked.flat().length > partitionCount;
  return isTooMany ? undefined : turns.keys;
}

type KnownValues = ReadonlyMap<string, readonly KeyComponent[]>;

/** Both ends belong to it. */
interface Span {
  readonly from: number;
  readonly to: number;
}

function spanUpTo(to: number, days: number): Span {
  return { from: to - days * DAY_MS, to };
}

interface Turns {
  readonly keys: AskedInTurn;
  readonly isPrefix: boolean;
}

/** All keys in one turn. */
function keysWithin(
  values: KnownValues,
  { candidate, times }: KeyShape,
  span: Span | undefined,
): Turns | undefined {
  const [time] = times;
  const range = time === undefined || span === undefined ? undefined : { path: time[0], ...span };
  // A month that items have as a property is known from any range of time, as that of a key is. It
  // begins before the range does, so the range would rule it out.
  const listed =
    range !== undefined && time![1].isRaw && !values.has(range.path)
      ? timesWithin(time![1].resolution, range)
      : [];
  const isListed = listed.length > 0;
  const known = isListed ? new Map([...values, [range!.path, listed] as const]) : values;
  const visits = visitsForLevels(candidate.levels, {
    values: known,
    range: isListed ? undefined : range,
  });
  return visits && { keys: [visits.keys], isPrefix: visits.isPrefix };
}

interface Looking {
  readonly shape: KeyShape;
  readonly nowMillis: number;
  readonly spanDays: number | undefined;
  readonly partitionCount: number;
}

/**
 * A turn for each period, from that of now back: as far as the range goes, or to the one before if
 * there is none, or if it goes too far. Periods may be of several lengths, if the key chooses.
 */
function newestTurns(
  values: KnownValues,
  { shape, nowMillis, spanDays, partitionCount }: Looking,
): Turns | undefined {
  const grains = grainsIn(shape);
  const from = spanDays === undefined ? undefined : spanUpTo(nowMillis, spanDays).from;
  const most = from === undefined ? TURNS : turnsMax(partitionCount);
  const seen = new Set<string>();
  const keys: (readonly KeyTuple[])[] = [];
  let isPrefix = false;
  let at = nowMillis;
  for (let look = 0; look < LOOKS_MAX && keys.length <= most; look++) {
    const found = keysWithin(values, shape, { from: at, to: at });
    if (found === undefined) return undefined;
    const fresh = found.keys.flat().filter((key) => !seen.has(JSON.stringify(key)));
    for (const key of fresh) seen.add(JSON.stringify(key));
    if (fresh.length > 0) keys.push(fresh);
    isPrefix ||= found.isPrefix;
    at = Math.max(...grains.map((grain) => periodStart(grain, at))) - 1;
    if (from !== undefined && at < from) break;
  }
  return { keys: keys.length > most ? keys.slice(0, TURNS) : keys, isPrefix };
}

/** Steps back through the finest periods, to be done with coarse ones too. */
const LOOKS_MAX = 400;

/** Of all periods that its keys may have. */
function grainsIn({ candidate, times }: KeyShape): readonly TimeGrain[] {
  const [time] = times;
  if (time === undefined) return [];
  const [path, { isRaw, resolution }] = time;
  const own = candidate.levels.flatMap(periodsIn).filter(({ of }) => pathText(of) === path);
  const raw = isRaw && resolution !== "second" && resolution !== "minute" ? [resolution] : [];
  return [...new Set([...own.map(({ grain }) => grain), ...raw])];
}

/** As items have them; none of those that are too fine to be asked for one by one. */
function timesWithin(
  resolution: TimeResolution,
  { from, to }: { readonly from: number; readonly to: number },
): readonly string[] {
  if (resolution === "second" || resolution === "minute") return [];
  return periodStartsBetween(resolution, from, to).map((at) => timeText(resolution, at));
}

function isScalar(value: JsonValue | undefined): value is string | number | boolean | null {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}
