/**
 * The look at all items before the first write: what would clash, by its place or by values that
 * are unique there, what lacks its key, which keys would be too large, what it costs. Everything
 * but the price is counted, item by item.
 *
 * Memory is bounded: where there are more items than one pass may hold, the items are gone through
 * several times, each time for a part of the hashes.
 */
import type { Ru } from "../../base/units.ts";
import type { Timer } from "../../base/world.ts";
import type { CopyPlan, FullKey, ItemExample } from "../../model/copyJob.ts";
import { shownKey } from "../../model/copyJob.ts";
import type { Limits } from "../../model/limits.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import { chargeOf } from "../../throughput/charge.ts";
import { objectOf } from "../item/itemBody.ts";
import { idOfKey, itemKeyOf } from "../item/itemKey.ts";
import { uniqueTermsOf } from "../item/itemTerms.ts";
import { prepare } from "../item/prepare.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import { itemOfNumber } from "./copyPlaces.ts";
import { HashedSums, hashOf } from "./hashedSums.ts";
import type { ItemCopy, Mapping } from "./mapping.ts";
import { placeTakenText } from "./setAside.ts";

interface SurveySetting {
  readonly store: PartitionStore;
  readonly timer: Timer;
  readonly limits: Limits;
}

interface SurveyTerms {
  readonly source: Container;
  /** Need not be there: then the look asks it for its definition only. */
  readonly target: Container;
  /** True of a target with items of its own, which take places and room. */
  readonly isTargetThere: boolean;
  readonly mapping: Mapping;
  isStopped(): boolean;
  /** Called with how much is done, from 0 to 1. */
  onLooked(share: number): void;
  /** Called with what each step has cost; resolves when the next may begin. */
  pace(partition: PhysicalPartition, readRu: number): Promise<void>;
}

/** What was counted; the rest of a plan follows from what was asked for. */
export type CopySurvey = Omit<CopyPlan, "seconds" | "steps" | "obstacles">;

const EXAMPLES_MAX = 20;
const PASS_COUNT_MAX = 4_000_000;
const SAMPLE_COUNT_MAX = 1000;
const STEP = { countMax: 256, bytesMax: 1024 * 1024 };

/** `undefined` if it was stopped. */
export async function survey(
  setting: SurveySetting,
  terms: SurveyTerms,
): Promise<CopySurvey | undefined> {
  const { source } = terms;
  let itemCount = 0;
  for (const { head } of source.partitions.values()) itemCount += head.itemCount;
  const passCount = Math.max(1, Math.ceil(itemCount / PASS_COUNT_MAX));
  const count = new SurveyCount(setting, terms, itemCount);
  let lookedCount = 0;
  const note = (item: StoredItem): Promise<void> | undefined => {
    terms.onLooked(Math.min(1, ++lookedCount / (itemCount * passCount)));
    return count.note(item);
  };
  for (let pass = 0; pass < passCount; pass++) {
    count.beginPass(pass, passCount);
    if (!(await everyItem(setting, terms, note))) return undefined;
    count.endPass();
  }
  return count.survey;
}

/** Calls `action` for every live item. False if it was stopped. */
async function everyItem(
  { store, timer }: SurveySetting,
  { source, isStopped, pace }: SurveyTerms,
  action: (item: StoredItem) => Promise<void> | undefined,
): Promise<boolean> {
  const { map } = source;
  for (const partition of source.partitions.values()) {
    for (let after = 0, isLast = false; !isLast; ) {
      if (isStopped() || source.isDeleted) return false;
      const page = await store.scanItems(partition.entry.part, after, STEP);
      // A count in which a part was missing would be wrong: everything begins again.
      if (source.map !== map) return false;
      for (const item of page.items) if (partition.isLive(item)) await action(item);
      const itemBytes = page.items.map(({ body }) => body.length);
      const readRu = itemBytes.length === 0 ? 0 : chargeOf({ kind: "feedPage", itemBytes });
      partition.spending.settleLeftOver(readRu);
      await pace(partition, readRu);
      after = page.items.at(-1)?.number ?? after;
      isLast = page.isLast;
      await timer.soon();
    }
  }
  return true;
}

class SurveyCount {
  readonly #setting: SurveySetting;
  readonly #terms: SurveyTerms;
  readonly #every: number;
  #pass = 0;
  #passCount = 1;
  /** By hash of key and id: the number of the first item there, plus one. */
  #slots = new HashedSums();
  /** By hash of the key: its bytes. */
  #keys = new HashedSums();
  /** By hash of a key and of values that are unique under it: the number of the first, plus one. */
  #unique = new HashedSums();
  #counts = { item: 0, bytes: 0, copied: 0, copiedBytes: 0, clash: 0, missing: 0, unfit: 0 };
  #keyCount = 0;
  #readRu = 0;
  readonly #examples = {
    clashes: [] as ItemExample[],
    missing: [] as ItemExample[],
    unfit: [] as ItemExample[],
  };
  readonly #full = new Map<string, FullKey>();
  #largest: FullKey | undefined;
  readonly #writeRu: number[] = [];

  constructor(setting: SurveySetting, terms: SurveyTerms, itemCount: number) {
    this.#setting = setting;
    this.#terms = terms;
    this.#every = Math.max(1, Math.floor(itemCount / SAMPLE_COUNT_MAX));
  }

  beginPass(pass: number, passCount: number): void {
    [this.#pass, this.#passCount] = [pass, passCount];
    this.#slots = new HashedSums();
    this.#keys = new HashedSums();
    this.#unique = new HashedSums();
  }

  endPass(): void {
    this.#keyCount += this.#keys.count;
  }

  note(item: StoredItem): Promise<void> | undefined {
    const mapped = this.#terms.mapping.copyOf(item);
    const isFirstPass = this.#pass === 0;
    if (isFirstPass) this.#noteItem(item, mapped.kind === "copy" ? mapped : undefined);
    if (mapped.kind === "unfit" && isFirstPass) {
      const what = mapped.code === "missingKey" ? "missing" : "unfit";
      this.#addUnfit(what, { ...this.#exampleOf(item), reason: mapped.reason });
    }
    return mapped.kind === "copy" ? this.#notePlace(item, mapped) : undefined;
  }

  get survey(): CopySurvey {
    const { item, bytes, copied, copiedBytes, clash, missing, unfit } = this.#counts;
    const price = meanOf(this.#writeRu);
    return {
      itemCount: item,
      itemBytes: bytes,
      copiedCount: copied,
      copiedBytes,
      clashCount: clash,
      clashes: this.#examples.clashes,
      missingKeyCount: missing,
      missingKeys: this.#examples.missing,
      unfitCount: unfit,
      unfit: this.#examples.unfit,
      fullKeys: [...this.#full.values()],
      logicalPartitionCount: this.#keyCount,
      largestKey: this.#largest,
      price: {
        readRu: this.#readRu,
        writeRu: price.mean * copied,
        errorRu: price.error * copied,
        sampleCount: this.#writeRu.length,
      },
    };
  }

  #noteItem(item: StoredItem, copy: ItemCopy | undefined): void {
    const counts = this.#counts;
    counts.item++;
    counts.bytes += item.body.length;
    this.#readRu += chargeOf({ kind: "feedPage", itemBytes: [item.body.length] });
    if (copy === undefined) return;
    counts.copied++;
    counts.copiedBytes += item.body.length;
    if (counts.copied % this.#every === 0) this.#writeRu.push(this.#chargeFor(copy));
  }

  /** The price of the very command that would write the copy. */
  #chargeFor({ epk, key, draft, original }: ItemCopy): Ru {
    const { limits } = this.#setting;
    const stamping = { nextNumber: () => 1, nextEtag: () => "", wallNow: 0 };
    const setting = { container: this.#terms.target, limits, stamping };
    const command = { kind: "copy", epk, key, id: draft.id, draft, original } as const;
    return prepare(setting, command, undefined).charge;
  }

  #notePlace(item: StoredItem, copy: ItemCopy): Promise<void> | undefined {
    const clashCount = this.#counts.clash;
    const noted = this.#terms.isTargetThere
      ? this.#noteSharedPlace(item, copy)
      : this.#noteOwnPlace(item, copy);
    if (this.#terms.target.definition.uniqueKeyPolicy === undefined) return noted;
    return (noted ?? Promise.resolve()).then(() => {
      return this.#counts.clash > clashCount ? undefined : this.#noteUnique(item, copy);
    });
  }

  /** All values that are unique under a key are looked at in the same pass. */
  async #noteUnique(item: StoredItem, copy: ItemCopy): Promise<void> {
    const { target } = this.#terms;
    const { epk, key, draft } = copy;
    if (!this.#isOfPass(hashOf(epk))) return;
    for (const [index, term] of uniqueTermsOf(target, epk, draft.object).entries()) {
      const holder = await this.#uniqueHolder(item, epk, term);
      if (holder === undefined) continue;
      const { paths } = target.definition.uniqueKeyPolicy!.uniqueKeys[index]!;
      const values = paths.join(", ");
      const reason = `${holder} has the same new key and the same ${values}, unique there.`;
      this.#addUnfit("unfit", { ...this.#exampleOf(item), newKey: shownKey(key), reason });
      return;
    }
  }

  /** Who has a unique term; the item itself, if nobody has had it before. */
  async #uniqueHolder({ number }: StoredItem, epk: Epk, term: string): Promise<string | undefined> {
    const { source, target, mapping, isTargetThere } = this.#terms;
    const { store } = this.#setting;
    const hash = hashOf(term);
    const first = this.#unique.get(hash);
    if (first !== undefined) {
      const other = await itemOfNumber(store, source, first - 1);
      const mapped = other && mapping.copyOf(other);
      if (mapped?.kind !== "copy") return undefined;
      // Two terms with the same hash need not be the same.
      if (!uniqueTermsOf(target, mapped.epk, mapped.draft.object).includes(term)) return undefined;
      const { id, key } = this.#exampleOf(other!);
      return `The item '${id}' of the key ${JSON.stringify(key)}`;
    }
    this.#unique.add(hash, number + 1);
    if (!isTargetThere) return undefined;
    const owner = target.ownerOf(epk);
    const range = { min: term, max: `${term}\xff\xff` };
    const scan = { range, countMax: 1, bytesMax: Number.POSITIVE_INFINITY, withItems: true };
    const { entries } = await store.scanTerms(owner.entry.part, scan);
    const holder = entries[0]?.item;
    if (holder === undefined || !owner.isLive(holder)) return undefined;
    return `The item '${idOfKey(holder.key)}' of the target`;
  }

  #addUnfit(what: "missing" | "unfit", example: ItemExample): void {
    this.#counts[what]++;
    if (this.#examples[what].length < EXAMPLES_MAX) this.#examples[what].push(example);
  }

  async #noteSharedPlace(item: StoredItem, copy: ItemCopy): Promise<void> {
    const { store } = this.#setting;
    const { epk, draft } = copy;
    const owner = this.#terms.target.ownerOf(epk);
    const keyHash = hashOf(epk);
    if (this.#isOfPass(keyHash) && this.#keys.get(keyHash) === undefined) {
      const { itemBytes } = await store.tally(owner.entry.part, epk);
      this.#keys.add(keyHash, itemBytes);
    }
    if (this.#isOfPass(hashOf(`${epk} ${draft.id}`))) {
      const occupant = await store.get(owner.entry.part, itemKeyOf(epk, draft.id));
      if (occupant !== undefined && owner.isLive(occupant)) {
        this.#addClash(item, copy, placeTakenText(draft.id));
        return;
      }
    }
    await this.#noteOwnPlace(item, copy);
  }

  #isOfPass(hash: number): boolean {
    return hash % this.#passCount === this.#pass;
  }

  #noteOwnPlace(item: StoredItem, copy: ItemCopy): Promise<void> | undefined {
    const { epk, key, draft } = copy;
    const keyHash = hashOf(epk);
    if (this.#isOfPass(keyHash)) {
      const bytes = this.#keys.add(keyHash, item.body.length);
      if (bytes > (this.#largest?.bytes ?? 0)) this.#largest = { newKey: shownKey(key), bytes };
      const isFull = bytes > this.#setting.limits.logicalPartitionBytesMax;
      if (isFull && (this.#full.has(epk) || this.#full.size < EXAMPLES_MAX)) {
        this.#full.set(epk, { newKey: shownKey(key), bytes });
      }
    }
    const slotHash = hashOf(`${epk} ${draft.id}`);
    if (!this.#isOfPass(slotHash)) return undefined;
    const first = this.#slots.get(slotHash);
    if (first !== undefined) return this.#noteClash(item, copy, first - 1);
    this.#slots.add(slotHash, item.number + 1);
    return undefined;
  }

  /** Two items with the same hash need not have the same place. */
  async #noteClash(item: StoredItem, copy: ItemCopy, otherNumber: number): Promise<void> {
    const { source, mapping } = this.#terms;
    const other = await itemOfNumber(this.#setting.store, source, otherNumber);
    const mapped = other && mapping.copyOf(other);
    if (mapped?.kind !== "copy" || mapped.epk !== copy.epk || mapped.draft.id !== copy.draft.id) {
      return;
    }
    const otherKey = JSON.stringify(this.#exampleOf(other!).key);
    const reason = `The item of the key ${otherKey} has the same id and the same new key.`;
    this.#addClash(item, copy, reason);
  }

  #addClash(item: StoredItem, copy: ItemCopy, reason: string): void {
    this.#counts.clash++;
    if (this.#examples.clashes.length >= EXAMPLES_MAX) return;
    this.#examples.clashes.push({ ...this.#exampleOf(item), newKey: shownKey(copy.key), reason });
  }

  #exampleOf(item: StoredItem): ItemExample {
    const key = this.#terms.source.readKey(objectOf(item.body));
    return { id: idOfKey(item.key), key: shownKey(key.ok ? key.value : []) };
  }
}

/** The mean of a sample and its standard error. */
function meanOf(values: readonly number[]): { readonly mean: number; readonly error: number } {
  const count = values.length;
  if (count === 0) return { mean: 0, error: 0 };
  const mean = values.reduce((sum, one) => sum + one, 0) / count;
  const variance = values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, count - 1);
  return { mean, error: Math.sqrt(variance / count) };
}
