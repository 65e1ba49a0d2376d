/** The items of a container of a seed, with their places: those in the seed, and those of files. */
import { createReadStream } from "node:fs";
import { formatOf, readerOf } from "../../itemFile/itemFormat.ts";
import { itemIn, placeOf } from "../../itemFile/parsedItem.ts";
import type { FoundRecord, RecordReader } from "../../itemFile/record.ts";
import { parseJson } from "../../json/parse.ts";
import type { JsonObject } from "../../json/value.ts";
import type { SeedItems } from "../../seed/seed.ts";
import { BadOption } from "../surroundings/options.ts";

export interface SeedItem {
  readonly place: string;
  /** As it stands in a file of JSON, where every digit of its numbers counts; else as a value. */
  readonly body: Buffer | JsonObject;
}

const CHUNK_BYTES = 1024 * 1024;

/** In their order, some at a time. Throws a `BadOption` at what is no item. */
export async function* itemsOf(items: readonly SeedItems[]): AsyncGenerator<readonly SeedItem[]> {
  for (const one of items) {
    if ("item" in one) yield [{ place: one.place, body: one.item }];
    else yield* itemsIn(one.path);
  }
}

async function* itemsIn(path: string): AsyncGenerator<readonly SeedItem[]> {
  let reader: RecordReader | undefined;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    const bytes = chunk as Buffer;
    reader ??= readerOf(formatOf(path, bytes), {
      delimiter: undefined,
      areAllTexts: false,
      name: path,
    });
    yield reader.push(bytes).map((record) => itemOf(path, record));
  }
  if (reader !== undefined) yield reader.end().map((record) => itemOf(path, record));
}

function itemOf(path: string, record: FoundRecord): SeedItem {
  const { line, column } = record;
  if (record.kind === "broken") {
    throw new BadOption(`${path}:${line}:${column} ${record.reason}.`);
  }
  const place = `${path}:${line}:${column}`;
  const item = itemIn(record, parseJson);
  if (!item.ok) {
    const at = placeOf(record, item.error);
    throw new BadOption(`${path}:${at.line}:${at.column} ${item.error.reason}.`);
  }
  return { place, body: record.kind === "json" ? record.bytes : item.value };
}
