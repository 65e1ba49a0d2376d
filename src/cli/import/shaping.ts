/**
 * From what was found in an input to an item that can be sent: parsed once, given its id and the
 * properties that were asked for, and its partition key read.
 *
 * An item that nothing was added to keeps its own bytes, and those are what is sent. One that is
 * longer than an item may be is written without its white space first.
 */
import { no, ok, type Result } from "../../base/result.ts";
import { itemIn, ofWhole, type RecordProblem } from "../../itemFile/parsedItem.ts";
import { put } from "../../itemFile/properties.ts";
import type { JsonRecord, RowRecord } from "../../itemFile/record.ts";
import { parseJson } from "../../json/parse.ts";
import { jsonText } from "../../json/stringify.ts";
import { type JsonValue, property } from "../../json/value.ts";
import { componentOf, type Draw, type KeyComponent } from "../../keys/component.ts";
import type { KeyExpression } from "../../keys/expression.ts";
import { checkItemId, checkNewItemId } from "../../model/ids.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Placement } from "./placement.ts";

/** `--set`: where, and what. */
export interface Setting {
  readonly steps: readonly string[];
  readonly expression: KeyExpression;
  /** As the user wrote it. */
  readonly text: string;
}

export interface ImportShape {
  readonly id: KeyExpression | undefined;
  readonly settings: readonly Setting[];
  readonly draw: Draw;
}

export interface ShapedItem {
  readonly id: string;
  readonly key: PartitionKey;
  /** One JSON object. */
  readonly bytes: Buffer;
}

export type Shaper = (record: JsonRecord | RowRecord) => Result<ShapedItem, RecordProblem>;

export function shaperOf(placement: Placement, shape: ImportShape): Shaper {
  const isChanged = shape.id !== undefined || shape.settings.length > 0;
  return (record) => {
    const isLong = record.bytes.length > SERVICE_LIMITS.itemBytesMax;
    const isRewritten = isChanged || isLong || record.kind === "row";
    // Only what is written again has to be read with the digits of its numbers.
    const read = isRewritten ? parseJson : JSON.parse;
    const parsed = itemIn(record, read);
    if (!parsed.ok) return parsed;
    const item = parsed.value;
    if (isChanged) {
      const problem = change(item as Record<string, JsonValue>, shape);
      if (problem !== undefined) return no(ofWhole(problem));
    }
    const id = property(item, "id");
    const complaint = idComplaint(id);
    if (complaint !== undefined) return no(ofWhole(complaint));
    const key = placement.keyOf(item);
    if (!key.ok) return no(ofWhole(key.error));
    const bytes = isRewritten ? Buffer.from(jsonText(item)) : record.bytes;
    if (bytes.length > SERVICE_LIMITS.itemBytesMax) return no(ofWhole(TOO_LARGE));
    return ok({ id: id as string, key: key.value, bytes });
  };
}

const ITEM_MEGABYTES = SERVICE_LIMITS.itemBytesMax / 1024 / 1024;
const TOO_LARGE = `it is larger than the ${ITEM_MEGABYTES} MB of an item`;

/** Settings first: an id may be made of what they made. Undefined when all went well. */
function change(item: Record<string, JsonValue>, shape: ImportShape): string | undefined {
  for (const { steps, expression, text } of shape.settings) {
    const component = componentOf(expression, item, shape.draw);
    if (component === undefined) return `--set '${text}' gives no value for it`;
    if (!put(item, steps, component)) {
      return `--set '${text}' cannot be done: there is something on the way that is no object`;
    }
  }
  if (shape.id === undefined) return undefined;
  const id: KeyComponent = componentOf(shape.id, item, shape.draw);
  if (id === undefined || id === null) return "--id gives no value for it";
  put(item, ["id"], String(id));
  return undefined;
}

function idComplaint(id: JsonValue | undefined): string | undefined {
  if (id === undefined) return "it has no id; --id makes one from its other properties";
  if (typeof id === "number") return "its id is a number; --id /id makes a text of it";
  return checkItemId(id, SERVICE_LIMITS) ?? checkNewItemId(String(id));
}
