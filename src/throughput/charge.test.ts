/**
 * The first tables hold the list to charges that were published, by the documentation or by people
 * who measured; the tolerance is stated with each. The last one pins down the rules in between.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Ru, ru } from "../base/units.ts";
import type { Consistency } from "../model/consistency.ts";
import {
  type ChangeWork,
  chargeOf,
  chargesOfVisits,
  type ItemWork,
  NO_WORK,
  ruOfPage,
  type VisitWork,
  type Work,
} from "./charge.ts";

const KIB = 1024;

describe("documented prices by size, Session consistency, nothing indexed (within 1 %)", () => {
  const TABLE: readonly (readonly [kib: number, read: number, write: number])[] = [
    [1, 1.0, 4.95],
    [2, 1.04, 6.29],
    [4, 1.14, 6.67],
    [8, 1.33, 7.04],
    [16, 1.67, 9.52],
    [32, 2.19, 11.23],
    [64, 4.76, 22.67],
    [128, 9.95, 48.19],
    [256, 20.28, 98.29],
    [512, 40.95, 184.57],
    [1024, 145.9, 625],
    [2048, 291.8, 1250],
  ];
  test.each(TABLE)("%d KiB: read %d, write %d", (kib, read, write) => {
    expectNear(chargeOf({ kind: "read", bytes: kib * KIB }), read, 0.01);
    expectNear(chargeOf(created({ bytes: kib * KIB, isIndexed: false })), write, 0.01);
  });
});

describe("published charges of single operations (within 4.5 %)", () => {
  const TABLE: readonly (readonly [figure: string, work: Work, published: number])[] = [
    ["create of an id and a key, all paths excluded", created({ bytes: 400 }), 5.52],
    ["delete of the same", { ...created({ bytes: 400 }), kind: "delete" }, 5.52],
    ["create of an id and a name", created({ bytes: 300, leafCount: 1 }), 5.71],
    ["update of one value in it", replaced({ changedLeafCount: 1 }), 10.67],
    ["create with 4 indexed strings", created({ bytes: 600, leafCount: 4 }), 7.05],
    ["create with 5, between 1 and 2 KiB", created({ bytes: 1500, leafCount: 5 }), 8.57],
    ["create with 6, between 1 and 2 KiB", created({ bytes: 1500, leafCount: 6 }), 8.76],
    ["create with 24 leaves, 1 KiB", created({ bytes: KIB, leafCount: 24 }), 15],
    ["create with 21 leaves, 2 KiB", created({ bytes: 2 * KIB, leafCount: 21 }), 15],
    ["delete with 6 leaves, 0.9 KiB", { ...created({ leafCount: 6 }), kind: "delete" }, 7.95],
    ["replace with one leaf, as documented", replaced({ changedLeafCount: 1 }), 10.8],
    [
      "patch of two operations, as documented",
      { ...replaced({ changedLeafCount: 1 }), kind: "patch", operationCount: 2 },
      11.6,
    ],
    ["read of 100 kB", { kind: "read", bytes: 100_000 }, 10],
    ["write of 100 kB", created({ bytes: 100_000, isIndexed: false }), 50],
  ];
  test.each(TABLE)("%s", (_figure, work, published) => {
    expectNear(chargeOf(work), published, 0.045);
  });

  test("a throttled request", () => {
    expect(chargeOf({ kind: "throttled" })).toBe(0.38);
  });
});

/** Measured in whole request units by an independent tool; one leaf is indexed. */
describe("published charges by payload, rounded to whole units", () => {
  type Row = readonly [
    bytes: number,
    read: number,
    strong: number,
    create: number,
    replace: number,
  ];
  const TABLE: readonly Row[] = [
    [1_000, 1, 2, 7, 13],
    [5_000, 1, 3, 8, 14],
    [10_000, 2, 3, 10, 19],
    [50_000, 5, 10, 24, 46],
    [100_000, 10, 20, 49, 97],
    [400_000, 41, 82, 186, 370],
  ];
  test.each(TABLE)("%d bytes", (payloadBytes, read, strong, create, replace) => {
    const bytes = payloadBytes + 300;
    const change = { bytesBefore: bytes, bytesAfter: bytes, changedLeafCount: 0 };
    expect(Math.round(chargeOf({ kind: "read", bytes }))).toBe(read);
    expect(Math.round(chargeOf({ kind: "read", bytes }, "strong"))).toBe(strong);
    expect(Math.round(chargeOf({ kind: "read", bytes }, "boundedStaleness"))).toBe(strong);
    expect(Math.round(chargeOf(created({ bytes, leafCount: 1 })))).toBe(create);
    expect(Math.round(chargeOf(replaced(change)))).toBe(replace);
  });
});

describe("rules", () => {
  const TABLE: readonly (readonly [
    rule: string,
    work: Work,
    consistency: Consistency,
    ru: number,
  ])[] = [
    ["a missing item costs one", { kind: "readMissing" }, "session", 1],
    ["so does an unchanged one", { kind: "readUnchanged" }, "session", 1],
    ["an unchanged feed", { kind: "feedUnchanged" }, "session", 1],
    ["and metadata", { kind: "metadata" }, "session", 1],
    ["an empty feed page too", { kind: "feedPage", itemBytes: [] }, "session", 1],
    ["a feed page is its reads", { kind: "feedPage", itemBytes: [9, 9, 9] }, "session", 3],
    ["rounded once", { kind: "feedPage", itemBytes: Array(21).fill(2_000) }, "session", 22],
    ["strong reads ask twice", { kind: "read", bytes: 9 }, "strong", 2],
    ["eventual ones do not", { kind: "read", bytes: 9 }, "eventual", 1],
    ["strong feeds ask twice", { kind: "feedPage", itemBytes: [9] }, "strong", 2],
    ["writes are alike at all levels", created({ isIndexed: false }), "strong", 4.95],
    ["a conflict is the read that found it", { kind: "refused", examinedBytes: 9 }, "session", 1],
    ["of its size", { kind: "refused", examinedBytes: 100_000 }, "session", 9.95],
    [
      "a compound entry is a leaf",
      created({ compoundEntryCount: 2, leafCount: 2 }),
      "session",
      7.05,
    ],
    ["also when it changes", replaced({ changedCompoundEntryCount: 1 }), "session", 10.67],
    ["without an index only sizes count", replaced({ isIndexed: false }), "session", 9.9],
    ["1,024 bytes are one KiB", { kind: "read", bytes: 1024 }, "session", 1],
    ["1,025 are two", { kind: "read", bytes: 1025 }, "session", 1.05],
    ["nothing is dearer than 2 MiB", { kind: "read", bytes: 3 * KIB * KIB }, "session", 291.81],
  ];
  test.each(TABLE)("%s", (_rule, work, consistency, charge) => {
    expect(chargeOf(work, consistency)).toBe(charge);
  });
});

describe("properties", () => {
  const anyBytes = fc.nat(2 * KIB * KIB);
  const anyItem = fc.record({
    bytes: anyBytes,
    leafCount: fc.nat(2_000),
    compoundEntryCount: fc.nat(20),
    isIndexed: fc.boolean(),
  });

  test("a charge is a whole number of hundredths", () => {
    fc.assert(
      fc.property(anyItem, fc.nat(10), (item, operationCount) => {
        const change = { ...replaced({ bytesAfter: item.bytes }), operationCount };
        for (const work of [created(item), { ...change, kind: "patch" }] as Work[]) {
          const charge = chargeOf(work);
          expect(charge).toBe(Number(charge.toFixed(2)));
        }
      }),
    );
  });

  test("more is never cheaper", () => {
    fc.assert(
      fc.property(anyItem, anyBytes, fc.nat(100), (item, bytes, leaves) => {
        const larger = { ...item, bytes: item.bytes + bytes, leafCount: item.leafCount + leaves };
        expect(chargeOf(created(larger))).toBeGreaterThanOrEqual(chargeOf(created(item)));
      }),
    );
  });

  test("the size step is the power of two that a loop finds", () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        let stepBytes = KIB;
        while (stepBytes < bytes) stepBytes *= 2;
        const atStep = chargeOf({ kind: "read", bytes: stepBytes });
        expect(chargeOf({ kind: "read", bytes })).toBe(atStep);
      }),
    );
  });
});

describe("published charges of query pages (within 5 %)", () => {
  const items = (count: number, bytes: number): Partial<VisitWork> => ({
    itemCount: count,
    itemBytes: count * bytes,
    rowBytes: count * bytes,
  });
  const found = (count: number, bytes: number, lookupCount = 1): Partial<VisitWork> => ({
    ...items(count, bytes),
    postingCount: count,
    lookupCount,
  });
  const TABLE: readonly (readonly [
    figure: string,
    visit: Partial<VisitWork>,
    published: number,
  ])[] = [
    ["7 items of 256 bytes, no filter", items(7, 256), 2.35],
    ["equality, 1 item", found(1, 256), 2.83],
    ["equality, 3 items", found(3, 256), 2.89],
    ["two conditions, 1 item", found(1, 256, 2), 2.92],
    ["a filter that nothing passes", { lookupCount: 1 }, 2.8],
    ["an unfiltered page of 4 MiB", items(2972, 1411), 108.9],
    ["one item of 98 KiB by its key", found(1, 97.7 * KIB), 4.6],
    [
      "three items of 1.75, 1.38 and 0.79 MiB",
      { itemCount: 3, largeItemBytes: (1.75 + 1.38 + 0.79) * KIB * KIB },
      349.76,
    ],
    [
      "a scan of 8,618 items of 5.85 KiB for one row",
      { itemCount: 8618, itemBytes: 8618 * 5.85 * KIB, rowBytes: 5.85 * KIB },
      409.51,
    ],
    [
      "9,999 items by their index, two functions of each",
      {
        ...found(9999, 0),
        itemBytes: 8.21 * KIB * KIB,
        rowBytes: 0.76 * KIB * KIB,
        otherCallCount: 2 * 9999,
      },
      415.07,
    ],
    [
      "UPPER of 60,951 items",
      { itemCount: 60_951, itemBytes: 400e6, textCallCount: 60_951 },
      4059.95,
    ],
    ["distinct values of 8,618 entries", { scannedEntryCount: 8618 }, 32.39],
  ];
  test.each(TABLE)("%s", (_figure, visit, published) => {
    expectNear(pageCharge(visit), published, 0.05);
  });

  test("an order that another index has makes a filtered page five times as dear", () => {
    const page = found(100, 2 * KIB);
    const walked = pageCharge({ ...page, orderedEntryCount: 8618 });
    expectNear(walked / pageCharge(page), 5, 0.05);
  });
});

describe("pages of queries", () => {
  const TABLE: readonly (readonly [rule: string, visits: Partial<VisitWork>[], ru: number])[] = [
    ["every physical partition that is opened costs an opening", Array(20).fill({}), 44.8],
    ["one that is open already does not", [{}, { isOpened: false }], 2.24],
    ["the first lookup in each costs more than the others", [{ lookupCount: 3 }, {}], 5.23],
    ["the whole is rounded, not its parts", Array(10).fill({ itemCount: 1 }), 22.51],
    ["nothing at all costs nothing", [{ isOpened: false }], 0],
  ];
  test.each(TABLE)("%s", (_rule, visits, charge) => {
    expect(pageCharge(...visits)).toBe(charge);
  });

  test("strong reads ask twice", () => {
    const visits = [visitOf({ itemCount: 7 })];
    expect(chargeOf({ kind: "queryPage", visits }, "strong")).toBe(4.63);
    expect(chargeOf({ kind: "queryPage", visits }, "eventual")).toBe(2.32);
  });

  const anyVisit = fc.record({
    isOpened: fc.boolean(),
    lookupCount: fc.nat(9),
    postingCount: fc.nat(99),
    scannedEntryCount: fc.nat(999),
    orderedEntryCount: fc.nat(999),
    itemCount: fc.nat(999),
    itemBytes: fc.nat(9_999_999),
    largeItemBytes: fc.nat(9_999_999),
    rowBytes: fc.double({ min: 0, max: 1e6, noNaN: true }),
    textCallCount: fc.nat(999),
    otherCallCount: fc.nat(999),
  });

  test("the parts are whole hundredths and add up to the charge, exactly", () => {
    fc.assert(
      fc.property(fc.array(anyVisit), fc.constantFrom("session", "strong"), (visits, level) => {
        const parts = chargesOfVisits({ visits }, level as Consistency);
        const charge = chargeOf({ kind: "queryPage", visits }, level as Consistency);
        const hundredths = parts.map((part) => Math.round(part * 100));
        expect(parts).toEqual(hundredths.map((part) => part / 100));
        expect(hundredths.reduce((sum, part) => sum + part, 0) / 100).toBe(charge);
        for (const part of parts) expect(part).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test("a page that is cut off costs what it would in one piece, exactly", () => {
    fc.assert(
      fc.property(fc.array(anyVisit), fc.array(anyVisit), (first, second) => {
        const whole = chargeOf({ kind: "queryPage", visits: [...first, ...second] });
        const before = chargeOf({ kind: "queryPage", visits: first });
        const ruBefore = ruOfPage({ visits: first });
        const after = chargeOf({ kind: "queryPage", visits: second, ruBefore });
        expect(Math.round(before * 100) + Math.round(after * 100)).toBe(Math.round(whole * 100));
      }),
    );
  });
});

describe("operations that hold others", () => {
  test("a batch is the sum of its operations, to the hundredth", () => {
    const charges = Array<Ru>(100).fill(chargeOf(created({ leafCount: 4 })));
    expect(chargeOf({ kind: "batch", charges })).toBe(705);
  });

  test.each([
    ["a read", [ru(1)], false, 5.63],
    ["a create", [ru(6.29)], true, 11.68],
  ])("a script around %s (within 1 %%)", (_what, innerCharges, hasWritten, published) => {
    expectNear(chargeOf({ kind: "script", innerCharges, hasWritten }), published, 0.01);
  });
});

function visitOf(work: Partial<VisitWork>): VisitWork {
  return { ...NO_WORK, isOpened: true, ...work };
}

function pageCharge(...visits: readonly Partial<VisitWork>[]): number {
  return chargeOf({ kind: "queryPage", visits: visits.map(visitOf) });
}

function created(work: Partial<ItemWork>): { readonly kind: "create" } & ItemWork {
  const item = { bytes: 900, leafCount: 0, compoundEntryCount: 0, isIndexed: true };
  return { kind: "create", ...item, ...work };
}

function replaced(work: Partial<ChangeWork>): { readonly kind: "replace" } & ChangeWork {
  return {
    kind: "replace",
    bytesBefore: 900,
    bytesAfter: 900,
    changedLeafCount: 0,
    changedCompoundEntryCount: 0,
    isIndexed: true,
    ...work,
  };
}

function expectNear(charge: number, published: number, tolerance: number): void {
  expect(Math.abs(charge - published) / published).toBeLessThanOrEqual(tolerance);
}
