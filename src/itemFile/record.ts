/**
 * What comes out of an input before anybody knows whether it is an item: its own bytes and its
 * place. The bytes are slices of the chunks that were read, not copies.
 *
 * Every reader gives what it finds in the order of the input, and `end` never falls. Blank lines
 * are nothing. Whatever is longer than `RECORD_BYTES_MAX` is told as broken, and was never held.
 */
import type { Buffer } from "node:buffer";
import type { CsvColumn } from "./csvColumns.ts";

export interface RecordPlace {
  /** Both count from 1; columns are in bytes. */
  readonly line: number;
  readonly column: number;
  /** How many bytes of the unzipped input are behind us after it. */
  readonly end: number;
}

export interface JsonRecord extends RecordPlace {
  readonly kind: "json";
  readonly bytes: Buffer;
}

/** A row of CSV. */
export interface RowRecord extends RecordPlace {
  readonly kind: "row";
  readonly columns: readonly CsvColumn[];
  readonly cells: readonly string[];
  readonly bytes: Buffer;
}

interface BrokenRecord extends RecordPlace {
  readonly kind: "broken";
  readonly reason: string;
  /** Undefined when there was too much of it to hold. */
  readonly bytes: Buffer | undefined;
  /** Of unzipped bytes, when the input ends or breaks there and no line is to blame. */
  readonly atByte?: number;
}

export type FoundRecord = JsonRecord | RowRecord | BrokenRecord;

export interface RecordReader {
  /** The next bytes, cut anywhere. They are kept as long as what was found in them. */
  push(chunk: Buffer): readonly FoundRecord[];
  /** There is no more: what was still open. */
  end(): readonly FoundRecord[];
  /** What the reader has assumed about the input, in sentences. */
  readonly remarks: readonly string[];
}

/** Four times what the service takes: an item may be written with more white space than counts. */
export const RECORD_BYTES_MAX: number = 8 * 1024 * 1024;

export const TOO_LONG_REASON: string = `it is longer than ${RECORD_BYTES_MAX / 1024 / 1024} MB`;
