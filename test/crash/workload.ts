/**
 * Random steps on one part: creates, replaces and deletes in groups, with terms, kept or not,
 * versions from elsewhere, now and then a sweep of the log, rarely the end of the part. Few keys,
 * so that versions follow on each other, and bodies of up to a few disk sectors, so that there is
 * something to tear.
 */
import { lsn } from "../../src/base/units.ts";
import type { Random } from "../../src/base/world.ts";
import type { ItemWrite } from "../../src/store/partitionStore.ts";
import { randomAdoption, randomKeptVersions } from "../../src/store/promises/randomVersions.ts";
import type { PartHistory, PartStep } from "./partHistory.ts";

export const KEYS: readonly string[] = Array.from({ length: 10 }, (_, index) =>
  index < 8 ? `\xfefamily${index % 3}\x00key${index}` : `\xfekey${index}`,
);
const TERMS: readonly string[] = Array.from({ length: 8 }, (_, index) => `\x80t${index}\x00`);

/** The next step of a part, computed on what has been acknowledged of it. */
export function nextStep(random: Random, history: PartHistory): PartStep {
  if (!history.isClaimed) return { kind: "claim" };
  const { lsn: reached, sweptLsn } = history.model.head(history.part);
  const chance = random.next();
  if (chance < 0.02 && history.doneCount > 10) return { kind: "drop" };
  if (chance < 0.1 && reached > sweptLsn) {
    const throughLsn = lsn(sweptLsn + 1 + pick(random, reached - sweptLsn));
    return { kind: "sweep", throughLsn };
  }
  if (chance < 0.3) {
    const { model, part, usedNumbers } = history;
    const setting = { model, part, keys: KEYS, terms: TERMS, usedNumbers };
    if (chance < 0.15) return { kind: "adoptVersions", kept: randomKeptVersions(random, setting) };
    return { kind: "adopt", ...randomAdoption(random, setting) };
  }
  const keepsVersions = random.next() < 0.5;
  return { kind: "commit", groups: randomGroups(random, history), keepsVersions };
}

export function pick(random: Random, bound: number): number {
  return Math.floor(random.next() * bound);
}

function randomGroups(random: Random, history: PartHistory): readonly ItemWrite[][] {
  const groups: ItemWrite[][] = [];
  const keys = new Set(Array.from({ length: 1 + pick(random, 4) }, () => pick(random, 10)));
  let nextNumber = history.model.head(history.part).numberMax;
  for (const index of keys) {
    const write = randomWrite(random, history, KEYS[index]!, () => ++nextNumber);
    if (groups.length > 0 && random.next() < 0.5) groups.at(-1)!.push(write);
    else groups.push([write]);
  }
  return groups;
}

function randomWrite(
  random: Random,
  { model, part }: PartHistory,
  key: string,
  nextNumber: () => number,
): ItemWrite {
  const stored = model.get(part, key);
  const before = stored && { lsn: stored.lsn, bodyBytes: stored.body.length };
  const held = stored === undefined ? [] : model.termsOf(part, stored.number);
  if (stored !== undefined && before !== undefined && random.next() < 0.35) {
    const { number, body: last } = stored;
    const tag = pick(random, 1000);
    const isExpiry = random.next() < 0.3;
    const end = { kind: "delete", key, number, tag, before, termsRemoved: held, isExpiry } as const;
    return random.next() < 0.5 ? { ...end, last } : end;
  }
  const terms = TERMS.filter(() => random.next() < 0.4);
  return {
    kind: "put",
    key,
    number: stored?.number ?? nextNumber(),
    tag: pick(random, 1000),
    body: Buffer.from(random.bytes(pick(random, 10) === 0 ? 1500 : pick(random, 120))),
    before,
    termsAdded: terms.filter((term) => !held.includes(term)),
    termsRemoved: held.filter((term) => !terms.includes(term)),
  };
}
