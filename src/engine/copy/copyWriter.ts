/**
 * Makes the copies of some items be what they are to be: puts them, moves them, or takes them away.
 *
 * What is done depends on what is there and not on what was done before, so it may be done again
 * after any crash. An item that gets another key, in another partition, is put at its new place
 * before it leaves the old one.
 */
import type { SetAsideCode } from "../../model/copyJob.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import { bareEtagOf, etagOf, objectOf } from "../item/itemBody.ts";
import type { ItemOutcome } from "../item/itemCommand.ts";
import { epkOfKey, idOfKey, itemKeyOf } from "../item/itemKey.ts";
import type { Container } from "../partition/container.ts";
import { itemOfNumber, itemsOfNumbers } from "./copyPlaces.ts";
import type { CopyTally } from "./copyTally.ts";
import type { ItemCopy, Mapping, Unfit } from "./mapping.ts";
import { placeTakenText } from "./setAside.ts";
import type { SharePace } from "./sharePace.ts";

/** What is to become of the copy of one item. */
export interface Wanted {
  readonly sourceNumber: number;
  /** Absent if there is to be none. */
  readonly copy?: ItemCopy | undefined;
  /** True if a copy can be nowhere but in its place: the item has had one version only. */
  readonly isFirst: boolean;
}

/** An item whose copy the target does not take. */
export interface Refused {
  readonly sourceNumber: number;
  readonly copy: ItemCopy;
  readonly code: SetAsideCode;
  readonly reason: string;
}

interface WriterSetting {
  readonly store: PartitionStore;
  readonly source: Container;
  readonly target: Container;
  readonly mapping: Mapping;
  readonly pace: SharePace;
  readonly tally: CopyTally;
}

export class CopyWriter {
  readonly #setting: WriterSetting;

  constructor(setting: WriterSetting) {
    this.#setting = setting;
  }

  /** Resolves with what could not be done when the rest is on disk. */
  async write(wanted: readonly Wanted[]): Promise<readonly Refused[]> {
    const { store, target, mapping } = this.#setting;
    const numberOf = ({ sourceNumber }: Wanted): number => mapping.numberOf(sourceNumber);
    const sought = wanted.filter(({ copy, isFirst }) => copy === undefined || !isFirst);
    const places = await itemsOfNumbers(store, target, sought.map(numberOf));
    const placesOf = (one: Wanted): readonly StoredItem[] => places.get(numberOf(one)) ?? [];
    // What goes makes room for what comes, in the same place.
    const gone = wanted.filter(({ copy }) => copy === undefined).flatMap(placesOf);
    await Promise.all(gone.map((item) => this.#remove(item)));
    const puts = wanted.filter(({ copy }) => copy !== undefined);
    const refusals = await Promise.all(puts.map((one) => this.#put(one, placesOf(one))));
    return refusals.flatMap((refused) => refused ?? []);
  }

  /** Takes an item of the target away that is no copy of anything any more. */
  async remove(item: StoredItem): Promise<void> {
    await this.#remove(item);
  }

  async #put(wanted: Wanted, places: readonly StoredItem[]): Promise<Refused | undefined> {
    const { sourceNumber } = wanted;
    const copy = wanted.copy!;
    const place = itemKeyOf(copy.epk, copy.draft.id);
    const present = places.find(({ key }) => key === place);
    const isThere = present !== undefined && isSameVersion(present, copy);
    const elsewhere = places.filter(({ key }) => key !== place);
    // One part of the store has one item of a number: there the removal goes first, in one batch.
    const inPart = elsewhere.filter((item) => this.#isInPartOf(item, copy));
    const removals = inPart.map((item) => this.#remove(item));
    const refusal = isThere ? undefined : await this.#submit(copy);
    await Promise.all(removals);
    if (refusal !== undefined) return { sourceNumber, copy, ...refusal };
    for (const item of elsewhere) if (!inPart.includes(item)) await this.#remove(item);
    return undefined;
  }

  #isInPartOf({ key }: StoredItem, { epk }: ItemCopy): boolean {
    const { target } = this.#setting;
    return target.ownerOf(epkOfKey(key)) === target.ownerOf(epk);
  }

  async #submit(copy: ItemCopy, isRetry = false): Promise<Omit<Unfit, "kind"> | undefined> {
    const { epk, key, draft, original } = copy;
    const command = { kind: "copy", epk, key, id: draft.id, draft, original } as const;
    const outcome = await this.#settled(this.#setting.target.ownerOf(epk).submitCopy(command));
    if (outcome.kind !== "refused") return undefined;
    const { refusal } = outcome;
    if (refusal.kind !== "idTaken") return unfitOf(refusal);
    const clash = await this.#makeRoom(copy);
    if (clash !== undefined || isRetry) return { code: "clash", reason: clash ?? CHANGING };
    return this.#submit(copy, true);
  }

  /** Removes what has the place of a copy if it is to be elsewhere by now; else says what it is. */
  async #makeRoom({ epk, draft }: ItemCopy): Promise<string | undefined> {
    const { store, source, target, mapping } = this.#setting;
    const owner = target.ownerOf(epk);
    const occupant = await store.get(owner.entry.part, itemKeyOf(epk, draft.id));
    if (occupant === undefined) return undefined;
    const number = mapping.sourceNumberOf(occupant.number);
    if (number === undefined) return placeTakenText(draft.id);
    const other = await itemOfNumber(store, source, number);
    const mapped = other && mapping.copyOf(other);
    if (mapped?.kind === "copy" && mapped.epk === epk && mapped.draft.id === draft.id) {
      const key = source.readKey(objectOf(other!.body));
      const oldKey = JSON.stringify(key.ok ? key.value : []);
      return `Another item with the id '${draft.id}', of the key ${oldKey}, has the same new key.`;
    }
    await this.#remove(occupant);
    return undefined;
  }

  /** Leaves what has taken the place of the item since it was read: every version has its etag. */
  async #remove(item: StoredItem): Promise<void> {
    const { target, tally } = this.#setting;
    const key = target.readKey(objectOf(item.body));
    const epk = epkOfKey(item.key);
    const place = { epk, key: key.ok ? key.value : [], id: idOfKey(item.key) };
    const ifMatch = etagOf(item.body);
    const outcome = await this.#settled(
      target.ownerOf(epk).submitCopy({ kind: "delete", ...place, ifMatch }),
    );
    if (outcome.kind === "deleted") tally.add({ removedCount: 1 });
  }

  async #settled(submitted: Promise<ItemOutcome>): Promise<ItemOutcome> {
    const { target, pace, tally } = this.#setting;
    const outcome = await submitted;
    tally.add({ writeRu: outcome.charge });
    const owner = target.partitions.get(outcome.rangeId);
    if (owner !== undefined) pace.spend(owner, outcome.charge);
    if (outcome.kind === "refused") refuseFault(outcome.refusal);
    return outcome;
  }
}

const CHANGING = "The place is taken by an item that changes all the time.";

/** A disk that fails, or a target that is gone, is nothing that an item could help. */
function refuseFault(refusal: Refusal): void {
  switch (refusal.kind) {
    case "unavailable":
      throw new StoreFault(refusal.message);
    case "damaged":
      throw new StoreFault(`the target is damaged: ${refusal.place}`);
    case "ownerNotFound":
      throw new TargetGone();
    default:
  }
}

/** The target was deleted while a job was writing to it. */
export class TargetGone extends Error {
  override readonly name = "TargetGone";
}

function isSameVersion(present: StoredItem, { original, draft }: ItemCopy): boolean {
  // Every version has an etag of its own; the text may still be that of another projection.
  if (bareEtagOf(present.body) !== original.etag) return false;
  return present.body.subarray(0, draft.text.length - 1).equals(draft.text.subarray(0, -1));
}

function unfitOf(refusal: Refusal): Omit<Unfit, "kind"> {
  switch (refusal.kind) {
    case "logicalPartitionFull":
      return {
        code: "keyFull",
        reason: `The logical partition would have more than ${refusal.bytesMax} bytes.`,
      };
    case "uniqueKeyTaken":
      return { code: "uniqueKey", reason: "Another item has the same unique values." };
    case "tooLarge":
      return { code: "tooLarge", reason: refusal.message };
    case "keyHashTaken":
      return { code: "clash", reason: "An item of a key with the same hash has the same id." };
    default:
      return { code: "refused", reason: "message" in refusal ? refusal.message : refusal.kind };
  }
}
