/**
 * Random histories of a server that is obviously right: transactions are done one after the other
 * on a map of lists, each at one instant, while others have begun and not yet ended. And the naive
 * checker: it tries every order there is.
 */
import type { Random } from "../../src/base/world.ts";
import type { Finals, ListStep, Transaction } from "./history.ts";

export interface SerialHistory {
  readonly history: readonly Transaction[];
  readonly finals: Finals;
}

interface SerialOptions {
  readonly transactionCount: number;
  readonly listCount: number;
  readonly stepsMax: number;
  /** How many transactions are under way at a time, about. */
  readonly overlap: number;
  /** After so many appends nobody asks for a list any more, and a fresh one takes its place. */
  readonly appendsMax?: number;
}

export function serialHistory(random: Random, options: SerialOptions): SerialHistory {
  const { transactionCount, listCount, stepsMax, overlap, appendsMax = Infinity } = options;
  const lists = new Map<string, number[]>();
  const names = Array.from({ length: listCount }, (_, index) => `x${index}`);
  const pick = (bound: number): number => Math.floor(random.next() * bound);
  let nextValue = 0;
  const history = Array.from({ length: transactionCount }, (_, index): Transaction => {
    const chance = random.next();
    const outcome = chance < 0.7 ? "ok" : chance < 0.85 ? "failed" : "unknown";
    const hasEffect = outcome === "ok" || (outcome === "unknown" && random.next() < 0.5);
    const steps = Array.from({ length: 1 + pick(stepsMax) }, (): ListStep => {
      const at = pick(listCount);
      if ((lists.get(names[at]!)?.length ?? 0) >= appendsMax) names[at] = `x${at}-${index}`;
      const list = names[at]!;
      const values = lists.get(list) ?? [];
      lists.set(list, values);
      if (random.next() < 0.5) return { kind: "read", list, values: [...values] };
      const value = ++nextValue;
      if (hasEffect) lists.set(list, [...values, value]);
      return { kind: "append", list, value };
    });
    return {
      process: index % overlap,
      outcome,
      steps: outcome === "ok" ? steps : steps.filter(({ kind }) => kind === "append"),
      // Fractions keep instants apart that must not be the same.
      beganAt: index - random.next() * overlap,
      endedAt:
        outcome === "unknown" && random.next() < 0.5 ? Infinity : index + random.next() * overlap,
    };
  });
  return { history, finals: lists };
}

/** Does some order explain it, with some of the unknown transactions or without? */
export function isExplained({ history, finals }: SerialHistory): boolean {
  const mayBe = history.filter(({ outcome }) => outcome !== "failed");
  const tryFrom = (waiting: readonly Transaction[], lists: Finals): boolean => {
    // Unknown ones that are left over have no effect.
    const isDone = waiting.every(({ outcome }) => outcome === "unknown");
    if (isDone && isFinal(lists, finals)) return true;
    return waiting.some((first) => {
      const others = waiting.filter((other) => other !== first);
      const isOver = ({ endedAt }: Transaction): boolean => endedAt < first.beganAt;
      if (others.some((other) => other.outcome === "ok" && isOver(other))) return false;
      const after = afterwards(lists, first);
      // An unknown one that was over before this one began, and has had no effect, has none.
      const left = others.filter((other) => !isOver(other));
      return after !== undefined && tryFrom(left, after);
    });
  };
  return tryFrom(mayBe, new Map());
}

function isFinal(lists: Finals, finals: Finals): boolean {
  const names = new Set([...lists.keys(), ...finals.keys()]);
  return [...names].every((name) => `${lists.get(name) ?? []}` === `${finals.get(name) ?? []}`);
}

/** Undefined when a read says otherwise. */
function afterwards(lists: Finals, { steps }: Transaction): Finals | undefined {
  const after = new Map(lists);
  for (const step of steps) {
    const values = after.get(step.list) ?? [];
    if (step.kind === "append") after.set(step.list, [...values, step.value]);
    else if (`${step.values}` !== `${values}`) return undefined;
  }
  return after;
}
