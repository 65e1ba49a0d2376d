/**
 * Histories of a serial server in which one thing was changed, as a bug would have changed it. The
 * checker must find each, by the right name, among forty transactions that are in order.
 */
import { describe, expect, test } from "vitest";
import type { Random } from "../../src/base/world.ts";
import { seededRandom } from "../../src/base/world.ts";
import type { AnomalyKind } from "./findings.ts";
import type { ListStep, Transaction } from "./history.ts";
import { checkListAppend } from "./listAppend.ts";
import type { SerialHistory } from "./serialHistory.ts";
import { serialHistory } from "./serialHistory.ts";

const SHAPE = { transactionCount: 40, listCount: 3, stepsMax: 4, overlap: 5 };
const CHANGED_COUNT = 30;
const SEED_MAX = 2000;

/** Undefined when a history offers no occasion. */
type Mutation = (history: SerialHistory, random: Random) => SerialHistory | undefined;

interface Place {
  readonly index: number;
  readonly at: number;
  readonly transaction: Transaction;
  readonly step: ListStep;
}

const MUTATIONS: readonly {
  readonly what: string;
  readonly found: AnomalyKind;
  readonly mutate: Mutation;
}[] = [
  {
    what: "an acknowledged value is gone in the end",
    found: "lostWrite",
    mutate: (original, random) => {
      const place = oneOf(random, placesOf(original, "append", "ok"));
      return place && withFinal(original, place.step.list, (values) => without(values, place));
    },
  },
  {
    what: "a value is there twice",
    found: "duplicate",
    mutate: (original, random) => {
      const place = oneOf(random, placesOf(original, "append", "ok"));
      return (
        place && withFinal(original, place.step.list, (values) => [...values, appendedAt(place)])
      );
    },
  },
  {
    what: "a failed transaction left a value",
    found: "abortedRead",
    mutate: (original, random) => {
      const place = oneOf(random, placesOf(original, "append", "failed"));
      return (
        place && withFinal(original, place.step.list, (values) => [...values, appendedAt(place)])
      );
    },
  },
  {
    what: "a reader sees two values in the wrong order",
    found: "incompatibleOrder",
    mutate: (original, random) => {
      const places = placesOf(original, "read", "ok");
      const place = oneOf(
        random,
        places.filter(({ step }) => valuesOf(step).length > 1),
      );
      return (
        place &&
        withReading(original, place, (values) => [values[1]!, values[0]!, ...values.slice(2)])
      );
    },
  },
  {
    what: "a reader sees what was before something that was acknowledged long ago",
    found: "staleRead",
    mutate: (original, random) => {
      const endOf = new Map(
        placesOf(original, "append", "ok").map((place) => [
          appendedAt(place),
          place.transaction.endedAt,
        ]),
      );
      const isOld = (value: number, { transaction }: Place): boolean =>
        (endOf.get(value) ?? Infinity) < transaction.beganAt;
      const place = oneOf(
        random,
        placesOf(original, "read", "ok").filter(
          (read) => isFirst(read) && valuesOf(read.step).some((value) => isOld(value, read)),
        ),
      );
      if (place === undefined) return undefined;
      const old = valuesOf(place.step).findLastIndex((value) => isOld(value, place));
      return withReading(original, place, (values) => values.slice(0, old));
    },
  },
  {
    what: "a transaction does not see its own append",
    found: "internal",
    mutate: (original, random) => {
      const place = oneOf(
        random,
        placesOf(original, "read", "ok").filter((read) =>
          read.transaction.steps
            .slice(0, read.at)
            .some(({ kind, list }) => kind === "append" && list === read.step.list),
        ),
      );
      return place && withReading(original, place, (values) => values.slice(0, -1));
    },
  },
  {
    what: "half of a transaction that nobody was told about is there",
    found: "tornBatch",
    mutate: (original, random) => {
      const visible = new Set([...original.finals.values()].flat());
      const place = oneOf(
        random,
        placesOf(original, "append", "unknown").filter(
          (append) => append.transaction.steps.length > 1 && visible.has(appendedAt(append)),
        ),
      );
      return place && withoutTrace(original, place);
    },
  },
];

describe("a history in which", () => {
  test.each(MUTATIONS)("$what has the anomaly $found", ({ mutate, found }) => {
    let changedCount = 0;
    for (let seed = 0; changedCount < CHANGED_COUNT && seed < SEED_MAX; seed++) {
      const random = seededRandom(seed);
      const changed = mutate(serialHistory(random, SHAPE), random);
      if (changed === undefined) continue;
      changedCount++;
      const kinds = checkListAppend(changed.history, changed.finals).map(({ kind }) => kind);
      expect(kinds, `seed ${seed}`).toContain(found);
    }
    expect(changedCount).toBe(CHANGED_COUNT);
  });
});

function placesOf(
  { history }: SerialHistory,
  kind: ListStep["kind"],
  outcome: Transaction["outcome"],
): readonly Place[] {
  return history.flatMap((transaction, index) =>
    transaction.steps.flatMap((step, at) =>
      step.kind === kind && transaction.outcome === outcome
        ? [{ index, at, transaction, step }]
        : [],
    ),
  );
}

/** Nothing before it in its transaction is about the same list. */
function isFirst({ transaction, at, step }: Place): boolean {
  return !transaction.steps.slice(0, at).some(({ list }) => list === step.list);
}

function oneOf(random: Random, places: readonly Place[]): Place | undefined {
  return places[Math.floor(random.next() * places.length)];
}

function appendedAt({ step }: Place): number {
  return step.kind === "append" ? step.value : Number.NaN;
}

function valuesOf(step: ListStep): readonly number[] {
  return step.kind === "read" ? step.values : [];
}

function without(values: readonly number[], place: Place): readonly number[] {
  return values.filter((value) => value !== appendedAt(place));
}

function withFinal(
  { history, finals }: SerialHistory,
  list: string,
  change: (values: readonly number[]) => readonly number[],
): SerialHistory {
  return { history, finals: new Map(finals).set(list, change(finals.get(list)!)) };
}

function withReading(
  { history, finals }: SerialHistory,
  { index, at, transaction, step }: Place,
  change: (values: readonly number[]) => readonly number[],
): SerialHistory {
  const read: ListStep = { kind: "read", list: step.list, values: change(valuesOf(step)) };
  const steps = transaction.steps.with(at, read);
  return { history: history.with(index, { ...transaction, steps }), finals };
}

/** As if the append had never been done, wherever it was seen. */
function withoutTrace({ history, finals }: SerialHistory, place: Place): SerialHistory {
  const { list } = place.step;
  const unseen = (step: ListStep): ListStep =>
    step.kind === "read" && step.list === list
      ? { ...step, values: without(step.values, place) }
      : step;
  const changed = history.map((transaction) => ({
    ...transaction,
    steps: transaction.steps.map(unseen),
  }));
  return withFinal({ history: changed, finals }, list, (values) => without(values, place));
}
