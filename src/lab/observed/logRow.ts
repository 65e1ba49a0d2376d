/**
 * One row of the service's diagnostic logs, whatever its export: a line that Azure Monitor put into
 * storage ({time, category, operationName, properties}), a row of a dedicated table
 * (CDBDataPlaneRequests) or of the common table (names with _s, _d, _g), as JSON or CSV.
 *
 * Nothing is trusted: a row that lacks a required column is ignored.
 */
import { isObject, type JsonObject, type JsonValue } from "../../json/value.ts";
import { timeOf } from "../../keys/time.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import { parseKeyHeader } from "../../partition/partitionKeyOf.ts";
import type { OperationKind } from "../workload/workload.ts";

export type LogRow = RequestRow | TextRow | KeyRow;

interface RowBase {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** "database/container", or the rid where names are not logged. */
  readonly container: string;
}

/** A row of DataPlaneRequests. */
export interface RequestRow extends RowBase {
  readonly kind: "request";
  /** Undefined for operations that no workload has: feeds, procedures. */
  readonly operation: OperationKind | undefined;
  readonly operationName: string;
  readonly status: number;
  /** The charge of one request. */
  readonly charge: number;
  readonly requestBytes: number | undefined;
  readonly activityId: string | undefined;
  /** Number of requests; more than one in aggregated logs. */
  readonly count: number;
}

/** A row of QueryRuntimeStatistics. */
export interface TextRow extends RowBase {
  readonly kind: "text";
  readonly sql: string;
  readonly activityId: string | undefined;
  /** The same for all pages and physical partitions of one query. */
  readonly queryId: string | undefined;
}

/** A row of PartitionKeyRUConsumption. */
export interface KeyRow extends RowBase {
  readonly kind: "key";
  readonly key: PartitionKey;
  readonly charge: number;
  /** True when the operation created items. */
  readonly isCreation: boolean;
}

const OPERATIONS: ReadonlyMap<string, OperationKind> = new Map([
  ["create", "create"],
  ["upsert", "upsert"],
  ["replace", "replace"],
  ["update", "replace"],
  ["patch", "patch"],
  ["delete", "delete"],
  ["read", "pointRead"],
  ["query", "query"],
  ["sqlquery", "query"],
]);

/**
 * Parses a row; "other" for a row of another category, undefined when it is no row of these logs.
 */
export function logRowOf(row: JsonObject): LogRow | { readonly kind: "other" } | undefined {
  const cells = cellsOf(row);
  const at = instantOf(cells);
  const category = categoryOf(cells);
  if (category === undefined || at === undefined) return undefined;
  const base: RowBase = { at, container: containerOf(cells) };
  if (category.startsWith("dataplanerequests")) return requestRow(cells, base);
  if (category === "queryruntimestatistics") return textRow(cells, base);
  if (category === "partitionkeyruconsumption") return keyRow(cells, base);
  return { kind: "other" };
}

type Cells = ReadonlyMap<string, JsonValue>;

/** The columns by lower-case name, without the suffixes that exports add. */
function cellsOf(row: JsonObject): Cells {
  const cells = new Map<string, JsonValue>();
  for (const written of Object.keys(row)) {
    const name = nameOf(written);
    const value = row[written]!;
    const inner = name === "properties" ? objectIn(value) : undefined;
    if (inner === undefined) cells.set(name, value);
    else for (const inside of Object.keys(inner)) cells.set(nameOf(inside), inner[inside]!);
  }
  return cells;
}

function nameOf(written: string): string {
  return written.replace(/ \[UTC\]$|_[sdgtbl]$/, "").toLowerCase();
}

function objectIn(value: JsonValue): JsonObject | undefined {
  const parsed = typeof value === "string" ? parsedJson(value) : value;
  return isObject(parsed) ? parsed : undefined;
}

function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function textIn(cells: Cells, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const cell = cells.get(name);
    if (typeof cell === "string" && cell !== "") return cell;
    if (typeof cell === "number") return String(cell);
  }
  return undefined;
}

function numberIn(cells: Cells, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const cell = cells.get(name);
    const amount = typeof cell === "string" && cell !== "" ? Number(cell) : cell;
    if (typeof amount === "number" && Number.isFinite(amount)) return amount;
  }
  return undefined;
}

/**
 * The category that the row names, or that its columns imply: an exported table does not name
 * itself.
 */
function categoryOf(cells: Cells): string | undefined {
  const named = textIn(cells, "category") ?? textIn(cells, "type", "$table");
  if (named !== undefined) return named.toLowerCase().replace(/^cdb/, "");
  if (cells.has("querytext")) return "queryruntimestatistics";
  if (cells.has("partitionkey") && cells.has("requestcharge")) return "partitionkeyruconsumption";
  const isRequest = cells.has("operationname") && cells.has("statuscode");
  return isRequest ? "dataplanerequests" : undefined;
}

function instantOf(cells: Cells): number | undefined {
  const text = textIn(cells, "timegenerated", "time", "intervalstart", "intervalstarttime");
  return text === undefined ? undefined : (timeOf(text) ?? portalTime(text));
}

/** "5/1/2026, 1:02:03.456 PM", as the portal exports times. */
function portalTime(text: string): number | undefined {
  const match = /^(\d+)\/(\d+)\/(\d{4}),? (\d+):(\d\d):(\d\d)(?:\.(\d{1,3})\d*)? ?([AP]M)?$/i.exec(
    text,
  );
  if (match === null) return undefined;
  const [, month, day, year, hour, minute, second, millis = "0", half] = match;
  const isAfternoon = half?.toUpperCase() === "PM";
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (isAfternoon ? 12 : 0);
  const date = [Number(year), Number(month) - 1, Number(day)] as const;
  return Date.UTC(...date, hours, Number(minute), Number(second), Number(millis.padEnd(3, "0")));
}

function containerOf(cells: Cells): string {
  const database = textIn(cells, "databasename");
  const container = textIn(cells, "collectionname", "containername");
  if (container !== undefined) return `${database ?? "?"}/${container}`;
  return textIn(cells, "collectionrid", "collectionid") ?? "?";
}

function requestRow(cells: Cells, base: RowBase): RequestRow | undefined {
  const operationName = textIn(cells, "operationname");
  const count = numberIn(cells, "samplecount", "requestcount", "count") ?? 1;
  const total = numberIn(cells, "totalrequestcharge");
  const charge =
    numberIn(cells, "requestcharge", "avgrequestcharge") ??
    (total === undefined ? undefined : total / count);
  if (operationName === undefined || charge === undefined || count < 1) return undefined;
  const resource = textIn(cells, "requestresourcetype")?.toLowerCase() ?? "document";
  const isItem = resource === "document" || resource === "item";
  const plain = operationName.toLowerCase().replace(/(document|item)s?$/, "");
  return {
    ...base,
    kind: "request",
    operation: isItem ? OPERATIONS.get(plain) : undefined,
    operationName: isItem ? operationName : `${operationName} of ${resource}`,
    status: numberIn(cells, "statuscode") ?? 200,
    charge,
    requestBytes: numberIn(cells, "requestlength", "avgrequestlength"),
    activityId: textIn(cells, "activityid"),
    count,
  };
}

function textRow(cells: Cells, base: RowBase): TextRow | undefined {
  const written = textIn(cells, "querytext");
  if (written === undefined) return undefined;
  // The text is logged either as it is or as the body of the request.
  const body = written.startsWith("{") ? parsedJson(written) : undefined;
  const inner = isObject(body) ? body["query"] : undefined;
  return {
    ...base,
    kind: "text",
    sql: (typeof inner === "string" ? inner : written).trim(),
    activityId: textIn(cells, "activityid"),
    queryId: textIn(cells, "correlatedactivityid"),
  };
}

function keyRow(cells: Cells, base: RowBase): KeyRow | undefined {
  const written = textIn(cells, "partitionkey");
  const charge = numberIn(cells, "requestcharge");
  const key = written === undefined ? undefined : parseKeyHeader(written);
  if (key?.ok !== true || charge === undefined) return undefined;
  const operation = textIn(cells, "operationname")?.toLowerCase() ?? "";
  return {
    ...base,
    kind: "key",
    key: key.value,
    charge,
    isCreation: /create|upsert/.test(operation),
  };
}
