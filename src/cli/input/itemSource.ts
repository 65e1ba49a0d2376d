/** Inputs as records: which reader the form of an input needs, and its chunks through it. */
import { statSync } from "node:fs";
import { HeaderProblem } from "../../itemFile/csvRecords.ts";
import { formatOf, type InputFormat, readerOf } from "../../itemFile/itemFormat.ts";
import type { FoundRecord, RecordReader } from "../../itemFile/record.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { type InputFile, InputProblem, openInput } from "./inputFile.ts";

interface SourceOptions {
  /** Undefined: by the name of the input, or by how it begins. */
  readonly format: InputFormat | undefined;
  readonly delimiter: string | undefined;
  readonly areAllTexts: boolean;
  /** Called once it is known what the input is, before the first record. */
  readonly onFormat?: (format: InputFormat, head: Buffer) => void;
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

/** Undefined for an empty file: an export of an empty container is one, and nothing is wrong. */
export function openedUnlessEmpty(file: string): InputFile | undefined {
  const stats = file === "-" ? undefined : statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size === 0 ? undefined : openInput(file);
}

/**
 * The records of one input, chunk by chunk. What ends in the middle gives what came before, and
 * then a broken record. A row of names that cannot be used is a `CommandFailure`.
 */
export class ItemSource {
  readonly #input: InputFile | undefined;
  readonly #options: SourceOptions;
  #reader: RecordReader | undefined;

  constructor(input: InputFile | undefined, options: SourceOptions) {
    this.#input = input;
    this.#options = options;
  }

  get readBytes(): number {
    return this.#input?.readBytes() ?? 0;
  }

  /** What was assumed about the input; complete when all was read. */
  get remarks(): readonly string[] {
    return this.#reader?.remarks ?? [];
  }

  async *records(): AsyncGenerator<readonly FoundRecord[], void> {
    if (this.#input === undefined) return;
    try {
      yield* this.#recordsOf(this.#input);
    } catch (error) {
      throw error instanceof HeaderProblem ? new CommandFailure(error.message) : error;
    }
  }

  async *#recordsOf(input: InputFile): AsyncGenerator<readonly FoundRecord[], void> {
    /** What came before it could be told what it is. */
    let head = Buffer.alloc(0);
    let bytes = 0;
    let problem: InputProblem | undefined;
    try {
      for await (const chunk of input.chunks()) {
        let buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
        bytes += buffer.length;
        if (this.#reader === undefined) {
          buffer = head = Buffer.concat([head, buffer]);
          if (!isTelling(head)) continue;
          this.#reader = this.#readerFor(input, head);
        }
        yield this.#reader.push(buffer);
      }
    } catch (error) {
      if (!(error instanceof InputProblem)) throw error;
      problem = error;
    }
    yield this.#rest(input, head);
    if (problem !== undefined) yield [cutAt(bytes, problem)];
  }

  #rest(input: InputFile, head: Buffer): readonly FoundRecord[] {
    if (this.#reader !== undefined) return this.#reader.end();
    if (head.length === 0) return [];
    this.#reader = this.#readerFor(input, head);
    return [...this.#reader.push(head), ...this.#reader.end()];
  }

  #readerFor(input: InputFile, head: Buffer): RecordReader {
    const format = this.#options.format ?? formatOf(input.name, head);
    this.#options.onFormat?.(format, head);
    return readerOf(format, { ...this.#options, name: input.name });
  }
}

function cutAt(bytes: number, { message }: InputProblem): FoundRecord {
  return {
    kind: "broken",
    reason: message,
    bytes: undefined,
    atByte: bytes,
    line: 1,
    column: 1,
    // Beyond everything: nothing behind it will ever be read.
    end: bytes + 1,
  };
}

/** A pipe may give a few bytes at a time: a line that is not blank, or a good deal of one. */
function isTelling(head: Buffer): boolean {
  return head.length >= HEAD_BYTES || /\S.*\n/.test(head.toString("latin1"));
}
