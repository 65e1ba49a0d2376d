/** Arrays in binary form, read back by the rules of the protocol. */
import { expect, test } from "vitest";
import { byteaArray, int4Array, int8Array } from "./binaryArrays.ts";

/** Type and elements of an array in binary form. */
function decoded(bytes: Buffer): readonly [type: number, elements: readonly Buffer[]] {
  expect([bytes.readInt32BE(0), bytes.readInt32BE(4), bytes.readInt32BE(16)]).toEqual([1, 0, 1]);
  const elements: Buffer[] = [];
  let at = 20;
  while (at < bytes.length) {
    const length = bytes.readInt32BE(at);
    elements.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  expect(elements).toHaveLength(bytes.readInt32BE(12));
  return [bytes.readInt32BE(8), elements];
}

test("byte strings keep every byte, whether text or bytes", () => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  const [type, elements] = decoded(byteaArray([all.toString("latin1"), all, "", "x"]));
  expect(type).toBe(17);
  expect(elements).toEqual([all, all, Buffer.alloc(0), Buffer.from("x")]);
});

test("numbers keep every digit below 2^53, and their sign", () => {
  const numbers = [0, -1, 2 ** 32, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER];
  const [type, elements] = decoded(int8Array(numbers));
  expect(type).toBe(20);
  expect(elements.map((bytes) => Number(bytes.readBigInt64BE()))).toEqual(numbers);
  const [smallType, small] = decoded(int4Array([7, -(2 ** 31)]));
  expect(smallType).toBe(23);
  expect(small.map((bytes) => bytes.readInt32BE())).toEqual([7, -(2 ** 31)]);
});
