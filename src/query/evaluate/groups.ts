/**
 * Groups of rows with equal keys, and the aggregates of each group. A query with aggregates and no
 * GROUP BY has one group, which exists even when no row does.
 */
import { compareValues } from "../../json/compare.ts";
import { type Carried, plainOf } from "../../json/digits.ts";
import type { BoundQuery } from "../bind/bound.ts";
import type { Value } from "../functions/builtIn.ts";
import { boundedText } from "../functions/valueSize.ts";
import type { Accumulator } from "./aggregates.ts";
import { isCarrying, makeAccumulator } from "./aggregates.ts";
import { bindSlot } from "./carriedSlots.ts";
import type { Compiler } from "./compiler.ts";
import type { MemoryHolding } from "./held.ts";
import type { Run, Slots } from "./run.ts";
import type { Pause } from "./sortInTurns.ts";
import { sortInTurns } from "./sortInTurns.ts";

export type GroupKey = readonly Value[];

interface Group {
  readonly key: GroupKey;
  /** Puts keys and aggregates into the slots that the projection reads. */
  fill(slots: Slots): void;
}

interface Groups {
  add(slots: Slots, run: Run): void;
  /** Returns the groups in the order in which they came up. */
  all(): Iterable<Group>;
  readonly count: number;
  /** Forgets all groups but the first `count`, by their keys. */
  keepFirst(count: number, pause: Pause): Promise<void>;
  /** Resolves with the groups in the order of their keys. */
  sorted(pause: Pause): Promise<readonly Group[]>;
}

/**
 * Makes an empty collection of groups. With `after`, only groups whose key comes after it are kept.
 */
export type MakeGroups = (after?: GroupKey, held?: MemoryHolding) => Groups;

export function compileGroups(query: BoundQuery, compiler: Compiler): MakeGroups {
  const keys = query.groupBy ?? [];
  const evaluateKeys = keys.map(({ expression }) => compiler.carried(expression));
  const aggregates = query.aggregates.map(({ name, argument, slot }) => ({
    name,
    argument: isCarrying(name) ? compiler.carried(argument) : compiler.value(argument),
    slot,
  }));
  const keySlots = keys.map(({ slot }) => slot);
  const makeGroup = (carried: CarriedKey, held: MemoryHolding | undefined): Collected =>
    newGroup(carried, keySlots, aggregates, held);
  return (after, held) => {
    let byText = new Map<string, Collected>();
    if (keys.length === 0) byText.set("", makeGroup([], held));
    const groupOf = (slots: Slots, run: Run): Collected | undefined => {
      if (evaluateKeys.length === 0) return byText.get("");
      const carried = evaluateKeys.map((evaluate) => evaluate(slots, run));
      const key = carried.map(plainOf);
      if (after !== undefined && compareKeys(key, after) <= 0) return undefined;
      const text = keyText(key);
      let group = byText.get(text);
      if (group === undefined) {
        group = makeGroup(carried, held);
        held?.hold(text.length + GROUP_BYTES);
        byText.set(text, group);
      }
      return group;
    };
    return {
      add: (slots, run) => {
        const group = groupOf(slots, run);
        group?.accumulators.forEach((accumulator, index) => {
          accumulator.add(aggregates[index]!.argument(slots, run));
        });
      },
      all: () => byText.values(),
      get count() {
        return byText.size;
      },
      sorted: (pause) =>
        sortInTurns([...byText.values()], (a, b) => compareKeys(a.key, b.key), pause),
      keepFirst: async (count, pause) => {
        const entries = await sortInTurns(
          [...byText],
          ([, a], [, b]) => compareKeys(a.key, b.key),
          pause,
        );
        for (const [text] of entries.splice(count)) held?.release(text.length + GROUP_BYTES);
        byText = new Map(entries);
      },
    };
  };
}

/** The values of a key with their digits, as the first row of the group has them. */
type CarriedKey = readonly (Carried | undefined)[];

function newGroup(
  carried: CarriedKey,
  keySlots: readonly number[],
  aggregates: readonly Pick<BoundQuery["aggregates"][number], "name" | "slot">[],
  held: MemoryHolding | undefined,
): Collected {
  const accumulators = aggregates.map(({ name }) => makeAccumulator(name, held));
  const fill = (slots: Slots): void => {
    keySlots.forEach((slot, index) => {
      bindSlot(slots, slot, carried[index]);
    });
    aggregates.forEach(({ slot }, index) => {
      bindSlot(slots, slot, accumulators[index]!.result());
    });
  };
  return { key: carried.map(plainOf), accumulators, fill };
}

/** Memory that a group takes besides its key, in bytes. */
const GROUP_BYTES = 256;

interface Collected extends Group {
  readonly accumulators: readonly Accumulator[];
}

export function compareKeys(left: GroupKey, right: GroupKey): number {
  for (let index = 0; index < left.length; index++) {
    const order = compareValues(left[index], right[index]);
    if (order !== 0) return order;
  }
  return 0;
}

function keyText(key: GroupKey): string {
  return key.map((value) => (value === undefined ? "" : boundedText(value))).join("\x00");
}
