/** Which reader an input needs: by option, by name, or by how it begins. */

import { Buffer } from "node:buffer";
import { isObject } from "../json/value.ts";
import { CsvRecords } from "./csvRecords.ts";
import { JsonRecords } from "./jsonRecords.ts";
import { LineRecords } from "./lineRecords.ts";
import type { RecordReader } from "./record.ts";

export const INPUT_FORMATS = ["ndjson", "json", "csv"] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

/** Lines at the beginning of which one at least must be an item, if items are one a line. */
const LINES_TRIED = 10;

interface ReaderOptions {
  /** Of CSV; undefined: the one that the row of names has most of. */
  readonly delimiter: string | undefined;
  /** Of CSV: types are not guessed. */
  readonly areAllTexts: boolean;
  /** Of the input, for what is said of the row of names. */
  readonly name: string;
}

export function readerOf(format: InputFormat, options: ReaderOptions): RecordReader {
  switch (format) {
    case "ndjson":
      return new LineRecords();
    case "json":
      return new JsonRecords();
    case "csv":
      return new CsvRecords(options);
  }
}

/** `head`: the first bytes, unzipped. */
export function formatOf(name: string, head: Uint8Array): InputFormat {
  const ending = /\.([a-z]+)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  if (["ndjson", "jsonl", "ldjson"].includes(ending)) return "ndjson";
  if (["csv", "tsv"].includes(ending)) return "csv";
  const text = Buffer.from(head)
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .trimStart();
  if (text.startsWith("[")) return "json";
  if (!text.startsWith("{")) return ending === "json" ? "json" : "csv";
  return text.split("\n", LINES_TRIED).some(isItem) ? "ndjson" : "json";
}

function isItem(line: string): boolean {
  try {
    return isObject(JSON.parse(line));
  } catch {
    return false;
  }
}
