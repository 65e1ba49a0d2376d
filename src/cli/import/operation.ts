/**
 * One item on its way, and how a list of them is put into a request: the bytes of the items as they
 * are, between what the protocol wants around them.
 */

import { withoutSystemProperties } from "../../base/systemProperties.ts";
import { exactText } from "../../json/canonical.ts";
import { carryDigits } from "../../json/digits.ts";
import { parseJson } from "../../json/parse.ts";
import { isObject, type JsonValue, property } from "../../json/value.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { InputProgress } from "./inputProgress.ts";
import type { ShapedItem } from "./shaping.ts";
import { plainMessage } from "./target.ts";

export type Mode = "create" | "upsert" | "skip";

export type Outcome =
  | { readonly kind: "created" | "replaced" | "skipped" | "present" }
  | { readonly kind: "refused"; readonly reason: string };

export interface ImportOperation {
  readonly id: string;
  /** The partition key as the protocol writes it. */
  readonly keyText: string;
  readonly epk: string;
  readonly bytes: Buffer;
  readonly input: InputProgress;
  readonly line: number;
  readonly column: number;
  readonly end: number;
  isSettled: boolean;
  /** It was sent before, and nobody knows whether it was done. */
  mayBeDone: boolean;
  /** What the server said of a conflict, while the item that is there is looked at. */
  conflict: string | undefined;
  /** How often the server said that it could not. */
  faultCount: number;
}

export function identityOf({ epk, id }: Pick<ImportOperation, "epk" | "id">): string {
  return `${epk} ${id}`;
}

/** As clients state a key: what is not there is an empty object. */
function keyTextOf(key: PartitionKey): string {
  const [first] = key;
  // Nearly every key is one text.
  if (key.length === 1 && typeof first === "string") return `[${JSON.stringify(first)}]`;
  return `[${key.map(componentText).join(",")}]`;
}

function componentText(component: PartitionKey[number]): string {
  if (component === undefined) return "{}";
  return Object.is(component, -0) ? "-0" : JSON.stringify(component);
}

/** More than what is written around an item without its key. */
const WRAPPING_BYTES = 80;

/** What an operation takes up in a request, at most. */
export function requestBytesOf({ keyText, bytes, id }: ImportOperation): number {
  // Escaped within a text, a unit of the key takes up to six bytes.
  return WRAPPING_BYTES + bytes.length + 6 * (keyText.length + id.length);
}

const CLOSING: Buffer = Buffer.from("}");
const ENDING: Buffer = Buffer.from("}]");

export function encodeOperations(operations: readonly ImportOperation[], mode: Mode): Buffer {
  const type = mode === "upsert" ? "Upsert" : "Create";
  const parts: Buffer[] = [];
  let between = "[";
  for (const { id, keyText, bytes, conflict } of operations) {
    const key = JSON.stringify(keyText);
    if (conflict === undefined) {
      parts.push(
        Buffer.from(`${between}{"operationType":"${type}","partitionKey":${key},"resourceBody":`),
        bytes,
      );
    } else {
      const name = JSON.stringify(id);
      parts.push(
        Buffer.from(`${between}{"operationType":"Read","partitionKey":${key},"id":${name}`),
      );
    }
    parts.push(CLOSING);
    between = ",";
  }
  parts[parts.length - 1] = ENDING;
  return Buffer.concat(parts);
}

/** What the server said of one operation. */
export interface OperationAnswer {
  readonly status: number;
  readonly charge: number;
  readonly retryAfterMs: number;
  readonly message: string;
  /** The item, when one was read. */
  readonly item: JsonValue | undefined;
}

/** Undefined when the answer is not one for so many operations. */
export function decodeAnswers(body: string, count: number): readonly OperationAnswer[] | undefined {
  let list: JsonValue;
  try {
    list = parseJson(body);
  } catch {
    return undefined;
  }
  if (!Array.isArray(list) || list.length !== count) return undefined;
  return (list as readonly JsonValue[]).map((told) => {
    const fields = isObject(told) ? told : {};
    const message = property(fields, "message");
    return {
      status: Number(property(fields, "statusCode") ?? 0),
      charge: Number(property(fields, "requestCharge") ?? 0),
      retryAfterMs: Number(property(fields, "retryAfterMilliseconds") ?? 0),
      message: typeof message === "string" ? plainMessage(message) : "",
      item: property(fields, "resourceBody"),
    };
  });
}

/** Whether the item that is stored is the one that was sent, the stamps of the server aside. */
export function isSameItem(stored: JsonValue | undefined, sent: Buffer): boolean {
  if (!isObject(stored)) return false;
  return ownText(stored) === ownText(parseJson(sent.toString("utf8")));
}

function ownText(item: JsonValue): string {
  if (!isObject(item)) return "";
  const own = withoutSystemProperties(item);
  carryDigits(item, own);
  return exactText(own);
}

export function operationOf(
  { id, key, bytes }: ShapedItem,
  epk: string,
  place: Pick<ImportOperation, "input" | "line" | "column" | "end">,
  mayBeDone: boolean,
): ImportOperation {
  return {
    id,
    keyText: keyTextOf(key),
    epk,
    bytes,
    input: place.input,
    line: place.line,
    column: place.column,
    end: place.end,
    isSettled: false,
    mayBeDone,
    conflict: undefined,
    faultCount: 0,
  };
}
