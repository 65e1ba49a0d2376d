/**
 * A printed workload, read again, is the same workload. Where a candidate stands in its file is
 * the only thing that may differ.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { OPERATION_KINDS } from "./operationField.ts";
import { printWorkload } from "./printWorkload.ts";
import type {
  Distribution,
  NamedCandidate,
  Operation,
  PropertyShape,
  Workload,
} from "./workload.ts";
import { readWorkload } from "./workloadText.ts";

const amount = fc.double({ min: 0, max: 1e12, noNaN: true }).map((value) => value + 0);
const positive = fc.oneof(fc.integer({ min: 1, max: 1e9 }), fc.constant(0.125));
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const share = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0);
const anyText = fc.oneof(
  fc.string({ unit: "binary-ascii" }),
  fc.constantFrom(
    "",
    "now - 7 days",
    "true",
    "0x10",
    "1e3",
    "- a",
    "# no",
    "a: b",
    "ünï✓",
    "__proto__",
  ),
);
const step = fc.constantFrom(
  "a",
  "b",
  "tenantId",
  "with space",
  "sl/ash",
  "__proto__",
  "é",
  '"q"',
  "-",
);
const pathOf = (steps: readonly string[]): string =>
  steps.map((name) => (/^[\p{L}\w$@.-]+$/u.test(name) ? `/${name}` : `/${quoted(name)}`)).join("");
const quoted = (name: string): string => `"${name.replaceAll('"', '\\"')}"`;
const path = fc.array(step, { minLength: 1, maxLength: 3 }).map(pathOf);
const hours = fc.array(positive, { minLength: 24, maxLength: 24 });
/** No texts that look like times: they would be taken for such. */
const value: fc.Arbitrary<JsonValue> = fc
  .oneof(
    fc.boolean(),
    fc.constant(null),
    anyText,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
    fc.array(anyText, { maxLength: 2 }),
  )
  .filter((one) => !/^\d{4}-/.test(String(one)));

const distribution: fc.Arbitrary<Distribution> = fc.oneof(
  fc.constant<Distribution>({ kind: "uniform" }),
  amount.map((s): Distribution => ({ kind: "zipf", s })),
  fc.uniqueArray(anyText, { minLength: 1, maxLength: 4 }).map(
    (names): Distribution => ({
      kind: "shares",
      shares: new Map(names.map((name) => [name, 1 / names.length])),
    }),
  ),
  fc.tuple(share, amount, positive).map(
    ([values, weight, other]): Distribution => ({
      kind: "classes",
      classes: [
        { values, weight },
        { values: 1 - values, weight: other },
      ],
    }),
  ),
);

const property: fc.Arbitrary<PropertyShape> = fc
  .record({
    path,
    count: maybe(fc.integer({ min: 4, max: 1e9 })),
    isUnique: fc.boolean(),
    items: distribution,
    requests: maybe(distribution),
    time: maybe(fc.constantFrom("second", "week", "year")),
    changes: fc.boolean(),
    missingShare: share,
  })
  .map(({ count, ...shape }) => ({
    ...shape,
    distinct: shape.items.kind === "shares" ? shape.items.shares.size : count,
    requests: shape.items.kind === "shares" ? undefined : shape.requests,
    within: undefined,
    distinctWithin: undefined,
  }));

const parameter = fc.record({
  like: maybe(path),
  distribution: maybe(distribution),
  agoDays: maybe(amount),
  values: maybe(fc.array(value, { maxLength: 3 })),
});

const operation: fc.Arbitrary<Operation> = fc
  .record({
    id: anyText,
    kind: fc.constantFrom(...OPERATION_KINDS),
    ratePerSecond: positive,
    peakFactor: maybe(positive.map((factor) => factor + 1)),
    hours: maybe(hours),
    shape: parameter,
    knows: maybe(fc.array(path, { maxLength: 2 })),
    resultItems: maybe(amount),
    pageSize: fc.integer({ min: 1, max: 1000 }),
    ru: maybe(amount),
    ruPartitions: maybe(fc.integer({ min: 1, max: 100 })),
    changes: fc.array(path, { maxLength: 2 }),
    transactionScope: maybe(fc.array(path, { maxLength: 2 })),
    ageDays: maybe(amount),
  })
  .map(({ shape, ...one }) => ({
    ...one,
    sql: one.kind === "query" ? "SELECT *\nFROM c -- all\nWHERE c.a = @p\t" : undefined,
    parameters: new Map(one.kind === "query" ? [["@p", shape]] : []),
    knows: one.knows && [...new Set(one.knows)],
  }));

const candidate: fc.Arbitrary<NamedCandidate> = fc.record({
  id: anyText,
  levels: fc.oneof(
    path.map((one) => [one]),
    fc.tuple(path, path).map((both) => both),
    fc.constantFrom(["concat(/a, '-', month(/b))"], ["hash(/a) % 20"], ["suffix(/a, random(), 9)"]),
  ),
  facts: maybe(
    fc.record({
      distinctKeys: maybe(amount),
      largestKeyStorageShare: maybe(share),
      hottestKeyWriteShare: maybe(share),
      hottestKeyReadShare: maybe(share),
      pins: maybe(fc.constant(["only"])),
      boundedFanout: maybe(amount.map((count) => new Map([["only", count]]))),
      isMutable: maybe(fc.boolean()),
      breaksTransactions: maybe(fc.constant([])),
    }),
  ),
  place: fc.constant(""),
});

const workload: fc.Arbitrary<Workload> = fc
  .record({
    name: anyText,
    title: anyText,
    bytes: maybe(positive.map((bytes) => bytes + 1)),
    example: maybe(fc.dictionary(anyText, value, { maxKeys: 4 }) as fc.Arbitrary<JsonObject>),
    properties: fc.uniqueArray(property, { maxLength: 4, selector: (one) => one.path }),
    growth: fc.record({
      itemsPerDay: amount,
      initialItems: amount,
      retentionDays: maybe(positive),
      perMonth: share,
      peakFactor: positive.map((factor) => factor + 1),
      hours: maybe(hours),
    }),
    throughput: maybe(
      fc.record({
        mode: fc.constantFrom("manual", "autoscale", "serverless"),
        ratePerSecond: positive.map((one) => one + 1),
      }),
    ),
    consistency: fc.constantFrom(
      "strong",
      "session",
      "eventual",
      "boundedStaleness",
      "consistentPrefix",
    ),
    operations: fc.uniqueArray(operation, { maxLength: 3, selector: ({ id }) => id }),
    candidates: fc.uniqueArray(candidate, { maxLength: 3, selector: ({ id }) => id }),
    horizonMonths: fc.integer({ min: 1, max: 600 }),
    remarks: fc.uniqueArray(anyText, { maxLength: 2 }),
  })
  .map(({ bytes, example, properties, operations, ...others }) => ({
    ...others,
    item: { bytes, example },
    properties: new Map(properties.map((shape) => [shape.path, shape])),
    operations: [...operations.filter(({ id }) => id !== "only"), ONLY],
  }));

const ONLY: Operation = {
  id: "only",
  kind: "delete",
  ratePerSecond: 1,
  peakFactor: undefined,
  hours: undefined,
  sql: undefined,
  parameters: new Map(),
  knows: undefined,
  resultItems: undefined,
  pageSize: 100,
  ru: undefined,
  ruPartitions: undefined,
  changes: [],
  transactionScope: undefined,
  ageDays: undefined,
};

function readAgain(text: string): Workload {
  const outcome = readWorkload(text, "yaml", "printed.yaml");
  if (!outcome.ok) throw new Error(`${JSON.stringify(outcome.error, null, 2)}\n${text}`);
  const { candidates, ...others } = outcome.value;
  return { ...others, candidates: candidates.map((one) => ({ ...one, place: "" })) };
}

test("reading what was printed gives the same workload", () => {
  fc.assert(
    fc.property(workload, (original) => {
      const again = readAgain(printWorkload(original));
      // Remarks about what the file says may come in addition; none gets lost.
      expect(again.remarks.slice(0, original.remarks.length)).toEqual(original.remarks);
      const expected = structuredClone(original);
      expect(structuredClone({ ...again, remarks: original.remarks })).toStrictEqual(expected);
    }),
    { numRuns: 150 },
  );
});

test("printing what was read again gives the same text", () => {
  fc.assert(
    fc.property(workload, (original) => {
      const text = printWorkload(readAgain(printWorkload(original)));
      expect(printWorkload(readAgain(text))).toBe(text);
    }),
    { numRuns: 50 },
  );
});
