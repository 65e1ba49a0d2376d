/**
 * Arrays as parameters, in PostgreSQL's binary form: the driver sends a buffer as it is, while it
 * would turn an array of buffers into text of more than twice the length.
 */

/** Numbers of the types in PostgreSQL's own catalogue. */
const BYTEA = 17;
const INT8 = 20;
const INT4 = 23;

/** Dimensions, whether there are nulls, type; then length and lower bound of the one dimension. */
const HEADER_BYTES = 20;

/** Byte strings, as latin1 text or as bytes. */
export function byteaArray(values: readonly (string | Uint8Array)[]): Buffer {
  let total = HEADER_BYTES;
  for (const value of values) total += 4 + value.length;
  const into = begun(BYTEA, values.length, total);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = into.writeInt32BE(value.length, at);
    if (typeof value === "string") at += into.write(value, at, "latin1");
    else {
      into.set(value, at);
      at += value.length;
    }
  }
  return into;
}

/** Whole numbers whose size is below 2^53. */
export function int8Array(values: readonly number[]): Buffer {
  const into = begun(INT8, values.length, HEADER_BYTES + 12 * values.length);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = into.writeInt32BE(8, at);
    at = into.writeBigInt64BE(BigInt(value), at);
  }
  return into;
}

export function int4Array(values: readonly number[]): Buffer {
  const into = begun(INT4, values.length, HEADER_BYTES + 8 * values.length);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = into.writeInt32BE(4, at);
    at = into.writeInt32BE(value, at);
  }
  return into;
}

function begun(type: number, length: number, bytes: number): Buffer {
  const into = Buffer.allocUnsafe(bytes);
  into.writeInt32BE(1, 0);
  into.writeInt32BE(0, 4);
  into.writeInt32BE(type, 8);
  into.writeInt32BE(length, 12);
  into.writeInt32BE(1, 16);
  return into;
}
