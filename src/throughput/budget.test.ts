/**
 * The traces pin the rules down one by one: read them first. The properties say what must hold over
 * every trace, next to a model that counts millisecond by millisecond. No test sleeps; time is a
 * variable. How a crowd of clients fares is in `overload.test.ts`.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { millis, ru } from "../base/units.ts";
import type { Caller } from "../model/caller.ts";
import { callerOf, HIGH_CALLER, LOW_CALLER } from "../model/caller.ts";
import { Budget, type BudgetOptions } from "./budget.ts";

/**
 * `@2000 1 wait 5` reads: at 2000 ms a request that would cost 1 RU is told to wait 5 ms. Before the
 * cost stand the priority, if it is low, and the bucket; `full 5` is `wait 5` because of the bucket.
 */
interface Trace {
  readonly rule: string;
  readonly options?: Partial<BudgetOptions>;
  readonly steps: string;
}

/** Of the model: whole for every charge, rate, millisecond and percent. */
const UNIT = 100_000;

const BURST = { rateMax: 3000, savedSeconds: 300 };
const BUCKETS = [
  { id: 1, percent: 25 },
  { id: 2, percent: 100 },
];

/** At 400 RU/s unless another rate is given. */
const TRACES: readonly Trace[] = [
  {
    rule: "a fresh budget holds one second's worth",
    steps: "@0 400 ok; @0 1 wait 1",
  },
  {
    rule: "an expensive request is admitted, and those after it wait out its debt",
    steps: "@0 1200 ok; @0 1 wait 2001; @2001 1 ok",
  },
  {
    rule: "a throttled request costs nothing",
    steps: "@0 401 ok; @0 9999 wait 3; @3 1 ok",
  },
  {
    rule: "without burst, idle time saves nothing",
    steps: "@60000 400 ok; @60000 1 wait 1",
  },
  {
    rule: "each further one is told a later instant: two mean charges apart",
    steps: "@0 398 ok; @0 402 ok; @0 1 wait 1001; @0 1 wait 2001; @0 1 wait 3001",
  },
  {
    rule: "who comes when all promised instants have passed is told the first possible one",
    steps: "@0 410 ok; @0 1 wait 26; @26 10 ok; @26 1 wait 25; @51 10 ok; @51 1 wait 25",
  },
  {
    rule: "nobody is told to come more than ten seconds after the debt is paid",
    steps: "@0 4400 ok; @0 1 wait 10001; @0 1 wait 20001; @0 1 wait 20001",
  },
  {
    rule: "half of a second's worth is kept for high callers",
    steps: "@0 199 ok; @0 low 1 ok; @0 low 1 wait 1; @0 200 ok; @0 1 wait 1",
  },
  {
    rule: "low callers alone have all of it",
    steps: "@0 low 399 ok; @0 low 1 ok; @0 low 1 wait 1",
  },
  {
    rule: "nothing is kept any more five seconds after the last high caller",
    options: { ratePerSecond: 10 },
    steps: "@0 60 ok; @0 low 1 wait 5001; @5001 low 1 ok",
  },
  {
    rule: "low callers are told to come after the high ones",
    steps: "@0 400 ok; @0 200 wait 1; @1 200 ok; @1 1 wait 500; @1 1 wait 1250; @1 low 1 wait 1250",
  },
  {
    rule: "savings fill while idle, up to five minutes' worth",
    options: { ratePerSecond: 100, burst: BURST },
    steps: "@900000 2999 ok; @900000 1 ok; @900000 1 wait 1; @900001 27003 ok; @900001 1 wait 9001",
  },
  {
    rule: "savings are spent no faster than 3,000 RU/s in all",
    options: { ratePerSecond: 100, burst: BURST },
    steps: "@300000 6000 ok; @300000 1 wait 1001; @301001 3000 ok; @301001 1 wait 1000",
  },
  {
    rule: "without savings the rate is the rate",
    options: { ratePerSecond: 100, burst: BURST },
    steps: "@0 100 ok; @0 1 wait 1; @500 150 ok; @500 1 wait 1001",
  },
  {
    rule: "3,000 RU/s and more save nothing",
    options: { ratePerSecond: 3000, burst: BURST },
    steps: "@300000 3000 ok; @300000 1 wait 1",
  },
  {
    rule: "a bucket has at most its part of the rate",
    options: { buckets: BUCKETS },
    steps: "@0 b1 100 ok; @0 b1 1 full 1; @0 1 ok; @1000 b1 300 ok; @1000 b1 1 full 2001",
  },
  {
    rule: "a bucket is no reservation: others may have exhausted the rate",
    options: { buckets: BUCKETS },
    steps: "@0 800 ok; @0 b1 1 wait 1001; @1001 b1 1 ok",
  },
  {
    rule: "who is over both waits for both",
    options: { buckets: BUCKETS },
    steps: "@0 b1 110 ok; @0 2290 ok; @0 b1 1 full 5001",
  },
  {
    rule: "a bucket that is not configured means nothing",
    options: { buckets: BUCKETS },
    steps: "@0 b5 399 ok; @0 b5 1 ok; @0 b5 1 wait 1",
  },
  {
    rule: "callers of a bucket have no savings, and use up nobody else's",
    options: { ratePerSecond: 100, burst: BURST, buckets: BUCKETS },
    steps: "@99000 b2 100 ok; @99000 b2 1 full 1; @99000 2000 ok; @99000 1 ok",
  },
  {
    rule: "savings pay for who may have them, not for the debt of a bucket",
    options: { ratePerSecond: 100, burst: BURST, buckets: BUCKETS },
    steps: "@99000 b2 300 ok; @99000 1 ok; @99000 b1 1 wait 2001",
  },
  {
    rule: "half of what may be spent at once out of savings is kept for high callers",
    options: { ratePerSecond: 100, burst: BURST },
    steps: "@300000 1499 ok; @300000 low 1 ok; @300000 low 1 wait 1; @300000 1 ok",
  },
  {
    rule: "without a rate nobody waits",
    options: { ratePerSecond: "unlimited", burst: BURST, buckets: BUCKETS },
    steps: "@0 1000000 ok; @0 1 ok; @0 low 1000000 ok; @0 b1 1000000 ok; @0 b1 1 ok",
  },
];

describe("budget traces", () => {
  test.each(TRACES)("$rule", ({ options, steps }) => {
    const asked = [...steps.matchAll(/@(\d+)( low)?(?: b(\d))? (\d+)/g)];
    const { budget, at } = budgetAt0({ ratePerSecond: 400, ...options });
    const seen = asked.map(([request, instant, low, bucket, cost]) => {
      at(Number(instant));
      const caller = callerOf(low ? "low" : "high", bucket ? Number(bucket) : undefined);
      return `${request} ${answerOf(budget, caller, Number(cost))}`;
    });
    expect(seen.join("; ")).toBe(steps);
  });
});

describe("something is left over", () => {
  const budgetAt = (spent: number, ratePerSecond: number | "unlimited" = 400): Budget => {
    const budget = new Budget({ now: () => millis(0), wallNow: () => 0 }, { ratePerSecond });
    budget.settle(ru(spent), HIGH_CALLER, millis(0));
    return budget;
  };
  test.each<[rule: string, spent: number, at: number, isLeft: boolean]>([
    ["at first", 0, 0, true],
    ["while half of a second's worth is there", 200, 0, true],
    ["but not while less is", 201, 0, false],
    ["and again as soon as that is earned", 300, 250, true],
  ])("%s", (_rule, spent, at, isLeft) => {
    expect(budgetAt(spent).hasLeftOver(millis(at))).toBe(isLeft);
  });

  test("only a second after the last caller was refused", () => {
    const budget = budgetAt(500);
    expect(budget.admit(HIGH_CALLER, millis(100)).kind).toBe("throttled");
    expect(budget.hasLeftOver(millis(1099))).toBe(false);
    expect(budget.hasLeftOver(millis(1100))).toBe(true);
  });

  test("always, where nothing is limited", () => {
    expect(budgetAt(1e9, "unlimited").hasLeftOver(millis(0))).toBe(true);
  });
});

describe("another rate", () => {
  test("keeps debt", () => {
    const { budget, at } = budgetAt0({ ratePerSecond: 400 });
    budget.settle(ru(1200), HIGH_CALLER);
    at(1000);
    budget.reprovision({ ratePerSecond: 100 });
    expect(answerOf(budget, HIGH_CALLER, 1)).toBe("wait 4001");
  });

  test("caps what is left", () => {
    const { budget } = budgetAt0({ ratePerSecond: 400 });
    budget.reprovision({ ratePerSecond: 100 });
    expect(budget.holding()?.balance).toBe(100);
    budget.reprovision({ ratePerSecond: 400 });
    expect(budget.holding()?.balance).toBe(100);
  });

  test("caps savings and drops them where none are allowed", () => {
    const { budget, at } = budgetAt0({ ratePerSecond: 1000, burst: BURST });
    at(600_000);
    expect(budget.holding()?.savings).toBe(300_000);
    budget.reprovision({ ratePerSecond: 100, burst: BURST });
    expect(budget.holding()?.savings).toBe(30_000);
    budget.reprovision({ ratePerSecond: 100 });
    budget.reprovision({ ratePerSecond: 100, burst: BURST });
    expect(budget.holding()?.savings).toBe(0);
  });

  test("keeps the debt of buckets that stay, and gives new ones a second's worth", () => {
    const { budget } = budgetAt0({ ratePerSecond: 400, buckets: BUCKETS });
    budget.settle(ru(150), callerOf("high", 1));
    const buckets = [...BUCKETS, { id: 3, percent: 10 }];
    budget.reprovision({ ratePerSecond: 400, buckets });
    expect([...budget.holding()!.buckets]).toEqual([
      [1, -50],
      [2, 400],
      [3, 40],
    ]);
  });

  test("may be none, and one again", () => {
    const { budget } = budgetAt0({ ratePerSecond: 400 });
    budget.settle(ru(500), HIGH_CALLER);
    budget.reprovision({ ratePerSecond: "unlimited" });
    expect(budget.holding()).toBeUndefined();
    expect(answerOf(budget, LOW_CALLER, 500)).toBe("ok");
    budget.reprovision({ ratePerSecond: 400 });
    expect(budget.holding()?.balance).toBe(400);
  });
});

test("an instant before the last one is as good as the last one", () => {
  const { budget } = budgetAt0({ ratePerSecond: 400 });
  budget.settle(ru(600), HIGH_CALLER, millis(100));
  expect(budget.holding(millis(50))?.balance).toBe(-200);
  expect(budget.holding(millis(200))?.balance).toBe(-160);
});

test("operations of one request are all told the first possible instant", () => {
  const budget = new Budget({ now: () => millis(0), wallNow: () => 0 }, { ratePerSecond: 400 });
  budget.settle(ru(410), HIGH_CALLER);
  const waits = (caller: Caller): unknown[] =>
    [1, 2, 3].map(() => {
      const admission = budget.admit(caller);
      return admission.kind === "throttled" && admission.retryAfter;
    });
  expect(waits({ priority: "high", isOfMany: true })).toEqual([26, 26, 26]);
  const [first, second] = waits(HIGH_CALLER);
  expect(first).toBe(26);
  expect(Number(second)).toBeGreaterThan(26);
});

describe("budget properties", () => {
  const anyRate = fc.integer({ min: 1, max: 10_000 });
  /** Hundredths of a request unit, as charges are. */
  const anyCost = fc.oneof(fc.nat(3_000), fc.nat(300_000)).map((hundredths) => hundredths / 100);

  test("whoever waits as long as told is admitted, and nobody a millisecond earlier", () => {
    const anyDebt = fc.integer({ min: 1, max: 500_000 }).map((hundredths) => hundredths / 100);
    const examples: [number, number, number][] = [[10, 1282, 0]];
    fc.assert(
      fc.property(anyRate, anyDebt, fc.double({ min: 0, max: 1e9, noNaN: true }), (...drawn) => {
        const [rate, debt, start] = drawn;
        const late = (wait: number) => {
          const { budget, at } = budgetAt0({ ratePerSecond: rate });
          at(start);
          budget.settle(ru(rate + debt), HIGH_CALLER);
          const told = budget.admit(HIGH_CALLER);
          at(start + (told.kind === "throttled" ? told.retryAfter : 0) - wait);
          return budget.admit(HIGH_CALLER).kind;
        };
        expect(late(0)).toBe("admitted");
        expect(late(1)).toBe("throttled");
      }),
      { examples },
    );
  });

  const anyCaller = fc
    .tuple(fc.constantFrom("high", "low"), fc.option(fc.constantFrom(1, 2, 3), { nil: undefined }))
    .map(([priority, bucket]) => callerOf(priority as Caller["priority"], bucket));
  const anyGap = fc.oneof(
    { weight: 6, arbitrary: fc.nat(20) },
    { weight: 6, arbitrary: fc.nat(2_000) },
    { weight: 1, arbitrary: fc.nat(100_000) },
  );
  const anyRequests = fc.array(fc.record({ gap: anyGap, cost: anyCost, caller: anyCaller }), {
    minLength: 1,
    maxLength: 60,
  });
  const anyOptions = fc.record({
    ratePerSecond: fc.integer({ min: 100, max: 10_000 }),
    burst: fc.constantFrom(BURST, undefined),
    buckets: fc.constantFrom(BUCKETS, undefined),
  });

  test("it is the model: who is admitted, and how long who is alone has to wait", () => {
    fc.assert(
      fc.property(anyOptions, anyRequests, (options, requests) => {
        const { budget, at } = budgetAt0(options);
        const model = new ModelBudget(options);
        let now = 0;
        let promisedUntil = 0;
        for (const { gap, cost, caller } of requests) {
          now += gap;
          at(now);
          model.pass(gap);
          const admission = budget.admit(caller);
          const cause = model.ask(caller);
          expect(admission.kind === "throttled" ? admission.cause : undefined).toBe(cause);
          if (admission.kind === "admitted") {
            budget.settle(ru(cost), caller);
            model.pay(cost, caller);
            continue;
          }
          const after = model.copy();
          after.pass(admission.retryAfter - 1);
          if (promisedUntil <= now) expect(after.causeOf(caller)).toBeDefined();
          after.pass(1);
          expect(after.causeOf(caller)).toBeUndefined();
          promisedUntil = Math.max(promisedUntil, now + admission.retryAfter);
        }
      }),
      { numRuns: 100 },
    );
  });

  test("spending never passes the earnings by more than one request", () => {
    fc.assert(
      fc.property(anyRate, anyRequests, (rate, requests) => {
        const { budget, at } = budgetAt0({ ratePerSecond: rate });
        let now = 0;
        let spentBeforeLast = 0;
        let last = 0;
        for (const { gap, cost, caller } of requests) {
          now += gap;
          at(now);
          if (budget.admit(caller).kind === "throttled") continue;
          budget.settle(ru(cost), caller);
          spentBeforeLast += last;
          last = cost;
        }
        expect(spentBeforeLast).toBeLessThan(rate + (rate * now) / 1000 + 1e-6);
      }),
    );
  });
});

function budgetAt0(options: BudgetOptions): {
  readonly budget: Budget;
  at(now: number): void;
} {
  let now = 0;
  const clock = { now: () => millis(now), wallNow: () => now };
  const at = (instant: number) => {
    now = instant;
  };
  return { budget: new Budget(clock, options), at };
}

/** Asks, and pays when it was admitted. */
function answerOf(budget: Budget, caller: Caller, cost: number): string {
  const admission = budget.admit(caller);
  if (admission.kind === "admitted") {
    budget.settle(ru(cost), caller);
    return "ok";
  }
  return `${admission.cause === "bucket" ? "full" : "wait"} ${admission.retryAfter}`;
}

/** Counts whole hundred-thousandths of request units, one millisecond after the other. */
class ModelBudget {
  readonly #options: BudgetOptions;
  readonly #rate: number;
  #balance: number;
  #savings = 0;
  #pace = 3000 * UNIT;
  readonly #buckets = new Map<number, number>();
  #sinceHigh = Number.POSITIVE_INFINITY;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#rate = options.ratePerSecond as number;
    this.#balance = this.#rate * UNIT;
    for (const { id, percent } of options.buckets ?? []) {
      this.#buckets.set(id, (this.#rate * UNIT * percent) / 100);
    }
  }

  copy(): ModelBudget {
    const copy = new ModelBudget(this.#options);
    copy.#balance = this.#balance;
    copy.#savings = this.#savings;
    copy.#pace = this.#pace;
    for (const [id, left] of this.#buckets) copy.#buckets.set(id, left);
    copy.#sinceHigh = this.#sinceHigh;
    return copy;
  }

  pass(duration: number): void {
    const perMilli = (this.#rate * UNIT) / 1000;
    const secondsMax = this.#saves ? 300 : 0;
    for (let milli = 0; milli < duration; milli++) {
      this.#balance += perMilli;
      const over = this.#balance - this.#rate * UNIT;
      if (over > 0) {
        this.#balance -= over;
        this.#savings = Math.min(this.#savings + over, this.#rate * UNIT * secondsMax);
      }
      this.#pace = Math.min(this.#pace + 3 * UNIT, 3000 * UNIT);
      for (const { id, percent } of this.#options.buckets ?? []) {
        const part = percent / 100;
        const left = this.#buckets.get(id)! + perMilli * part;
        this.#buckets.set(id, Math.min(left, this.#rate * UNIT * part));
      }
    }
    this.#sinceHigh += duration;
  }

  ask(caller: Caller): "rate" | "bucket" | undefined {
    if (caller.priority === "high") this.#sinceHigh = 0;
    return this.causeOf(caller);
  }

  causeOf({ priority, bucket }: Caller): "rate" | "bucket" | undefined {
    const left = bucket === undefined ? undefined : this.#buckets.get(bucket);
    if (left !== undefined && left <= 0) return "bucket";
    const share = priority === "low" && this.#sinceHigh < 5000 ? 0.5 : 0;
    const isPaced = this.#saves && this.#pace <= 3000 * UNIT * share;
    const spendable = this.#balance + (left === undefined ? this.#savings : 0);
    return isPaced || spendable <= this.#rate * UNIT * share ? "rate" : undefined;
  }

  pay(cost: number, { bucket }: Caller): void {
    const units = Math.round(cost * UNIT);
    this.#pace -= units;
    const left = bucket === undefined ? undefined : this.#buckets.get(bucket);
    if (left !== undefined) this.#buckets.set(bucket!, left - units);
    this.#balance -= units;
    if (left !== undefined) return;
    const drawn = Math.min(units, Math.max(-this.#balance, 0), this.#savings);
    this.#balance += drawn;
    this.#savings -= drawn;
  }

  get #saves(): boolean {
    return this.#options.burst !== undefined && this.#rate < 3000;
  }
}
