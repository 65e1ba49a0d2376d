/**
 * A random history of commits, adoptions and sweeps runs against a store and against a model that
 * is obviously right (plain maps and sorted arrays); after each step everything a reader can ask is
 * compared. Stores that survive it are closed and opened again on the way.
 */
import { lsn } from "../../base/units.ts";
import type { Random } from "../../base/world.ts";
import type { ItemWrite, PartitionStore, WriteGroup } from "../partitionStore.ts";
import { found } from "./found.ts";
import { ModelStore } from "./modelStore.ts";
import { randomAdoption, randomKeptVersions } from "./randomVersions.ts";
import { ALL, NONE, putOf, talliesIn, versionsIn } from "./sample.ts";
import type { StoreSubject } from "./storePromise.ts";

/** Some keys share a family, some have none of their own: no zero byte in them. */
const KEYS: readonly string[] = Array.from({ length: 40 }, (_, index) =>
  index < 30 ? `\xfef${index % 7}\x00k${index}\x00` : `\xfek${index}`,
);
const TERMS: readonly string[] = ["p0", "p1", "p2", "q\x001", "q\x002", "q\xff3"];

/** Fails at the first answer that is not the model's. */
export async function followModel(
  subject: StoreSubject,
  random: Random,
  stepCount: number,
): Promise<void> {
  let { store, reopen } = await subject.open();
  const model = new ModelStore();
  const PARTS = [7, 8];
  const usedNumbers = new Set<number>();
  for (const part of PARTS) {
    await store.claim(part, 1);
    model.claim(part);
  }
  for (let step = 0; step < stepCount; step++) {
    const part = PARTS[step % 2]!;
    const groups = randomGroups(random, model, part, step);
    if (groups.length > 0) {
      const terms = { keepsVersions: random.next() < 0.5 };
      const committed = await store.commit(part, 1, groups, terms);
      found(committed).is(model.commit(part, groups, terms));
      found(committed.head).is(await store.head(part));
    }
    for (const { number } of groups.flat()) usedNumbers.add(number);
    if (random.next() < 0.4) {
      const setting = { model, part, keys: KEYS, terms: TERMS, usedNumbers };
      const { versions, throughLsn } = randomAdoption(random, setting);
      const head = await store.adopt(part, 1, versions, throughLsn);
      found(head).is(model.adopt(part, versions, throughLsn));
      for (const { write } of versions) usedNumbers.add(write.number);
    }
    if (random.next() < 0.2) {
      const kept = randomKeptVersions(random, { model, part, keys: KEYS, usedNumbers });
      await store.adoptVersions(part, 1, kept);
      model.adoptVersions(part, kept);
      for (const { number } of kept) usedNumbers.add(number);
    }
    if (random.next() < 0.1) {
      const through = lsn(Math.floor(random.next() * model.head(part).lsn));
      found(await store.sweepLog(part, 1, through)).is(await store.head(part));
      model.sweep(part, through);
    }
    if (random.next() < 0.1 && reopen) {
      await store.close();
      store = await reopen();
    }
    await expectSame(store, model, part, random);
  }
  await store.close();
}

/** A few creates, replaces and deletes of distinct items, in groups of one or more. */
function randomGroups(
  random: Random,
  model: ModelStore,
  part: number,
  step: number,
): readonly WriteGroup[] {
  const touched = new Set<string>();
  const pick = (n: number): number => Math.floor(random.next() * n);
  const groups: ItemWrite[][] = [];
  let created = 0;
  for (let count = pick(6); count > 0; count--) {
    const key = KEYS[pick(KEYS.length)]!;
    if (touched.has(key)) continue;
    touched.add(key);
    const stored = model.get(part, key);
    const termsOf = (): string[] => [
      ...new Set([`p${pick(3)}`, `q\x00${pick(5)}`, `q\xff${pick(5)}`]),
    ];
    let write: ItemWrite;
    if (stored === undefined) {
      const number = model.head(part).numberMax + 1 + created++;
      write = putOf(key, number, `body ${step} ${"y".repeat(pick(300))}`, termsOf());
    } else {
      const before = { lsn: stored.lsn, bodyBytes: stored.body.length };
      const held = model.termsOf(part, stored.number);
      const { number } = stored;
      const choice = random.next();
      if (choice < 0.4) {
        const isExpiry = pick(3) === 0;
        write = { kind: "delete", key, number, tag: step, before, termsRemoved: held, isExpiry };
        if (pick(2) === 0) write = { ...write, last: stored.body };
      } else if (choice < 0.6) {
        // Also terms it may have and has not, and terms it has and keeps.
        const termsAdded = termsOf();
        const termsRemoved = [...new Set([...held, ...termsAdded, "p1"])];
        write = { kind: "reterm", key, number, termsAdded, termsRemoved };
      } else {
        const next = termsOf();
        write = {
          kind: "put",
          key,
          number,
          tag: step,
          body: Buffer.from(`again ${step}`),
          before,
          termsAdded: next.filter((term) => !held.includes(term)),
          termsRemoved: held.filter((term) => !next.includes(term)),
        };
      }
    }
    if (groups.length > 0 && random.next() < 0.3) groups.at(-1)!.push(write);
    else groups.push([write]);
  }
  return groups;
}

async function expectSame(
  store: PartitionStore,
  model: ModelStore,
  part: number,
  random: Random,
): Promise<void> {
  found(await store.head(part)).has(model.head(part));
  const wanted = KEYS.map((key) => model.get(part, key));
  found((await store.getMany(part, KEYS)).map(plain)).is(wanted.map(plain));

  const countMax = 1 + Math.floor(random.next() * 10);
  const items = [];
  for (let after = 0, isLast = false; !isLast; ) {
    const page = await store.scanItems(part, after, { countMax, bytesMax: 400 });
    items.push(...page.items);
    isLast = page.isLast;
    after = page.items.at(-1)?.number ?? after;
  }
  found(items.map(plain)).is(model.items(part).map(plain));

  for (const isReverse of [false, true]) {
    const range = random.next() < 0.5 ? { min: "", max: "\xff\xff" } : { min: "p1", max: "q\x01" };
    const entries: { term: string; number: number }[] = [];
    for (let isLast = false; !isLast; ) {
      const scan = {
        range,
        isReverse,
        withItems: true,
        after: entries.at(-1),
        countMax,
        bytesMax: 999,
      };
      const page = await store.scanTerms(part, scan);
      for (const { term, number, item } of page.entries) {
        found(item?.number).is(number);
        entries.push({ term, number });
      }
      isLast = page.isLast;
    }
    const expected = model.terms(part, range);
    found(entries).is(isReverse ? expected.reverse() : expected);
  }

  const entries = [];
  for (let after = lsn(0), isLast = false; !isLast; ) {
    const page = await store.readLog(part, after, countMax);
    entries.push(...page.entries);
    isLast = page.isLast;
    after = page.entries.at(-1)?.lsn ?? after;
  }
  found(entries).is(model.log(part));
  const kept = await versionsIn(store, part, { countMax, bytesMax: 300 });
  found(kept.map(plain)).is(model.versions(part).map(plain));
  await expectSameTallies(store, model, part, countMax);
}

async function expectSameTallies(
  store: PartitionStore,
  model: ModelStore,
  part: number,
  countMax: number,
): Promise<void> {
  const expected = model.tallies(part);
  found(await talliesIn(store, part, ALL, countMax)).is(expected);
  const range = { min: "\xfef2", max: "\xfef5" };
  const inside = expected.filter(({ family }) => family >= range.min && family < range.max);
  found(await talliesIn(store, part, range, countMax)).is(inside);
  for (const key of KEYS) {
    const family = key.split("\x00")[0]!;
    const { itemCount, itemBytes } = expected.find((one) => one.family === family) ?? NONE;
    found(await store.tally(part, family)).is({ itemCount, itemBytes });
  }
}

function plain(stored: { readonly body: Buffer } | undefined): unknown {
  return stored && { ...stored, body: stored.body.toString("latin1") };
}
