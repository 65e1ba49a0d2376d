/**
 * One row: its header, then the columns of its schema by how they are stored.
 *
 *   version (1 byte), schema id (4), a bit for each fixed and variable column that is there,
 *   all fixed columns, absent ones as zeros
 *   the variable columns that are there: length (varuint), bytes
 *   the sparse columns that are there, in any order: type code (1), token (varuint), value
 *
 * Numbers are little endian. A token stands for the name of a column: its place in the schema,
 * counted from 1. A schema lists fixed columns first and sparse ones last; bits and tokens rely on
 * that. What comes out of `decodeRow` has columns of the schema only, each of its type; whatever
 * the bytes are, the work is bounded by them.
 *
 * Not here: columns of other types, nested ones, and those that no schema names. No batch has one.
 */
import { isUtf8 } from "node:buffer";
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { ROW_HEADER_BYTES, ROW_VERSION, writeRowHeader } from "./recordIo.ts";

export interface RowColumn {
  readonly name: string;
  readonly type: "int32" | "uint32" | "float64" | "bool" | "utf8" | "binary";
  readonly storage: "fixed" | "variable" | "sparse";
}

export interface RowSchema {
  readonly id: number;
  readonly columns: readonly RowColumn[];
}

export type ColumnValue = number | boolean | string | Buffer;

/** By name; a column that is absent has no entry. */
export type Row = ReadonlyMap<string, ColumnValue>;

export function decodeRow(bytes: Buffer, schema: RowSchema): Result<Row, string> {
  try {
    return ok(readRow(new Cursor(bytes), schema));
  } catch (caught) {
    if (caught instanceof Malformed) return no(caught.message);
    throw caught;
  }
}

export function encodeRow(row: Row, { id, columns }: RowSchema): Buffer {
  const stored = storedColumns(columns);
  const head = Buffer.alloc(ROW_HEADER_BYTES + Math.ceil(stored.length / 8));
  writeRowHeader(head, id);
  const parts: Buffer[] = [head];
  columns.forEach((column, index) => {
    const value = row.get(column.name);
    if (value === undefined) {
      if (column.storage === "fixed") parts.push(Buffer.alloc(NUMBER_BYTES[column.type]!));
      return;
    }
    if (column.storage === "sparse")
      parts.push(Buffer.of(codeOf(column, value)), varuint(index + 1));
    else head[ROW_HEADER_BYTES + (index >> 3)]! |= 1 << (index & 7);
    parts.push(...valueBytes(column, value));
  });
  return Buffer.concat(parts);
}

/** A row that cannot be read. It unwinds the reader, and does not leave this file. */
class Malformed extends Error {}

const NUMBER_BYTES: Readonly<Partial<Record<RowColumn["type"], number>>> = {
  int32: 4,
  uint32: 4,
  float64: 8,
};

/** What stands before a sparse value. That of a boolean is the value itself. */
const TYPE_CODES: Readonly<Record<RowColumn["type"], number>> = {
  bool: 3,
  int32: 7,
  uint32: 11,
  float64: 16,
  utf8: 20,
  binary: 21,
};
const FALSE_CODE = 2;

/** Columns that have a bit. */
function storedColumns(columns: readonly RowColumn[]): readonly RowColumn[] {
  return columns.filter(({ storage }) => storage !== "sparse");
}

function readRow(cursor: Cursor, { id, columns }: RowSchema): Row {
  const header = cursor.take(ROW_HEADER_BYTES);
  if (header[0] !== ROW_VERSION) throw new Malformed("it does not begin like a row.");
  const schemaId = header.readInt32LE(1);
  if (schemaId !== id) throw new Malformed(`its schema is ${schemaId}, not ${id}.`);
  const row = new Map<string, ColumnValue>();
  const stored = storedColumns(columns);
  const bits = cursor.take(Math.ceil(stored.length / 8));
  stored.forEach((column, index) => {
    const isThere = ((bits[index >> 3]! >> (index & 7)) & 1) === 1;
    if (isThere) row.set(column.name, readValue(cursor, column));
    else if (column.storage === "fixed") cursor.take(NUMBER_BYTES[column.type]!);
  });
  while (!cursor.isAtEnd) {
    const code = cursor.byte();
    const token = cursor.varuint();
    const column = columns[token - 1];
    if (column?.storage !== "sparse") throw new Malformed("it has a column that is not known.");
    const isFalse = column.type === "bool" && code === FALSE_CODE;
    if (code !== TYPE_CODES[column.type] && !isFalse) {
      throw new Malformed(`its column ${column.name} has another type than ${column.type}.`);
    }
    row.set(column.name, column.type === "bool" ? !isFalse : readValue(cursor, column));
  }
  return row;
}

function readValue(cursor: Cursor, { name, type }: RowColumn): ColumnValue {
  if (type === "int32") return cursor.take(4).readInt32LE();
  if (type === "uint32") return cursor.take(4).readUInt32LE();
  if (type === "float64") return cursor.take(8).readDoubleLE();
  const bytes = cursor.take(cursor.varuint());
  if (type === "binary") return bytes;
  if (!isUtf8(bytes)) throw new Malformed(`its column ${name} is not UTF-8.`);
  return bytes.toString();
}

function codeOf({ type }: RowColumn, value: ColumnValue): number {
  return value === false ? FALSE_CODE : TYPE_CODES[type];
}

function valueBytes({ type }: RowColumn, value: ColumnValue): readonly Buffer[] {
  if (typeof value === "boolean") return [];
  if (typeof value !== "number") {
    const bytes = typeof value === "string" ? Buffer.from(value) : value;
    return [varuint(bytes.length), bytes];
  }
  const bytes = Buffer.alloc(NUMBER_BYTES[type]!);
  if (type === "int32") bytes.writeInt32LE(value);
  else if (type === "uint32") bytes.writeUInt32LE(value);
  else bytes.writeDoubleLE(value);
  return [bytes];
}

/** Seven bits to a byte, the lowest first; the eighth says that more follow. */
function varuint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/** More is not needed for a length, and bits beyond it would not be exact. */
const VARUINT_BYTES_MAX = 5;

/** A reader that goes through the bytes, and never beyond them. */
class Cursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  take(count: number): Buffer {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new Malformed("it ends inside a column.");
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  byte(): number {
    return this.take(1)[0]!;
  }

  varuint(): number {
    let value = 0;
    for (let place = 0; place < VARUINT_BYTES_MAX; place++) {
      const byte = this.byte();
      value += (byte & 0x7f) * 0x80 ** place;
      if (byte < 0x80) return value;
    }
    throw new Malformed("it has a length that is too long.");
  }
}
