/**
 * Vectors: arrays of numbers that are compared by one of three metrics.
 *
 * An element is what its data type makes of a number: the nearest float32 or float16, or a whole
 * number that fits in a byte. So a vector has one packed form, and a distance is a function of two
 * packed vectors: it is the same, bit by bit, whether they come from an item, from a parameter or
 * from a table in which thousands lie side by side.
 *
 * A value that is no vector of its type (nested, with other elements than numbers, with a fraction
 * where whole numbers belong) has no distance. Neither have two vectors of different lengths, nor a
 * vector of zeros under cosine.
 */
import type { BuiltIn, Value } from "./builtIn.ts";
import { flagOf } from "./define.ts";

export const METRICS = ["cosine", "dotproduct", "euclidean"] as const;
export type Metric = (typeof METRICS)[number];

export const ELEMENT_TYPES = ["float32", "float16", "int8", "uint8"] as const;
export type ElementType = (typeof ELEMENT_TYPES)[number];

/** `VectorDistance` with the metric, type and options of one call. */
interface VectorBuiltIn extends BuiltIn {
  readonly metric: Metric;
  readonly elementType: ElementType;
  /** How thoroughly an approximate search looks; 1 is the usual. */
  readonly thoroughness: number;
}

/** True when a larger value means nearer vectors, as with cosine and dot product. */
export function isLargerNearer(metric: Metric): boolean {
  return metric !== "euclidean";
}

/**
 * Returns the function for a metric and a type. Its third argument says how to search, and does not
 * change the value.
 */
export function vectorDistanceBy(
  metric: Metric,
  elementType: ElementType,
  thoroughness = 1,
): VectorBuiltIn {
  const [packLeft, packRight] = [packerOf(elementType), packerOf(elementType)];
  const call = ([left, right, bruteForce]: readonly Value[]): Value => {
    if (flagOf(bruteForce) === undefined) return undefined;
    const one = packLeft(left);
    const other = one && packRight(right);
    return one === undefined || other === undefined ? undefined : distanceOf(metric, one, other);
  };
  const about = { metric, elementType, thoroughness };
  return { name: "VECTORDISTANCE", argMin: 2, argMax: 4, isPure: true, ...about, call };
}

/** The function before its options and the policy of the container are known. */
export const VECTOR_DISTANCE: VectorBuiltIn = vectorDistanceBy("cosine", "float32");

export function isVectorBuiltIn(builtIn: BuiltIn): builtIn is VectorBuiltIn {
  return "metric" in builtIn;
}

/**
 * Returns a function that packs arrays, one after the other. Its result is overwritten by the next
 * call; the same array again, such as a parameter on every row, is not packed twice.
 */
export function packerOf(elementType: ElementType): (value: Value) => Float32Array | undefined {
  let last: Value;
  let packed: Float32Array | undefined;
  let room = new Float32Array(0);
  return (value) => {
    if (value === last && last !== undefined) return packed;
    last = value;
    packed = undefined;
    if (!Array.isArray(value)) return undefined;
    if (room.length !== value.length) room = new Float32Array(value.length);
    if (pack(value, elementType, room)) packed = room;
    return packed;
  };
}

function pack(values: readonly unknown[], elementType: ElementType, room: Float32Array): boolean {
  const isByte = elementType === "int8" || elementType === "uint8";
  const isHalf = elementType === "float16";
  const [min, max] = elementType === "int8" ? [-128, 127] : [0, 255];
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (typeof value !== "number") return false;
    if (isByte && !(Number.isInteger(value) && value >= min && value <= max)) return false;
    room[index] = isHalf ? halfOf(value) : value;
  }
  return true;
}

const HALF_OVERFLOW = 65_520;
const HALF_NORMAL_MIN = 2 ** -14;
/**
 * Adding this number to a double and taking it away again leaves a multiple of the smallest
 * half-precision number.
 */
const SUBNORMAL_SHIFT = 2 ** 28;
/** Splits a double into its upper 11 bits, as many as a half has, and the rest. */
const SPLITTER = 2 ** 42 + 1;

/** Returns the nearest half-precision number. */
function halfOf(value: number): number {
  const size = Math.abs(value);
  if (!(size < HALF_OVERFLOW)) return size >= HALF_OVERFLOW ? value * Infinity : value;
  if (size < HALF_NORMAL_MIN) return Math.sign(value) * (size + SUBNORMAL_SHIFT - SUBNORMAL_SHIFT);
  const scaled = value * SPLITTER;
  return scaled - (scaled - value);
}

/** Returns the distance; undefined when the lengths differ, or when it is no finite number. */
function distanceOf(metric: Metric, left: Float32Array, right: Float32Array): number | undefined {
  if (left.length !== right.length) return undefined;
  const squares = metric === "cosine" ? squaresOf(left, 0, left.length) : 0;
  const distance = comparisonTo(right, metric)(left, 0, squares);
  return Number.isFinite(distance) ? distance : undefined;
}

/** Returns the value for the vector at an offset, which may not be a finite number. */
export type Comparison = (
  vectors: Float32Array,
  offset: number,
  /** The squares of that vector, see `squaresOf`; only cosine needs them. */
  squares: number,
) => number;

/** Returns a function that compares many vectors of the same length with one. */
export function comparisonTo(query: Float32Array, metric: Metric): Comparison {
  const { length } = query;
  switch (metric) {
    case "dotproduct":
      return (vectors, offset) => dot(vectors, offset, query, length);
    case "euclidean":
      return (vectors, offset) => Math.sqrt(squaredGap(vectors, offset, query, length));
    case "cosine": {
      const own = squaresOf(query, 0, length);
      return (vectors, offset, squares) =>
        dot(vectors, offset, query, length) / Math.sqrt(squares * own);
    }
  }
}

/**
 * Returns the sum of squares, added up in the same order as in a dot product, so that a vector has
 * a cosine of one with itself.
 */
export function squaresOf(vectors: Float32Array, offset: number, length: number): number {
  return dot(vectors, offset, vectors.subarray(offset, offset + length), length);
}

/**
 * Returns the dot product. Four sums are kept side by side, so that an addition need not wait for
 * the one before it.
 */
function dot(vectors: Float32Array, offset: number, query: Float32Array, length: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let index = 0;
  for (; index + 3 < length; index += 4) {
    const at = offset + index;
    a += vectors[at]! * query[index]!;
    b += vectors[at + 1]! * query[index + 1]!;
    c += vectors[at + 2]! * query[index + 2]!;
    d += vectors[at + 3]! * query[index + 3]!;
  }
  for (; index < length; index++) a += vectors[offset + index]! * query[index]!;
  return a + b + (c + d);
}

function squaredGap(
  vectors: Float32Array,
  offset: number,
  query: Float32Array,
  length: number,
): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let index = 0;
  for (; index + 3 < length; index += 4) {
    const at = offset + index;
    const first = vectors[at]! - query[index]!;
    const second = vectors[at + 1]! - query[index + 1]!;
    const third = vectors[at + 2]! - query[index + 2]!;
    const fourth = vectors[at + 3]! - query[index + 3]!;
    a += first * first;
    b += second * second;
    c += third * third;
    d += fourth * fourth;
  }
  for (; index < length; index++) a += (vectors[offset + index]! - query[index]!) ** 2;
  return a + b + (c + d);
}
