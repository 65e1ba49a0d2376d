/** Distances of vectors: a table of rules, then every metric against its definition. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Value } from "./builtIn.ts";
import type { ElementType, Metric } from "./vector.ts";
import { comparisonTo, METRICS, packerOf, squaresOf, vectorDistanceBy } from "./vector.ts";

const distance = (args: readonly Value[], metric: Metric, type: ElementType = "float32"): Value =>
  vectorDistanceBy(metric, type).call(args, undefined as never);

describe("VectorDistance", () => {
  test.each<[string, Metric, ElementType, readonly Value[], Value]>([
    [
      "the same direction",
      "cosine",
      "float32",
      [
        [1, 2],
        [2, 4],
      ],
      1,
    ],
    [
      "opposite directions",
      "cosine",
      "float32",
      [
        [0, 2],
        [0, -1],
      ],
      -1,
    ],
    [
      "a right angle",
      "cosine",
      "float32",
      [
        [0, 2],
        [3, 0],
      ],
      0,
    ],
    [
      "a sum of products",
      "dotproduct",
      "float32",
      [
        [1, 2, 3, 4, 5],
        [1, 1, 1, 1, 2],
      ],
      20,
    ],
    [
      "a length",
      "euclidean",
      "float32",
      [
        [0, 0],
        [3, 4],
      ],
      5,
    ],
    [
      "nothing between equals",
      "euclidean",
      "float32",
      [
        [0.1, 0.7],
        [0.1, 0.7],
      ],
      0,
    ],
    ["no dimension", "euclidean", "float32", [[], []], 0],
    ["brute force", "euclidean", "float32", [[1], [3], true], 2],
    ["brute force undefined", "euclidean", "float32", [[1], [3], undefined], 2],
    ["brute force of another type", "euclidean", "float32", [[1], [3], "yes"], undefined],
    ["different lengths", "euclidean", "float32", [[1], [1, 2]], undefined],
    [
      "an element that is no number",
      "dotproduct",
      "float32",
      [
        [1, "2"],
        [1, 2],
      ],
      undefined,
    ],
    ["a nested array", "dotproduct", "float32", [[[1]], [1]], undefined],
    ["no array", "dotproduct", "float32", [{}, [1]], undefined],
    ["nothing", "dotproduct", "float32", [undefined, [1]], undefined],
    [
      "no direction",
      "cosine",
      "float32",
      [
        [0, 0],
        [1, 2],
      ],
      undefined,
    ],
    ["more than a float32 holds", "dotproduct", "float32", [[1e300], [1]], undefined],
    ["a float32", "dotproduct", "float32", [[0.1], [1]], Math.fround(0.1)],
    ["a float16", "dotproduct", "float16", [[0.1], [1]], 0.0999755859375],
    ["a small float16", "dotproduct", "float16", [[1e-7], [1]], 2 ** -23],
    ["more than a float16 holds", "dotproduct", "float16", [[65_520], [1]], undefined],
    ["bytes", "dotproduct", "uint8", [[255], [2]], 510],
    ["no byte", "dotproduct", "uint8", [[256], [1]], undefined],
    ["a fraction of a byte", "dotproduct", "uint8", [[0.5], [1]], undefined],
    ["a signed byte", "dotproduct", "int8", [[-128], [127]], -16_256],
    ["no signed byte", "dotproduct", "int8", [[128], [1]], undefined],
  ])("%s: %s of %s", (_, metric, type, args, expected) => {
    expect(distance(args, metric, type)).toBe(expected);
  });

  const vectors = fc.integer({ min: 1, max: 40 }).chain((length) => {
    const vector = fc.array(fc.float({ min: -2, max: 2, noNaN: true }), {
      minLength: length,
      maxLength: length,
    });
    return fc.tuple(vector, vector);
  });

  test("is what its definition says, to the last digits", () => {
    fc.assert(
      fc.property(vectors, fc.constantFrom(...METRICS), ([left, right], metric) => {
        const expected = naive(left, right, metric);
        const found = distance([left, right], metric);
        if (Number.isFinite(expected)) expect(found).toBeCloseTo(expected, 9);
        else expect(found).toBeUndefined();
      }),
    );
  });

  test("is the same for a vector among others", () => {
    fc.assert(
      fc.property(vectors, fc.constantFrom(...METRICS), ([left, right], metric) => {
        const table = Float32Array.from([...right, ...left, ...right]);
        const query = Float32Array.from(right);
        const squares = squaresOf(table, left.length, left.length);
        const found = comparisonTo(query, metric)(table, left.length, squares);
        const alone = distance([left, right], metric);
        expect(Number.isFinite(found) ? found : undefined).toBe(alone);
      }),
    );
  });

  test("packing goes on after what is no vector, and after the same array twice", () => {
    const pack = packerOf("float32");
    const array = [1, 2];
    expect(pack(array)).toEqual(Float32Array.of(1, 2));
    expect(pack("x")).toBeUndefined();
    expect(pack(array)).toEqual(Float32Array.of(1, 2));
    expect(pack(array)).toEqual(Float32Array.of(1, 2));
    expect(pack([3])).toEqual(Float32Array.of(3));
  });
});

function naive(left: readonly number[], right: readonly number[], metric: Metric): number {
  const sum = (of: (at: number) => number): number =>
    left.reduce((total, _, at) => total + of(at), 0);
  const product = sum((at) => left[at]! * right[at]!);
  if (metric === "dotproduct") return product;
  if (metric === "euclidean") return Math.sqrt(sum((at) => (left[at]! - right[at]!) ** 2));
  return product / Math.sqrt(sum((at) => left[at]! ** 2) * sum((at) => right[at]! ** 2));
}
