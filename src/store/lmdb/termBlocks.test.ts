/**
 * Blocks of item numbers against the plainest model there is: a set per term. Numbers come and go
 * in any order, so blocks are split, emptied and lose their first number.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Environment } from "./environment.ts";
import { openEnvironment } from "./environment.ts";
import {
  appendNumbers,
  BLOCK_COUNT_MAX,
  decodeBlock,
  encodeBlock,
  firstOfKey,
  insertNumber,
  removeNumber,
} from "./termBlocks.ts";

let directory: string;
let tables: Environment;

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

  test("more than a block's worth becomes several blocks", () => {
    const numbers = Array.from({ length: 2 * BLOCK_COUNT_MAX + 1 }, (_, index) => 5 + index);
    write(() => appendNumbers(tables, "many ", numbers));
    expect(blocksOf("many ").map((block) => block.length)).toEqual([256, 256, 1]);
    expect(blocksOf("many ").flat()).toEqual(numbers);
  });

  test("numbers come and go, and blocks never overlap", () => {
    const anyChange = fc.tuple(fc.nat(400), fc.boolean());
    let run = 0;
    fc.assert(
      fc.property(anyNumbers, fc.array(anyChange, { maxLength: 80 }), (initial, changes) => {
        const term = `term ${run++} `;
        const model = new Set(initial.map((number) => number % 400));
        write(() => {
          appendNumbers(
            tables,
            term,
            [...model].sort((a, b) => a - b),
          );
          for (const [number, isPresent] of changes) {
            if (isPresent) insertNumber(tables, term, number);
            else removeNumber(tables, term, number);
            if (isPresent) model.add(number);
            else model.delete(number);
          }
        });
        expect(blocksOf(term).flat()).toEqual([...model].sort((a, b) => a - b));
      }),
      { numRuns: 60 },
    );
  });

  test("a term that another one begins with is left alone", () => {
    write(() => {
      appendNumbers(tables, "ab", [1, 2, 3]);
      removeNumber(tables, "a", 2);
      insertNumber(tables, "abc", 2);
    });
    expect(blocksOf("ab")).toEqual([[1, 2, 3]]);
  });
});

function write(action: () => void): void {
  tables.transactionSync(action);
}

/** The blocks of a term, each as its numbers, in the order of their keys. */
function blocksOf(term: string): number[][] {
  const range = { start: term, end: `${term}\xff` };
  return [...tables.getRange(range)]
    .filter(({ key }) => key.length === term.length + 8)
    .map(({ key, value }) => decodeBlock(firstOfKey(key), value));
}
