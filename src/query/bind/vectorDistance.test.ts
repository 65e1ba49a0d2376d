/** What a call of VectorDistance is about, and what is wrong with one. */
import { describe, expect, test } from "vitest";
import type { Value } from "../functions/builtIn.ts";
import type { Metric } from "../functions/vector.ts";
import { isVectorBuiltIn } from "../functions/vector.ts";
import { parseQuery } from "../language/parser.ts";
import { bindProgram } from "./bind.ts";
import type { BoundProgram, BoundQuery } from "./bound.ts";
import type { Embedding } from "./vectorDistance.ts";

const POLICY: ReadonlyMap<string, Embedding> = new Map([
  ["v", { metric: "euclidean", elementType: "int8", dimensions: 2 }],
  ["a/v", { metric: "dotproduct", elementType: "float16", dimensions: 2 }],
]);

function bound(text: string): ReturnType<typeof bindProgram> {
  const query = parseQuery(text);
  if (!query.ok) throw new Error(text);
  return bindProgram(query.value, {
    computed: new Map(),
    embeddingAt: (segments) => POLICY.get(segments.join("/")),
  });
}

function queryOf(text: string): BoundQuery {
  const program = bound(text) as { readonly ok: true; readonly value: BoundProgram };
  expect(program.ok, text).toBe(true);
  return program.value.query;
}

function callIn(args: string): { readonly about: string; readonly values: readonly Value[] } {
  const { selection } = queryOf(`SELECT VALUE VectorDistance(${args}) FROM c`);
  const call = selection.kind === "value" ? selection.expression : undefined;
  if (call?.kind !== "call" || !isVectorBuiltIn(call.builtIn)) throw new Error(args);
  const values = call.args.map((arg) => (arg.kind === "constant" ? arg.value : undefined));
  return { about: `${call.builtIn.metric} ${call.builtIn.elementType}`, values };
}

describe("what is compared, and how", () => {
  test.each([
    ["c.v, [1, 2]", "euclidean int8"],
    ["[1, 2], c.v", "euclidean int8"],
    ["c['a'].v, @q", "dotproduct float16"],
    ["c.w, @q", "cosine float32"],
    ["[1], [2]", "cosine float32"],
    ["c.v, @q, true, {distanceFunction: 'Cosine'}", "cosine int8"],
    ["c.v, @q, @b, {'dataType': 'FLOAT32'}", "euclidean float32"],
    [
      "c.w, @q, false, {distanceFunction: 'dotProduct', dataType: 'Uint8', filterPriority: 0.5, " +
        "searchListSizeMultiplier: 100, quantizedVectorListMultiplier: 1}",
      "dotproduct uint8",
    ],
  ])("%s: %s", (args, about) => expect(callIn(args).about).toBe(about));

  test("a vector that is written out is one value", () => {
    expect(callIn("[-1, 2.5], c.v, undefined").values).toEqual([[-1, 2.5], undefined, undefined]);
    expect(callIn("[1, @x], c.v").values[0]).toBeUndefined();
  });

  test.each<[Metric, boolean]>([
    ["cosine", true],
    ["dotproduct", true],
    ["euclidean", false],
  ])("an order by %s goes down: %s", (metric, isDown) => {
    const distance = `VectorDistance(c.v, @q, false, {distanceFunction: '${metric}'})`;
    const { orderBy } = queryOf(`SELECT TOP 1 * FROM c ORDER BY ${distance}`);
    expect(orderBy.map(({ isDescending }) => isDescending)).toEqual([isDown]);
  });
});

test("a rank of one distance is an order by it", () => {
  const { orderBy, rank } = queryOf("SELECT TOP 1 * FROM c ORDER BY RANK VectorDistance(c.v, @q)");
  expect(rank).toBeUndefined();
  expect(orderBy.map(({ isDescending }) => isDescending)).toEqual([false]);
  expect(queryOf("SELECT TOP 1 * FROM c ORDER BY VectorDistance(c.v, @q)").orderBy).toMatchObject([
    { isDescending: false },
  ]);
});

describe("what is refused", () => {
  test.each([
    ["c.v", "requires 2 to 4 argument(s)"],
    ["c.v, @q, 1", "must be true or false"],
    ["c.v, @q, null", "must be true or false"],
    ["c.v, @q, true, @options", "an object that is written out"],
    ["c.v, @q, true, {distanceFunction: 'manhattan'}", "'distanceFunction' must be one of cosine"],
    ["c.v, @q, true, {distanceFunction: @f}", "as a string"],
    ["c.v, @q, true, {dataType: 32}", "'dataType' must be one of float32"],
    ["c.v, @q, true, {searchListSizeMultiplier: 0}", "The value must be between 1 and 100."],
    ["c.v, @q, true, {searchListSizeMultiplier: -100}", "value -100 specified"],
    ["c.v, @q, true, {searchListSizeMultiplier: '1'}", "from 1 to 100"],
    ["c.v, @q, true, {quantizedVectorListMultiplier: 1.5}", "from 1 to 100"],
    ["c.v, @q, true, {filterPriority: 2}", "from 0 to 1"],
    ["c.v, @q, true, {metric: 'cosine'}", "There is no option 'metric'"],
  ])("%s: %s", (args, told) => {
    const program = bound(`SELECT VALUE VectorDistance(${args}) FROM c`);
    expect(JSON.stringify(program)).toContain(told);
    expect(program.ok).toBe(false);
  });
});
