/**
 * Blocks of item numbers against the plainest model there is: a set per term. Numbers come and go
 * in any order, so blocks are split, emptied and lose their first number, and others come late.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LmdbEnvironment } from "./environment.ts";
import { openEnvironment } from "./environment.ts";
import {
  addLate,
  appendNumbers,
  BLOCK_COUNT_MAX,
  decodeBlock,
  encodeBlock,
  removeNumber,
  restore,
} from "./termBlocks.ts";
import { TermReads } from "./termReads.ts";

const PART = 3;

let directory: string;
let tables: LmdbEnvironment;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "orrery-blocks-"));
  tables = openEnvironment(directory);
});

afterAll(async () => {
  await tables.close();
  rmSync(directory, { recursive: true, force: true });
});

const anyNumbers = fc
  .uniqueArray(fc.nat(2 ** 40), { minLength: 1, maxLength: 600 })
  .map((numbers) => numbers.sort((a, b) => a - b));

describe("blocks", () => {
  test("a block reads back", () => {
    fc.assert(
      fc.property(anyNumbers, (numbers) => {
        expect(decodeBlock(numbers[0]!, encodeBlock(numbers))).toEqual(numbers);
      }),
    );
  });

  test("neighbours cost a byte each", () => {
    const numbers = Array.from({ length: 100 }, (_, index) => 2 ** 36 + index);
    expect(encodeBlock(numbers)).toHaveLength(99);
  });

  test("more than a block's worth becomes several blocks, read as one", () => {
    const numbers = Array.from({ length: 2 * BLOCK_COUNT_MAX + 1 }, (_, index) => 5 + index);
    write(() => appendNumbers(tables, PART, "many ", numbers));
    expect(numbersOf("many ")).toEqual(numbers);
  });

  test("numbers come and go, early and late, and are read in order from both ends", () => {
    const anyChange = fc.tuple(fc.nat(400), fc.constantFrom("add", "restore", "remove"));
    let run = 0;
    fc.assert(
      fc.property(anyNumbers, fc.array(anyChange, { maxLength: 80 }), (initial, changes) => {
        const term = `term ${run++} `;
        const model = new Set(initial.map((number) => number % 400));
        write(() => {
          appendNumbers(tables, PART, term, sorted(model));
          for (const [number, change] of changes) {
            if (change === "remove") removeNumber(tables, PART, term, number);
            else if (change === "restore") restore(tables, PART, term, number);
            else if (!model.has(number)) addLate(tables, PART, term, number);
            if (change === "remove") model.delete(number);
            else model.add(number);
          }
        });
        expect(numbersOf(term)).toEqual(sorted(model));
        expect(numbersOf(term, true)).toEqual(sorted(model).reverse());
      }),
      { numRuns: 80 },
    );
  });

  test("a walk goes on from inside a block, in both directions", () => {
    write(() => {
      appendNumbers(tables, PART, "cut ", [1, 3, 5, 7, 9]);
      addLate(tables, PART, "cut ", 4);
    });
    for (const number of [0, 1, 2, 3, 4, 5, 6, 9, 10, Number.MAX_SAFE_INTEGER]) {
      const after = { term: "cut ", number };
      const above = [1, 3, 4, 5, 7, 9].filter((other) => other > number);
      const below = [9, 7, 5, 4, 3, 1].filter((other) => other < number);
      expect(numbersOf("cut ", false, after)).toEqual(above);
      expect(numbersOf("cut ", true, after)).toEqual(below);
    }
  });

  test("pages of early and late entries are joined without a gap", () => {
    const early = Array.from({ length: 3 * BLOCK_COUNT_MAX }, (_, index) => 4 * index);
    const late = Array.from({ length: 2 * BLOCK_COUNT_MAX }, (_, index) => 2 + 8 * index);
    write(() => {
      appendNumbers(tables, PART, "joined ", early);
      for (const number of late) addLate(tables, PART, "joined ", number);
    });
    const all = sorted([...early, ...late]);
    expect(numbersOf("joined ")).toEqual(all);
    expect(numbersOf("joined ", true)).toEqual(all.toReversed());
  });

  test("what was read before the tables changed is forgotten when it is said", () => {
    write(() => appendNumbers(tables, PART, "forgotten ", [1, 2]));
    const reads = new TermReads(tables);
    expect(numbersOf("forgotten ", false, undefined, reads)).toEqual([1, 2]);
    write(() => {
      removeNumber(tables, PART, "forgotten ", 1);
      addLate(tables, PART, "forgotten ", 3);
    });
    reads.forget();
    expect(numbersOf("forgotten ", false, undefined, reads)).toEqual([2, 3]);
  });

  test("a term that another one begins with is left alone", () => {
    write(() => {
      appendNumbers(tables, PART, "ab", [1, 2, 3]);
      removeNumber(tables, PART, "a", 2);
      restore(tables, PART, "abc", 2);
    });
    expect(numbersOf("ab").slice(0, 3)).toEqual([1, 2, 3]);
  });
});

function write(action: () => void): void {
  tables.transactionSync(action);
}

function sorted(numbers: Iterable<number>): number[] {
  return [...numbers].sort((a, b) => a - b);
}

/** The numbers of a term, in the order in which a walk gives them. */
function numbersOf(
  term: string,
  isReverse = false,
  after?: { readonly term: string; readonly number: number },
  reads = new TermReads(tables),
): number[] {
  const range = { min: term, max: `${term}\xff` };
  const cursor = reads.walk(PART, { range, isReverse, after });
  const numbers: number[] = [];
  for (let { entry } = cursor; entry !== undefined; { entry } = cursor) {
    if (entry.term === term) numbers.push(entry.number);
    cursor.advance();
  }
  return numbers;
}
