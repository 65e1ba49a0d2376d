/**
 * Checks one part of a store against itself. Items, keys, terms, log, kept versions, tallies and
 * the counters of the head were written in the same commits, so each must follow from the others.
 * The rules of the part say what an item should look like.
 *
 * The check reads everything once, in pages, and holds a few numbers for each item and a tally for
 * each logical partition.
 */
import { lsn } from "../../base/units.ts";
import type { ReadOnlyStore } from "../../store/backup/backupView.ts";
import type { LogEntry, PartHead, StoredItem, Tally } from "../../store/partitionStore.ts";
import { familyOf } from "../../store/tallies.ts";
import type { Findings } from "./findings.ts";
import type { TermRule } from "./termCheck.ts";
import { checkTerms, Fingerprints, indexOf } from "./termCheck.ts";
import { checkVersions } from "./versionCheck.ts";

export interface PartRules {
  /** Returns the name of a key in findings. */
  nameOf(key: string): string;
  /** Returns what is wrong with a key of this part, if anything is. */
  keyProblem(key: string): string | undefined;
  /** Returns the terms that the item should have, or `undefined` if it is too broken to tell. */
  look(item: StoredItem, complain: (text: string) => void): Iterable<string> | undefined;
  /** Like `look`, for an item that may have one of several sets of terms. */
  ruleOf(item: StoredItem): TermRule;
}

export interface PartCheck {
  readonly store: ReadOnlyStore;
  readonly part: number;
  readonly head: PartHead;
  /** The name of the part in findings. */
  readonly place: string;
  readonly rules: PartRules;
  readonly findings: Findings;
  readonly hasTallies: boolean;
  /** Called after every page. */
  onProgress(what: string, count: number): void;
}

interface PartReport {
  readonly itemCount: number;
  readonly itemBytes: number;
  readonly termCount: number;
}

interface SeenItems {
  readonly numbers: readonly number[];
  readonly itemBytes: number;
  readonly tallies: ReadonlyMap<string, Tally>;
  readonly fingerprints: Fingerprints;
  /** Numbers of the items that are too broken to tell which terms they should have. */
  readonly unknown: ReadonlySet<number>;
}

const ITEM_PAGE = { countMax: 512, bytesMax: 4 * 1024 * 1024 };
const LOG_PAGE_COUNT = 1_024;
const TALLY_PAGE_COUNT = 1_024;
const ALL_FAMILIES = { min: "", max: "\xff".repeat(32) };

export async function checkPart(check: PartCheck): Promise<PartReport> {
  const seen = await checkItems(check);
  checkHead(check, seen);
  if (check.hasTallies) await checkTallies(check, seen.tallies);
  await checkLog(check, seen.numbers);
  await checkVersions(check);
  check.onProgress("terms", 0);
  const termCount = await checkPartTerms(check, seen);
  return { itemCount: seen.numbers.length, itemBytes: seen.itemBytes, termCount };
}

async function checkItems({
  store,
  part,
  place,
  rules,
  findings,
  onProgress,
}: PartCheck): Promise<SeenItems> {
  const numbers: number[] = [];
  const tallies = new Map<string, { itemCount: number; itemBytes: number }>();
  const fingerprints = new Fingerprints();
  const unknown = new Set<number>();
  let itemBytes = 0;
  for (let after = 0, isLast = false; !isLast; ) {
    const page = await store.scanItems(part, after, ITEM_PAGE);
    const byKey = await store.getMany(
      part,
      page.items.map(({ key }) => key),
    );
    page.items.forEach((item, at) => {
      const complain = (text: string): void =>
        findings.damage(`${place}, ${rules.nameOf(item.key)}`, text);
      if (byKey[at]?.number !== item.number) {
        complain(`its key leads to ${byKey[at] === undefined ? "nothing" : "another item"}`);
      }
      const terms = rules.look(item, complain);
      if (terms === undefined) unknown.add(numbers.length);
      numbers.push(item.number);
      fingerprints.push(terms ?? []);
      itemBytes += item.body.length;
      const family = familyOf(item.key);
      const tally = tallies.get(family) ?? { itemCount: 0, itemBytes: 0 };
      tally.itemCount++;
      tally.itemBytes += item.body.length;
      tallies.set(family, tally);
    });
    after = page.items.at(-1)?.number ?? after;
    isLast = page.isLast;
    onProgress("items", numbers.length);
  }
  return { numbers, itemBytes, tallies, fingerprints, unknown };
}

function checkHead({ head, place, findings }: PartCheck, { numbers, itemBytes }: SeenItems): void {
  const differs = (what: string, told: number, counted: number): void =>
    findings.damage(`${place}, head`, `it tells of ${told} ${what}, and there are ${counted}`);
  if (head.itemCount !== numbers.length) differs("items", head.itemCount, numbers.length);
  if (head.itemBytes !== itemBytes) differs("bytes", head.itemBytes, itemBytes);
  const last = numbers.at(-1) ?? 0;
  if (head.numberMax < last) {
    const text = `it tells of no item number above ${head.numberMax}, and there is ${last}`;
    findings.damage(`${place}, head`, text);
  }
  if (head.sweptLsn > head.lsn) {
    findings.damage(`${place}, head`, `swept up to LSN ${head.sweptLsn}, but at ${head.lsn}`);
  }
}

async function checkTallies(
  { store, part, place, findings }: PartCheck,
  counted: ReadonlyMap<string, Tally>,
): Promise<void> {
  const left = new Map(counted);
  for (let after: string | undefined, isLast = false; !isLast; ) {
    const scan = { range: ALL_FAMILIES, after, countMax: TALLY_PAGE_COUNT };
    const page = await store.scanTallies(part, scan);
    for (const { family, itemCount, itemBytes } of page.tallies) {
      const due = left.get(family) ?? { itemCount: 0, itemBytes: 0 };
      left.delete(family);
      if (due.itemCount === itemCount && due.itemBytes === itemBytes) continue;
      findings.damage(
        `${place}, tally of ${JSON.stringify(family)}`,
        `it tells of ${itemCount} items with ${itemBytes} bytes, and there are ` +
          `${due.itemCount} with ${due.itemBytes}`,
      );
    }
    after = page.tallies.at(-1)?.family;
    isLast = page.isLast;
  }
  for (const [family, { itemCount }] of left) {
    const text = `there is none, but ${itemCount} items`;
    findings.damage(`${place}, tally of ${JSON.stringify(family)}`, text);
  }
}

/**
 * Checks the log: every item has one entry, for its latest version, and all other entries are ends.
 */
async function checkLog(check: PartCheck, numbers: readonly number[]): Promise<void> {
  const { store, part, place, findings, onProgress } = check;
  const named = new Uint8Array(numbers.length);
  let count = 0;
  for (let after = lsn(0), isLast = false; !isLast; ) {
    const page = await store.readLog(part, after, LOG_PAGE_COUNT);
    const items = await store.getMany(
      part,
      page.entries.map(({ key }) => key),
    );
    page.entries.forEach((entry, at) => {
      const index = indexOf(numbers, entry.number);
      const wrong = entryProblem(check, entry, items[at], index >= 0);
      const where = `${place}, log at LSN ${entry.lsn}, ${check.rules.nameOf(entry.key)}`;
      if (wrong !== undefined) findings.damage(where, wrong);
      else if (index >= 0) named[index] = 1;
    });
    count += page.entries.length;
    onProgress("log entries", count);
    after = page.entries.at(-1)?.lsn ?? after;
    isLast = page.isLast;
  }
  for (const [index, isNamed] of named.entries()) {
    if (isNamed === 1) continue;
    findings.damage(`${place}, item number ${numbers[index]}`, "the log does not name it");
  }
}

function entryProblem(
  { head, rules }: PartCheck,
  { lsn: entryLsn, number, kind, key }: LogEntry,
  item: StoredItem | undefined,
  isThere: boolean,
): string | undefined {
  if (entryLsn > head.lsn) return `the head is at LSN ${head.lsn} only`;
  const problem = rules.keyProblem(key);
  if (problem !== undefined) return problem;
  if (kind === "deleted" || kind === "expired") {
    return isThere ? `item number ${number} ended, and is there` : undefined;
  }
  if (item?.number !== number) return `there is no item number ${number} of that name`;
  return item.lsn === entryLsn ? undefined : `the item is at LSN ${item.lsn}`;
}

async function checkPartTerms(check: PartCheck, seen: SeenItems): Promise<number> {
  const { store, part, place, rules, findings } = check;
  const { numbers, fingerprints, unknown } = seen;
  const itemAt = async (index: number): Promise<StoredItem> => {
    const limits = { countMax: 1, bytesMax: 1 };
    return (await store.scanItems(part, numbers[index]! - 1, limits)).items[0]!;
  };
  const placeOf = (index: number): string => `${place}, item number ${numbers[index]}`;
  const about =
    (text: string) =>
    (index: number, term: string): void => {
      if (!unknown.has(index)) findings.damage(placeOf(index), `${text}: ${termText(term)}`);
    };
  const items = {
    numbers,
    ruleOf: async (index: number) => rules.ruleOf(await itemAt(index)),
    isKnown: (index: number) => !unknown.has(index),
  };
  return checkTerms(store, part, items, fingerprints, {
    stray: (number, term) =>
      findings.damage(`${place}, terms`, `no item ${number} is there to have ${termText(term)}`),
    shared: (index, other) =>
      findings.damage(placeOf(other), `item number ${numbers[index]} has the same unique key`),
    twice: about("it has a term twice"),
    missing: about("it lacks a term"),
    excess: about("it has a term that is not its own"),
  });
}

function termText(term: string): string {
  const shown = Buffer.from(term.slice(0, 40), "latin1").toString("hex");
  return term.length > 40 ? `${shown}…` : shown;
}
