/**
 * Batches as the .NET client sends them: each operation is a row, and so is each result.
 *
 * A row of an operation says the same as a member of the JSON form, and becomes one: from there on
 * nobody knows in which form it came. What a row has and JSON has not are bodies that may be
 * unreadable each for itself; such a body fails its own operation only, because the client puts
 * operations of different callers into one request.
 *
 * Not here: what operations mean and which are refused (`../bulk.ts`).
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { JsonValue } from "../../json/value.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { OperationResult } from "../answer/bulkBody.ts";
import { resultFields } from "../answer/bulkBody.ts";
import type { SentOperation } from "../request/bulk.ts";
import { readRecords, writeRecords } from "./recordIo.ts";
import type { ColumnValue, Row, RowColumn, RowSchema } from "./row.ts";
import { decodeRow, encodeRow } from "./row.ts";

export const OPERATION_SCHEMA: RowSchema = {
  id: 2_145_473_648,
  columns: [
    ...columns("fixed", "int32", ["operationType", "resourceType"]),
    ...columns("variable", "utf8", ["partitionKey"]),
    ...columns("variable", "binary", ["effectivePartitionKey"]),
    ...columns("variable", "utf8", ["id"]),
    ...columns("variable", "binary", ["binaryId", "resourceBody"]),
    ...columns("sparse", "utf8", ["indexingDirective", "ifMatch", "ifNoneMatch"]),
    ...columns("sparse", "int32", ["timeToLiveInSeconds"]),
    ...columns("sparse", "bool", ["minimalReturnPreference"]),
  ],
};

export const RESULT_SCHEMA: RowSchema = {
  id: 2_145_473_649,
  columns: [
    ...columns("fixed", "int32", ["statusCode", "subStatusCode"]),
    ...columns("variable", "utf8", ["eTag"]),
    ...columns("variable", "binary", ["resourceBody"]),
    ...columns("sparse", "uint32", ["retryAfterMilliseconds"]),
    ...columns("sparse", "float64", ["requestCharge"]),
  ],
};

function columns(
  storage: RowColumn["storage"],
  type: RowColumn["type"],
  names: readonly string[],
): readonly RowColumn[] {
  return names.map((name) => ({ name, type, storage }));
}

/** The client's numbers for what JSON says in words. */
const OPERATION_NAMES: ReadonlyMap<ColumnValue | undefined, string> = new Map([
  [0, "Create"],
  [1, "Patch"],
  [2, "Read"],
  [4, "Delete"],
  [5, "Replace"],
  [20, "Upsert"],
]);
/** The client's number for items among all kinds of resources. */
const ITEM = 2;

/** `parseResource` reads the body of one operation. */
export function parseBatchRows(
  bytes: Buffer,
  parseResource: (bytes: Buffer) => Result<JsonValue, Refusal>,
): Result<readonly SentOperation[], Refusal> {
  const records = readRecords(bytes);
  if (!records.ok) return no(unreadable(records.error));
  const operations: SentOperation[] = [];
  for (const [index, record] of records.value.entries()) {
    const row = decodeRow(record, OPERATION_SCHEMA);
    if (!row.ok) return no(unreadable(`In the row of operation ${index}, ${row.error}`));
    const resourceType = row.value.get("resourceType") ?? ITEM;
    if (resourceType !== ITEM) {
      const problem = `it is about resources of type ${String(resourceType)}, not about items.`;
      return no(badRequest(`Operation ${index}: ${problem}`));
    }
    operations.push(sentOperation(row.value, parseResource));
  }
  return ok(operations);
}

const unreadable = (problem: string): Refusal =>
  badRequest(`The batch begins like HybridRow, but cannot be read as such. ${problem}`);

function sentOperation(
  row: Row,
  parseResource: (bytes: Buffer) => Result<JsonValue, Refusal>,
): SentOperation {
  const fields: Record<string, JsonValue> = {};
  let resource: SentOperation["resource"] = ok(null);
  for (const [name, value] of row) {
    if (name === "operationType") fields[name] = OPERATION_NAMES.get(value) ?? Number(value);
    else if (!Buffer.isBuffer(value)) fields[name] = value;
    else if (name === "resourceBody") resource = parseResource(value);
    else fields[name] = value.toString("hex");
  }
  return { fields, resource };
}

/**
 * Results as rows. There is no column for the reason of a refusal; the client looks for it in the
 * body, as a list of errors.
 */
export function encodeBatchRows(results: readonly OperationResult[]): Buffer {
  return writeRecords(
    results.map((result) => {
      const { message, retryAfterMilliseconds, ...fields } = resultFields(result);
      const body = message === undefined ? result.body : errorsBody(message);
      const row = new Map<string, ColumnValue>(Object.entries(fields));
      if (body !== undefined) row.set("resourceBody", body);
      if (retryAfterMilliseconds !== undefined) {
        row.set("retryAfterMilliseconds", Math.ceil(retryAfterMilliseconds));
      }
      return encodeRow(row, RESULT_SCHEMA);
    }),
  );
}

const errorsBody = (message: string): Buffer => Buffer.from(JSON.stringify({ Errors: [message] }));

/** What a recorder wants to know of results that `encodeBatchRows` wrote. */
export function readResultRows(bytes: Buffer):
  | readonly {
      readonly statusCode: number;
      readonly requestCharge: number;
      readonly resourceBody: Buffer | undefined;
    }[]
  | undefined {
  const records = readRecords(bytes);
  if (!records.ok) return undefined;
  return records.value.map((record) => {
    const row = decodeRow(record, RESULT_SCHEMA);
    const value = (name: string): ColumnValue | undefined =>
      row.ok ? row.value.get(name) : undefined;
    const body = value("resourceBody");
    return {
      statusCode: Number(value("statusCode")),
      requestCharge: Number(value("requestCharge") ?? 0),
      resourceBody: Buffer.isBuffer(body) ? body : undefined,
    };
  });
}
