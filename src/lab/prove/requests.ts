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
import { periodStartsBetween } from "../../keys/period.ts";
import { visitsForLevels } from "../../keys/visits.ts";
import { timeText } from "../candidate/itemOf.ts";
import type { KeyShape } from "../candidate/keyShape.ts";
import { isNewestFirst } from "../candidate/routing.ts";
import type { TimeResolution } from "../data/facts.ts";
import { type OperationModel, ROWS_MAX } from "../simulate/operationModel.ts";
import { valueIn } from "../workload/pathField.ts";
import type { Key, KeyedItem } from "./keyedItem.ts";
import type { QueryParameter } from "./parameters.ts";
import type { TraceEvent } from "./trace.ts";

export type ProofRequest =
  | { readonly kind: "create"; readonly item: JsonObject }
  | { readonly kind: "pointRead" | "delete"; readonly id: string; readonly key: Key }
  | {
      readonly kind: "upsert" | "replace" | "patch";
      readonly id: string;
      readonly key: Key;
      readonly changes: TraceEvent["changes"];
    }
  | QueryRequest;

export interface QueryRequest {
  readonly kind: "query";
  readonly text: string;
  readonly parameters: readonly QueryParameter[];
  /** Undefined: everywhere. */
  readonly keys: readonly Key[] | undefined;
  /** Rows that are enough: the keys are asked one after the other until there are so many. */
  readonly enough: number | undefined;
  readonly pageSize: number;
  /** Nobody reads further. */
  readonly rowsMax: number;
  /** What is done with the one item that is found. */
  readonly andThen: ProofRequest | undefined;
}

export interface RequestSetting {
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
    ? [subject.key]
    : keysKnown(event, model, subject, setting);
  const isNewest = isNewestFirst(setting.shape, access);
  return {
    kind: "query",
    text: operation.sql ?? "",
    parameters: event.parameters,
    keys: isNewest ? keys?.toReversed() : keys,
    enough: isNewest ? access.top : undefined,
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
  { shape, nowMillis, partitionCount }: RequestSetting,
): readonly Key[] | undefined {
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
  const [time] = shape.times;
  const span = isNewestFirst(shape, access) ? newestSpan(shape) : model.spanDays;
  const range =
    time === undefined || span === undefined
      ? undefined
      : { path: time[0], from: nowMillis - span * DAY_MS, to: nowMillis };
  // A month that items have as a property is known from any range of time, as that of a key is. It
  // begins before the range does, so the range would rule it out.
  const isListed = range !== undefined && time![1].isRaw && !values.has(range.path);
  if (isListed) note(range.path, timesWithin(time![1].resolution, range));
  const known = { values, range: isListed ? undefined : range };
  const visits = visitsForLevels(shape.candidate.levels, known);
  if (visits === undefined) return undefined;
  const isTooMany = !visits.isPrefix && visits.keys.length > partitionCount;
  return isTooMany && operation.kind === "query" && !isNewestFirst(shape, access)
    ? undefined
    : visits.keys;
}

/** As items have them; none of those that are too fine to be asked for one by one. */
function timesWithin(
  resolution: TimeResolution,
  { from, to }: { readonly from: number; readonly to: number },
): readonly string[] {
  if (resolution === "second" || resolution === "minute") return [];
  return periodStartsBetween(resolution, from, to).map((at) => timeText(resolution, at));
}

/** The period of now and the one before, whichever is enough. */
function newestSpan({ times }: KeyShape): number | undefined {
  const [time] = times.values();
  return time === undefined ? undefined : SPAN_OF[time.grain];
}

const SPAN_OF: Readonly<Record<string, number>> = {
  year: 365,
  quarter: 90,
  month: 30,
  week: 7,
  day: 1,
  hour: 1 / 24,
};

function isScalar(value: JsonValue | undefined): value is string | number | boolean | null {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}
