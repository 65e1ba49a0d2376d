/**
 * The load of one slot of time by place in the key space: RU and throttled requests for each of 256
 * equal stretches, called buckets. Also the packed form of such a row.
 *
 * A packed number takes 16 bits: whole numbers up to 2048 are exact, all others have an error of at
 * most one part in 2048. That is more than a picture can show. Numbers need not be whole, because
 * load may be spread over many buckets.
 */
import { ByteReader, ByteWriter } from "./bytes.ts";
import type { Packing } from "./packedRing.ts";

export const BUCKET_COUNT = 256;

export interface HeatRow {
  readonly ru: Float64Array;
  readonly throttled: Float64Array;
}

export type HeatMetric = keyof HeatRow;

export function newHeatRow(): HeatRow {
  return { ru: new Float64Array(BUCKET_COUNT), throttled: new Float64Array(BUCKET_COUNT) };
}

export function addHeat(row: HeatRow, added: HeatRow): void {
  for (let bucket = 0; bucket < BUCKET_COUNT; bucket++) {
    row.ru[bucket]! += added.ru[bucket]!;
    row.throttled[bucket]! += added.throttled[bucket]!;
  }
}

export const HEAT_PACKING: Packing<HeatRow> = {
  make: newHeatRow,
  merge: addHeat,
  pack(row) {
    const writer = new ByteWriter();
    packNumbers(writer, row.ru);
    packNumbers(writer, row.throttled);
    return writer.finish();
  },
  unpack(bytes) {
    const row = newHeatRow();
    const reader = new ByteReader(bytes);
    unpackNumbers(reader, row.ru);
    unpackNumbers(reader, row.throttled);
    return reader.isDone ? row : undefined;
  },
};

/** Units per 1 when numbers are packed; less than half a unit becomes zero. */
const UNITS = 2 ** 20;

/**
 * The packed forms of a row: all zero, the numbers that are not zero with a bit map, or all
 * numbers.
 */
const EMPTY = 0;
const SPARSE = 1;
const DENSE = 2;
const MAP_BYTES = BUCKET_COUNT / 8;
const ALL_GIVEN: Uint8Array = new Uint8Array(MAP_BYTES).fill(0xff);

/**
 * Of the 16 bits, the upper 6 say how often the lower 10, with an eleventh bit above them, are
 * doubled.
 */
const FRACTION = 1024;
const CODE_MAX = 0xffff;
const POWERS: readonly number[] = Array.from({ length: 64 }, (_, power) => 2 ** power);

function packNumbers(writer: ByteWriter, numbers: Float64Array): void {
  const codes = Array.from(numbers, (number) => codeOf(Math.round(number * UNITS)));
  const used = codes.filter((code) => code !== 0);
  if (used.length === 0) {
    writer.byte(EMPTY);
    return;
  }
  const isDense = 2 * used.length + MAP_BYTES >= 2 * BUCKET_COUNT;
  writer.byte(isDense ? DENSE : SPARSE);
  if (!isDense) {
    const map = new Uint8Array(MAP_BYTES);
    codes.forEach((code, bucket) => {
      if (code !== 0) map[bucket >>> 3]! |= 1 << (bucket & 7);
    });
    writer.bytes(map);
  }
  for (const code of isDense ? codes : used) {
    writer.byte(code >>> 8);
    writer.byte(code & 0xff);
  }
}

function unpackNumbers(reader: ByteReader, numbers: Float64Array): void {
  const form = reader.byte();
  if (form > DENSE) reader.fail();
  if (form === EMPTY || reader.isBroken) return;
  const map = form === DENSE ? ALL_GIVEN : reader.bytes(MAP_BYTES);
  const codes = reader.bytes(2 * bitCountOf(map));
  if (reader.isBroken) return;
  let at = 0;
  for (let bucket = 0; bucket < BUCKET_COUNT; bucket++) {
    if ((map[bucket >>> 3]! & (1 << (bucket & 7))) === 0) continue;
    numbers[bucket] = numberOf(codes[at]! * 256 + codes[at + 1]!) / UNITS;
    at += 2;
  }
}

function bitCountOf(map: Uint8Array): number {
  let count = 0;
  for (const byte of map) for (let bits = byte; bits !== 0; bits &= bits - 1) count++;
  return count;
}

/**
 * Returns the code of a natural number. When rounding reaches the next power of two, the carry
 * gives the right code.
 */
function codeOf(number: number): number {
  if (number < 2 * FRACTION) return number;
  const doublings = Math.floor(Math.log2(number)) - 10;
  return Math.min(doublings * FRACTION + Math.round(number / 2 ** doublings), CODE_MAX);
}

function numberOf(code: number): number {
  const doublings = Math.max(0, Math.floor(code / FRACTION) - 1);
  return (code - doublings * FRACTION) * POWERS[doublings]!;
}
