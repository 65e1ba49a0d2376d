/**
 * The table says what each anomaly looks like in the smallest history that has it: read it first.
 * The properties say that the checker neither invents anomalies nor overlooks any.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import type { AnomalyKind } from "./findings.ts";
import { ANOMALIES } from "./findings.ts";
import type { ListStep, Transaction } from "./history.ts";
import { checkListAppend } from "./listAppend.ts";
import type { SerialHistory } from "./serialHistory.ts";
import { isExplained, serialHistory } from "./serialHistory.ts";

/**
 * `1-4 x+1 y=[]` is a transaction from instant 1 to 4 that appends 1 to x and reads y as empty;
 * `failed` and `unknown` say how it ended, otherwise it was acknowledged. The last row is the end.
 */
interface Case {
  readonly rule: string;
  readonly rows: readonly string[];
  /** All that is found, in the order of the table of anomalies. */
  readonly found: readonly AnomalyKind[];
}

const CASES: readonly Case[] = [
  {
    rule: "one after the other is right",
    rows: ["1-2 x+1 y+2", "3-4 x=[1] y=[2] x+3", "x=[1,3] y=[2]"],
    found: [],
  },
  {
    rule: "of two at the same time either may have been first",
    rows: ["1-4 x+1 x=[2,1]", "2-3 x+2 x=[2]", "x=[2,1]"],
    found: [],
  },
  {
    rule: "a failed transaction leaves nothing",
    rows: ["1-2 x+1", "3-4 failed x+2 x+3", "5-6 x=[1]", "x=[1]"],
    found: [],
  },
  {
    rule: "an unknown transaction may have happened",
    rows: ["1-9 unknown x+1 y+2", "3-4 x=[1] y=[2]", "x=[1] y=[2]"],
    found: [],
  },
  {
    rule: "or may not have happened",
    rows: ["1-9 unknown x+1 y+2", "3-4 x=[] y=[]", "x=[] y=[]"],
    found: [],
  },
  {
    rule: "a value must come from somewhere",
    rows: ["1-2 x+1", "x=[1,7]"],
    found: ["unwritten"],
  },
  {
    rule: "an append happens once",
    rows: ["1-2 x+1", "x=[1,1]"],
    found: ["duplicate"],
  },
  {
    rule: "G1a: nobody sees what was rolled back",
    rows: ["1-4 failed x+1", "2-3 x=[1]", "x=[1]"],
    found: ["abortedRead"],
  },
  {
    rule: "G1a, also if it is gone afterwards",
    rows: ["1-4 failed x+1", "2-3 x=[1]", "x=[]"],
    found: ["abortedRead", "lostWrite"],
  },
  {
    rule: "G1b: nobody sees a transaction in the middle of a list",
    rows: ["1-4 x+1 x+2", "2-3 x=[1]", "x=[1,2]"],
    found: ["intermediateRead", "G-single"],
  },
  {
    rule: "all agree on the order of values",
    rows: ["1-9 x+1", "2-8 x+2", "3-4 x=[2]", "x=[1,2]"],
    found: ["incompatibleOrder"],
  },
  {
    rule: "the appends of a transaction come in its own order",
    rows: ["1-2 x+1 x+2", "x=[2,1]"],
    found: ["incompatibleOrder"],
  },
  {
    rule: "a transaction sees its own appends",
    rows: ["1-2 x+1 x=[]", "x=[1]"],
    found: ["internal"],
  },
  {
    rule: "and does not see them before",
    rows: ["1-2 x=[1] x+1", "x=[1]"],
    found: ["internal"],
  },
  {
    rule: "a transaction reads the same twice",
    rows: ["1-9 x=[] x=[1]", "2-3 x+1", "x=[1]"],
    found: ["internal"],
  },
  {
    rule: "what was acknowledged stays",
    rows: ["1-2 x+1", "3-4 x+2", "x=[2]"],
    found: ["lostWrite"],
  },
  {
    rule: "what was seen stays, acknowledged or not",
    rows: ["1-9 unknown x+1", "2-3 x=[1]", "x=[]"],
    found: ["lostWrite"],
  },
  {
    rule: "half of an unknown transaction is none",
    rows: ["1-9 unknown x+1 y+2", "x=[1] y=[]"],
    found: ["tornBatch"],
  },
  {
    rule: "nobody sees half of a transaction",
    rows: ["1-4 x+1 y+2", "2-3 x=[1] y=[]", "x=[1] y=[2]"],
    found: ["tornBatch", "G-single"],
  },
  {
    rule: "what was acknowledged is seen by all who begin after that",
    rows: ["1-2 x+1", "3-4 x=[]", "x=[1]"],
    found: ["staleRead", "realTimeCycle"],
  },
  {
    rule: "what was seen is seen by all who begin after that",
    rows: ["1-9 x+1", "2-3 x=[1]", "4-5 x=[]", "x=[1]"],
    found: ["staleRead", "realTimeCycle"],
  },
  {
    rule: "whoever begins after another one ended is appended behind it",
    rows: ["1-2 x+1", "3-4 x+2", "x=[2,1]"],
    found: ["realTimeCycle"],
  },
  {
    rule: "an unknown transaction has no effect after its end, if that is known",
    rows: ["1-2 unknown x+1", "3-4 x+2", "x=[2,1]"],
    found: ["realTimeCycle"],
  },
  {
    rule: "G0: two transactions come in the same order everywhere",
    rows: ["1-9 x+1 y+2", "2-8 x+3 y+4", "x=[1,3] y=[4,2]"],
    found: ["G0"],
  },
  {
    rule: "G0: a transaction is in one piece in each list",
    rows: ["1-9 x+1 x+2", "2-8 x+3", "x=[1,3,2]"],
    found: ["G0"],
  },
  {
    rule: "G1c: two transactions cannot both have seen the other",
    rows: ["1-9 x+1 y=[2]", "2-8 y+2 x=[1]", "x=[1] y=[2]"],
    found: ["G1c"],
  },
  {
    rule: "G-single: an observer of the effect has seen the cause",
    rows: ["1-9 x=[] y=[2]", "2-8 x+1", "3-7 x=[1] y+2", "x=[1] y=[2]"],
    found: ["G-single"],
  },
  {
    rule: "P4: of two who append to what they read, one has seen the other",
    rows: ["1-9 x=[] x+1", "2-8 x=[] x+2", "x=[1,2]"],
    found: ["G-single"],
  },
  {
    rule: "G2-item: two transactions cannot both have missed the other",
    rows: ["1-9 x=[] y+1", "2-8 y=[] x+2", "x=[2] y=[1]"],
    found: ["G2-item"],
  },
  {
    rule: "lists that nobody looked at in the end are not held against anybody",
    rows: ["1-2 x+1", "3-4 y=[]", "y=[]"],
    found: [],
  },
];

const KINDS = Object.keys(ANOMALIES) as readonly AnomalyKind[];

describe("the list-append checker", () => {
  test.each(CASES)("$rule", ({ rows, found }) => {
    expect(kindsOf(parse(rows))).toEqual(found);
  });

  test("every anomaly has a case", () => {
    const shown = new Set(CASES.flatMap(({ found }) => found));
    expect(KINDS.filter((kind) => !shown.has(kind))).toEqual([]);
  });

  test("refuses a history in which a value does not name its writer", () => {
    expect(() => kindsOf(parse(["1-2 x+1", "3-4 x+1", "x=[1]"]))).toThrow("appended twice");
  });

  test("says which transactions it is about", () => {
    const rows = ["1-9 x=[] y+1", "2-8 y=[] x+2", "x=[2] y=[1]"];
    const { history, finals } = parse(rows);
    expect(checkListAppend(history, finals)[0]?.examples).toEqual([
      "(0 ok 1..9: x=[] y+1) -rw-> (1 ok 2..8: y=[] x+2) -rw->",
    ]);
  });
});

const anySeed = fc.integer({ min: 0, max: 2 ** 31 });

describe("a history of a serial server", () => {
  test("has no anomaly, however much its transactions overlap", () => {
    const anyOptions = fc.record({
      transactionCount: fc.integer({ min: 1, max: 60 }),
      listCount: fc.integer({ min: 1, max: 5 }),
      stepsMax: fc.integer({ min: 1, max: 8 }),
      overlap: fc.integer({ min: 1, max: 16 }),
    });
    fc.assert(
      fc.property(anySeed, anyOptions, (seed, options) => {
        const { history, finals } = serialHistory(seededRandom(seed), options);
        expect(checkListAppend(history, finals)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test("that is changed anyhow has an anomaly if, and only if, no order explains it", () => {
    const options = { transactionCount: 5, listCount: 2, stepsMax: 3, overlap: 3 };
    let explainedCount = 0;
    let brokenCount = 0;
    fc.assert(
      fc.property(anySeed, (seed) => {
        const random = seededRandom(seed);
        const changed = changeAnyhow(serialHistory(random, options), () => random.next());
        const isRight = isExplained(changed);
        expect(
          kindsOf(changed).length === 0,
          JSON.stringify({ ...changed, finals: [...changed.finals] }),
        ).toBe(isRight);
        if (isRight) explainedCount++;
        else brokenCount++;
      }),
      { numRuns: 2000, seed: 4 },
    );
    // Both must occur, or the sentence above says little.
    expect(Math.min(explainedCount, brokenCount)).toBeGreaterThan(300);
  });

  test("of 200,000 steps is checked in seconds", { timeout: 120_000 }, () => {
    const { history, finals } = serialHistory(seededRandom(7), {
      transactionCount: 45_000,
      listCount: 12,
      stepsMax: 8,
      overlap: 16,
      appendsMax: 60,
    });
    // Of the processor, not of the clock: others may be using the machine.
    const usedBefore = process.cpuUsage();
    expect(checkListAppend(history, finals)).toEqual([]);
    const used = process.cpuUsage(usedBefore);
    expect((used.user + used.system) / 1e6).toBeLessThan(20);
    expect(history.reduce((sum, { steps }) => sum + steps.length, 0)).toBeGreaterThan(150_000);
  });
});

function kindsOf({ history, finals }: SerialHistory): readonly AnomalyKind[] {
  const found = new Set(checkListAppend(history, finals).map(({ kind }) => kind));
  return KINDS.filter((kind) => found.has(kind));
}

function parse(rows: readonly string[]): SerialHistory {
  const stepsIn = (text: string): ListStep[] =>
    [...text.matchAll(/(\w)(?:\+(\d+)|=\[([\d,]*)\])/g)].map(([, list, value, values]) =>
      value === undefined
        ? { kind: "read", list: list!, values: values!.split(",").filter(Boolean).map(Number) }
        : { kind: "append", list: list!, value: Number(value) },
    );
  const history = rows.slice(0, -1).map((row, process): Transaction => {
    const [, begin, end, outcome = "ok"] = /^(\d+)-(\d+)(?: (failed|unknown))?/.exec(row)!;
    const [beganAt, endedAt] = [Number(begin), Number(end)];
    return {
      process,
      outcome: outcome as Transaction["outcome"],
      steps: stepsIn(row),
      beganAt,
      endedAt,
    };
  });
  const finals = new Map<string, readonly number[]>();
  for (const step of stepsIn(rows.at(-1)!)) {
    if (step.kind === "read") finals.set(step.list, step.values);
  }
  return { history, finals };
}

/** One to three changes of what somebody read, of the end, or of when something happened. */
function changeAnyhow({ history, finals }: SerialHistory, chance: () => number): SerialHistory {
  const pick = (bound: number): number => Math.floor(chance() * bound);
  const changed = history.map((transaction) => ({ ...transaction }));
  const ends = new Map(finals);
  for (let left = 1 + pick(3); left > 0; left--) {
    const transaction = changed[pick(changed.length)]!;
    const at = pick(transaction.steps.length);
    const step = transaction.steps[at];
    const [name, values] = [...ends][pick(ends.size)]!;
    const how = pick(4);
    if (how === 0) ends.set(name, changeList(values, pick));
    else if (how === 1) {
      transaction.beganAt -= chance() * 3;
      transaction.endedAt += chance() * 3 - 1.5;
      transaction.endedAt = Math.max(transaction.endedAt, transaction.beganAt);
    } else if (step?.kind === "read") {
      const read = { ...step, values: changeList(step.values, pick) };
      transaction.steps = transaction.steps.with(at, read);
    }
  }
  return { history: changed, finals: ends };
}

function changeList(values: readonly number[], pick: (bound: number) => number): number[] {
  const at = pick(values.length);
  const changes = [
    () => values.toSpliced(at, 1),
    () => values.slice(0, at),
    () => [...values, 1 + pick(8)],
    () => values.toSpliced(at, 2, ...values.slice(at, at + 2).reverse()),
  ];
  return changes[pick(changes.length)]!();
}
