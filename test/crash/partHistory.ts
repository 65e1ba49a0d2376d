/**
 * What one part of a store was told, and what may therefore be found in it.
 *
 * Steps of a part come one after the other. Those that were acknowledged must be there, in order;
 * of those that were not, at most one, whole, because each was computed on the acknowledged ones.
 * `verdict` compares everything a reader can ask (head, items, keys, terms, log, versions,
 * tallies) with a model that took exactly these steps, so half a step fits nothing.
 */
import type { Lsn } from "../../src/base/units.ts";
import { lsn } from "../../src/base/units.ts";
import type { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import type {
  FamilyTally,
  KeptVersion,
  PartHead,
  StoredItem,
  Tally,
  WriteGroup,
} from "../../src/store/partitionStore.ts";
import { ModelStore } from "../../src/store/promises/modelStore.ts";
import type { Adoption } from "../../src/store/promises/randomVersions.ts";
import { familyOf } from "../../src/store/tallies.ts";

const EPOCH = 1;

export type PartStep =
  | { readonly kind: "claim" }
  | {
      readonly kind: "commit";
      readonly groups: readonly WriteGroup[];
      readonly keepsVersions: boolean;
    }
  | ({ readonly kind: "adopt" } & Adoption)
  | { readonly kind: "adoptVersions"; readonly kept: readonly KeptVersion[] }
  | { readonly kind: "sweep"; readonly throughLsn: Lsn }
  | { readonly kind: "drop" };

/** What a comparison came to. `lost` steps are gone for good, `kept` ones count as acknowledged. */
type Verdict =
  | { readonly kind: "asAcknowledged" }
  | { readonly kind: "kept" }
  | { readonly kind: "violation"; readonly message: string };

export class PartHistory {
  readonly part: number;
  /** Of all items that were ever in the part. */
  readonly usedNumbers: Set<number> = new Set();
  readonly #keys: readonly string[];
  readonly #done: PartStep[] = [];
  #unknown: PartStep[] = [];
  #model = new ModelStore();

  /** `keys` are all the keys that are ever used in this part. */
  constructor(part: number, keys: readonly string[]) {
    this.part = part;
    this.#keys = keys;
  }

  get model(): ModelStore {
    return this.#model;
  }

  get doneCount(): number {
    return this.#done.length;
  }

  get isClaimed(): boolean {
    return this.#done.length > 0;
  }

  get isDropped(): boolean {
    return this.#done.at(-1)?.kind === "drop";
  }

  /** From now on the step may or may not be found. */
  begin(step: PartStep): void {
    this.#unknown.push(step);
  }

  /** From now on the step must be found, and nothing else that was begun can be. */
  acknowledge(step: PartStep): void {
    this.#unknown = [];
    this.#done.push(step);
    for (const number of numbersIn(step)) this.usedNumbers.add(number);
    applyTo(this.#model, this.part, step);
  }

  /**
   * Compares the store with what may be there. A state that was seen once must stay, so an
   * unknown step that is found counts as acknowledged from here on.
   */
  verdict(store: EmbeddedStore): Verdict {
    const found = storeSignature(store, this.part, this.#keys);
    const expected = this.#signatureOf(this.#model, this.isClaimed && !this.isDropped);
    if (found === expected) return { kind: "asAcknowledged" };
    for (const step of this.#unknown) {
      if (found !== this.#signatureAfter([...this.#done, step])) continue;
      this.acknowledge(step);
      return { kind: "kept" };
    }
    return { kind: "violation", message: `part ${this.part}: ${difference(found, expected)}` };
  }

  /** After a restart what was not found will not come any more. */
  forgetUnknown(): void {
    this.#unknown = [];
  }

  #signatureAfter(steps: readonly PartStep[]): string {
    const model = new ModelStore();
    for (const step of steps) applyTo(model, this.part, step);
    return this.#signatureOf(model, steps.length > 0 && steps.at(-1)!.kind !== "drop");
  }

  #signatureOf(model: ModelStore, isThere: boolean): string {
    if (!isThere) return "no such part";
    const { part } = this;
    return JSON.stringify([
      headLine(model.head(part)),
      model.items(part).map(itemLine),
      this.#keys.map((key) => model.get(part, key)?.number ?? 0),
      model.terms(part, EVERYTHING).map(({ term, number }) => [term, number]),
      model.log(part).map((entry) => [entry.lsn, entry.number, entry.kind, entry.key]),
      model.versions(part).map(versionLine),
      ...tallyLines(this.#keys, model.tallies(part), (family) =>
        model.tallies(part).find((tally) => tally.family === family),
      ),
    ]);
  }
}

function numbersIn(step: PartStep): number[] {
  if (step.kind === "commit") return step.groups.flatMap((group) => group.map((w) => w.number));
  if (step.kind === "adoptVersions") return step.kept.map(({ number }) => number);
  return step.kind === "adopt" ? step.versions.map(({ write }) => write.number) : [];
}

/** All families, and those of `keys` once more, asked for one by one. */
function tallyLines(
  keys: readonly string[],
  all: readonly FamilyTally[],
  tallyOf: (family: string) => Tally | undefined,
): readonly unknown[] {
  const each = keys.map((key) => tallyOf(familyOf(key)));
  return [
    all.map(({ family, itemCount, itemBytes }) => [family, itemCount, itemBytes]),
    each.map((tally) => [tally?.itemCount ?? 0, tally?.itemBytes ?? 0]),
  ];
}

/** The two texts from where they part, short enough to be read. */
function difference(found: string, expected: string): string {
  let at = 0;
  while (at < found.length && found[at] === expected[at]) at++;
  const [start, end] = [Math.max(0, at - 60), at + 100];
  return `found …${found.slice(start, end)}… where …${expected.slice(start, end)}… was acknowledged`;
}

const EVERYTHING = { min: "", max: "\xff\xff" };
const PAGE = { countMax: 5, bytesMax: 2000 };

function applyTo(model: ModelStore, part: number, step: PartStep): void {
  if (step.kind === "claim") model.claim(part);
  else if (step.kind === "commit") model.commit(part, step.groups, step);
  else if (step.kind === "adopt") model.adopt(part, step.versions, step.throughLsn);
  else if (step.kind === "adoptVersions") model.adoptVersions(part, step.kept);
  else if (step.kind === "sweep") model.sweep(part, step.throughLsn);
}

/** A store that cannot even be read fits nothing, and the comparison says why. */
function storeSignature(store: EmbeddedStore, part: number, keys: readonly string[]): string {
  try {
    return readSignature(store, part, keys);
  } catch (error) {
    return String(error);
  }
}

function readSignature(store: EmbeddedStore, part: number, keys: readonly string[]): string {
  const head = store.head(part);
  if (head === undefined) return "no such part";
  const items: StoredItem[] = [];
  for (let isLast = false; !isLast; ) {
    const page = store.scanItems(part, items.at(-1)?.number ?? 0, PAGE);
    items.push(...page.items);
    isLast = page.isLast;
  }
  const terms: { term: string; number: number }[] = [];
  for (let isLast = false; !isLast; ) {
    const after = terms.at(-1);
    const page = store.scanTerms(part, { range: EVERYTHING, after, withItems: true, ...PAGE });
    terms.push(...page.entries);
    isLast = page.isLast;
  }
  const tallies: FamilyTally[] = [];
  for (let isLast = false; !isLast; ) {
    const after = tallies.at(-1)?.family;
    const page = store.scanTallies(part, { range: EVERYTHING, after, countMax: 2 });
    tallies.push(...page.tallies);
    isLast = page.isLast;
  }
  const versions: KeptVersion[] = [];
  for (let isLast = false; !isLast; ) {
    const page = store.readVersions(part, versions.at(-1)?.lsn ?? lsn(0), PAGE);
    versions.push(...page.versions);
    isLast = page.isLast;
  }
  const log = store.readLog(part, lsn(0), Number.MAX_SAFE_INTEGER).entries;
  return JSON.stringify([
    headLine(head),
    items.map(itemLine),
    store.getMany(part, keys).map((item) => item?.number ?? 0),
    terms.map(({ term, number }) => [term, number]),
    log.map((entry) => [entry.lsn, entry.number, entry.kind, entry.key]),
    versions.map(versionLine),
    ...tallyLines(keys, tallies, (family) => store.tally(part, family)),
  ]);
}

function headLine(head: PartHead): readonly number[] {
  return [head.epoch, head.lsn, head.itemCount, head.itemBytes, head.numberMax, head.sweptLsn];
}

function itemLine({ key, number, lsn: itemLsn, tag, body }: StoredItem): readonly unknown[] {
  return [key, number, itemLsn, tag, body.toString("latin1")];
}

function versionLine(version: KeptVersion): readonly unknown[] {
  const { lsn: at, number, kind, key, tag, previousLsn, body } = version;
  return [at, number, kind, key, tag, previousLsn, body.toString("latin1")];
}

/** Sends a step to the store; resolves when it is acknowledged. */
export async function perform(store: EmbeddedStore, part: number, step: PartStep): Promise<void> {
  if (step.kind === "claim") await store.claim(part, EPOCH);
  else if (step.kind === "commit") await store.commit(part, EPOCH, step.groups, step);
  else if (step.kind === "adopt") await store.adopt(part, EPOCH, step.versions, step.throughLsn);
  else if (step.kind === "adoptVersions") await store.adoptVersions(part, EPOCH, step.kept);
  else if (step.kind === "sweep") await store.sweepLog(part, EPOCH, step.throughLsn);
  else await store.drop(part);
}
