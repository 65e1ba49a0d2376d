/** Inputs as chunks, and the reader that the form of an input needs. */
import { statSync } from "node:fs";
import { CsvRecords, HeaderProblem } from "../itemFile/csvRecords.ts";
import { formatOf, type InputFormat } from "../itemFile/itemFormat.ts";
import { JsonRecords } from "../itemFile/jsonRecords.ts";
import { LineRecords } from "../itemFile/lineRecords.ts";
import type { FoundRecord, RecordReader } from "../itemFile/record.ts";
import { CommandFailure } from "./failure.ts";
import { type InputFile, InputProblem, openInput } from "./inputFile.ts";

export interface ReaderOptions {
  readonly format: InputFormat | undefined;
  readonly delimiter: string | undefined;
  readonly areAllTexts: boolean;
}

const HEAD_BYTES: number = 64 * 1024;

/** How many bytes there are to read in all; undefined when nobody knows. */
export function totalBytesOf(files: readonly string[]): number | undefined {
  let total = 0;
  for (const file of files) {
    const stats = file === "-" ? undefined : statSync(file, { throwIfNoEntry: false });
    if (stats?.isFile() !== true) return undefined;
    total += stats.size;
  }
  return total;
}

/**
 * The records of one input, chunk by chunk. What ends in the middle gives what came before, and
 * then a broken record.
 */
export class Source {
  readonly #input: InputFile | undefined;
  readonly #options: ReaderOptions;

  /** Complains at once about a file that is not there. */
  constructor(file: string, options: ReaderOptions) {
    this.#options = options;
    // An export of an empty container is an empty file, and nothing to complain about.
    const isEmpty = file !== "-" && statSync(file, { throwIfNoEntry: false })?.size === 0;
    this.#input = isEmpty && statSync(file).isFile() ? undefined : openInput(file);
  }

  get readBytes(): number {
    return this.#input?.readBytes() ?? 0;
  }

  async *records(): AsyncGenerator<readonly FoundRecord[], void> {
    try {
      yield* this.#found();
    } catch (error) {
      throw error instanceof HeaderProblem ? new CommandFailure(error.message) : error;
    }
  }

  async *#found(): AsyncGenerator<readonly FoundRecord[], void> {
    if (this.#input === undefined) return;
    let reader: RecordReader | undefined;
    /** What came before it could be told what it is. */
    let head = Buffer.alloc(0);
    let bytes = 0;
    const rest = (): readonly FoundRecord[] => {
      if (reader !== undefined || head.length === 0) return reader?.end() ?? [];
      reader = this.#readerFor(this.#input!, head);
      return [...reader.push(head), ...reader.end()];
    };
    try {
      for await (const chunk of this.#input.chunks()) {
        let buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
        bytes += buffer.length;
        if (reader === undefined) {
          buffer = head = Buffer.concat([head, buffer]);
          if (!isTelling(head)) continue;
          reader = this.#readerFor(this.#input, head);
        }
        yield reader.push(buffer);
      }
    } catch (error) {
      if (!(error instanceof InputProblem)) throw error;
      yield rest();
      // Its end is beyond everything: nothing behind it will ever be read.
      const place = { line: 1, column: 1, end: bytes + 1 };
      yield [
        {
          kind: "broken",
          reason: `${error.message} (at byte ${bytes})`,
          bytes: undefined,
          ...place,
        },
      ];
      return;
    }
    yield rest();
  }

  #readerFor(input: InputFile, head: Buffer): RecordReader {
    const { format, delimiter, areAllTexts } = this.#options;
    switch (format ?? formatOf(input.name, head)) {
      case "ndjson":
        return new LineRecords();
      case "json":
        return new JsonRecords();
      case "csv":
        return new CsvRecords({ delimiter, areAllTexts, name: input.name });
    }
  }
}

/** A pipe may give a few bytes at a time: a line that is not blank, or a good deal of one. */
function isTelling(head: Buffer): boolean {
  return head.length >= HEAD_BYTES || /\S.*\n/.test(head.toString("latin1"));
}
