/**
 * Rows as they come, in the form that was asked for. Lines of JSON and lists are written page by
 * page; a table waits for the widths of its columns, so it is written in blocks of bounded size.
 */
import { once } from "node:events";
import type { Writable } from "node:stream";
import type { Carried } from "../../json/digits.ts";
import { jsonText } from "../../json/stringify.ts";
import { tableOf } from "./table.ts";

export const FORMATS = ["table", "json", "ndjson"] as const;
export type RowFormat = (typeof FORMATS)[number];

interface RowWriter {
  page(rows: readonly Carried[]): Promise<void>;
  end(): Promise<void>;
}

/** Rows of one table at most; what follows gets another. */
const TABLE_ROW_COUNT_MAX = 10_000;

/** `width` is that of the terminal, if the output is one. */
export function rowWriter(
  output: Writable,
  format: RowFormat,
  width: number | undefined,
): RowWriter {
  const write = (text: string): Promise<void> => written(output, text);
  switch (format) {
    case "ndjson":
      return { page: (rows) => write(rows.map(line).join("")), end: () => write("") };
    case "json":
      return listWriter(write);
    case "table":
      return tableWriter(write, width);
  }
}

function line(row: Carried): string {
  return `${jsonText(row)}\n`;
}

function listWriter(write: (text: string) => Promise<void>): RowWriter {
  let isFirst = true;
  return {
    page: (rows) => {
      const parts = rows.map((row) => {
        const start = isFirst ? "[\n  " : ",\n  ";
        isFirst = false;
        return start + jsonText(row);
      });
      return write(parts.join(""));
    },
    end: () => write(isFirst ? "[]\n" : "\n]\n"),
  };
}

function tableWriter(write: (text: string) => Promise<void>, width: number | undefined): RowWriter {
  let waiting: Carried[] = [];
  const flush = (): Promise<void> => {
    const text = tableOf(waiting, width);
    waiting = [];
    return write(text);
  };
  return {
    page: async (rows) => {
      waiting.push(...rows);
      if (waiting.length >= TABLE_ROW_COUNT_MAX) await flush();
    },
    end: flush,
  };
}

/** Waits when the reader is slower than we are. */
async function written(output: Writable, text: string): Promise<void> {
  if (text !== "" && !output.write(text)) await once(output, "drain");
}
