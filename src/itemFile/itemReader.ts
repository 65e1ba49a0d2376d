/**
 * How items come out of bytes: what every reader of a format is, and where it puts what it finds.
 */
import type { JsonObject, JsonValue } from "../json/value.ts";
import { isObject } from "../json/value.ts";

export interface ItemReader {
  /** The next bytes, cut anywhere. They are not kept: whoever gives them may use them again. */
  push(chunk: Uint8Array): void;
  /** There is no more. */
  end(): void;
  /** What the reader has assumed, in sentences. */
  readonly remarks: readonly string[];
}

export interface ItemSink {
  /**
   * Asked once for every item before it is parsed: those that are not wanted are passed over.
   * `text`: as it was written, so that its content decides and not its place.
   */
  wants(text: string): boolean;
  /** `bytes`: what it took up in the input. */
  item(item: JsonObject, bytes: number): void;
  problem(place: string, text: string): void;
}

/** Longer lines, rows and items are not read: the service takes 2 MB. */
export const ITEM_BYTES_MAX: number = 16 * 1024 * 1024;

const MEGABYTES: number = ITEM_BYTES_MAX / 1024 / 1024;
export const TOO_LONG: string = `is longer than ${MEGABYTES} MB and was not read`;

/** Parses one item, and says what is wrong if it is none. */
export function takeItem(sink: ItemSink, text: string, bytes: number, place: string): void {
  if (!sink.wants(text)) return;
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    sink.problem(place, `is no JSON: ${reasonOf(error, text)}`);
    return;
  }
  if (isObject(value)) sink.item(value, bytes);
  else sink.problem(place, `is ${kindOf(value)}, not an object`);
}

const SHOWN_UNITS = 40;

/** What the parser says, without the text that it quotes in full or in part. */
function reasonOf(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : String(error);
  const at = Number(/at position (\d+)/.exec(message)?.[1] ?? Number.NaN);
  const isCut = at >= text.length || /end of JSON|Unterminated/.test(message);
  if (isCut) return "it ends in the middle";
  if (!Number.isNaN(at)) return `column ${at + 1} is not as expected, at '${shown(text, at)}'`;
  const unit = /^Unexpected token '?(.+?)'?,/.exec(message)?.[1];
  const what = unit === undefined ? "something is" : `'${shown(unit, 0)}' is`;
  return `${what} not expected in '${shown(text, 0)}'`;
}

function shown(text: string, at: number): string {
  const part = text.slice(at, at + SHOWN_UNITS).replace(/[\p{Cc}\p{Cf}]/gu, "\uFFFD");
  return at + SHOWN_UNITS < text.length ? `${part}…` : part;
}

function kindOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return { string: "a text", number: "a number", boolean: "a boolean" }[typeof value as string]!;
}
