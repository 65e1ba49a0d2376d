/** Items in the form that was asked for, as text, page by page. */
import { withoutSystemProperties } from "../../base/systemProperties.ts";
import { type Carried, CarriedNumber, carryDigits } from "../../json/digits.ts";
import { jsonText } from "../../json/stringify.ts";
import { isObject } from "../../json/value.ts";
import { CsvSpool } from "./csvSpool.ts";
import type { ExportOptions } from "./options.ts";
import type { Output } from "./outFile.ts";
import type { Page } from "./pages.ts";

interface ItemWriter {
  page(page: Page): Promise<void>;
  end(): Promise<void>;
  /** Whatever happened: nothing is left behind. */
  close(): void;
}

export function itemWriter(
  { format, hasSystemProperties }: ExportOptions,
  output: Output,
): ItemWriter {
  const textsOf = (page: Page): readonly string[] =>
    page.rows.map((row) => jsonText(hasSystemProperties ? row : withoutSystem(row)));
  switch (format) {
    case "ndjson":
      return {
        page: (page) =>
          output.write(
            textsOf(page)
              .map((text) => `${text}\n`)
              .join(""),
          ),
        end: async () => undefined,
        close: () => undefined,
      };
    case "json":
      return listWriter(output, textsOf);
    case "csv":
      return csvWriter(output, textsOf);
  }
}

/** A row as its owner wrote it, with all digits. */
export function withoutSystem(row: Carried): Carried {
  if (row instanceof CarriedNumber || !isObject(row)) return row;
  const own = withoutSystemProperties(row);
  carryDigits(row, own);
  return own;
}

function listWriter(output: Output, textsOf: (page: Page) => readonly string[]): ItemWriter {
  let isFirst = true;
  return {
    async page(page) {
      const texts = textsOf(page);
      if (texts.length === 0) return;
      await output.write(`${isFirst ? "[\n" : ",\n"}${texts.join(",\n")}`);
      isFirst = false;
    },
    end: () => output.write(isFirst ? "[]\n" : "\n]\n"),
    close: () => undefined,
  };
}

function csvWriter(output: Output, textsOf: (page: Page) => readonly string[]): ItemWriter {
  const spool = new CsvSpool();
  return {
    async page(page) {
      await spool.add(textsOf(page));
    },
    async end() {
      for await (const text of spool.rows()) await output.write(text);
    },
    close: () => spool.remove(),
  };
}
