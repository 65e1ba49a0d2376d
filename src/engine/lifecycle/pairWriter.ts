/**
 * The four writes by which an item comes to warm and back: put a copy, mark the item, take the mark
 * away, take the copy away. Each is durable when it resolves, is done on the very version that was
 * read or not at all, and may be done again after any crash.
 */
import type { Clock } from "../../base/world.ts";
import type { UnmovedCode } from "../../model/lifecycle.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import { contains } from "../../partition/epkRange.ts";
import type { PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import { itemsOfNumbers } from "../copy/copyPlaces.ts";
import { TargetGone } from "../copy/copyWriter.ts";
import { placed } from "../copy/itemMapping.ts";
import { draftOfText } from "../copy/mapping.ts";
import type { SharePace } from "../copy/sharePace.ts";
import {
  bareEtagOf,
  etagOf,
  etagReadAs,
  indexedEtag,
  objectOf,
  tsOf,
  unindexedEtag,
} from "../item/itemBody.ts";
import type { ItemOutcome } from "../item/itemCommand.ts";
import { epkOfKey, idOfKey } from "../item/itemKey.ts";
import type { Container } from "../partition/container.ts";
import type { LifecycleTally } from "./lifecycleTally.ts";
import type { Content, Marking } from "./mark.ts";
import type { WarmNumbers } from "./warmNumbers.ts";

interface WriterSetting {
  readonly store: PartitionStore;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly hot: Container;
  readonly warm: Container;
  readonly pace: SharePace;
  readonly tally: LifecycleTally;
  /** Those of now. */
  readonly numbers: () => WarmNumbers;
  readonly marking: () => Marking;
  readonly markTtlSeconds: () => number;
  nextEtag(): string;
}

/** Why warm does not take a copy. */
export interface Untaken {
  readonly code: UnmovedCode;
  readonly reason: string;
}

/** Another client may be quicker than a removal, but not again and again. */
const REMOVAL_TRIES = 5;

export class PairWriter {
  readonly #setting: WriterSetting;

  constructor(setting: WriterSetting) {
    this.#setting = setting;
  }

  /** The copies that warm has of these items of hot, by the numbers in hot. */
  async copiesOf(numbers: readonly number[]): Promise<ReadonlyMap<number, StoredItem>> {
    const { store, warm } = this.#setting;
    const known = this.#setting.numbers();
    const hotNumberOf = new Map<number, number>();
    for (const number of numbers) {
      const inWarm = known.numberOf(number);
      if (inWarm !== undefined) hotNumberOf.set(inWarm, number);
    }
    const found = await itemsOfNumbers(store, warm, [...hotNumberOf.keys()]);
    return new Map(
      [...found].flatMap(([number, [item]]) => (item ? [[hotNumberOf.get(number)!, item]] : [])),
    );
  }

  /** What warm has under the keys and ids of these items of hot, by the numbers in hot. */
  async namesakesOf(items: readonly StoredItem[]): Promise<ReadonlyMap<number, StoredItem>> {
    const { store, warm } = this.#setting;
    for (;;) {
      const { map } = warm;
      const namesakes = new Map<number, StoredItem>();
      for (const { part, range } of map.entries) {
        const some = items.filter(({ key }) => contains(range, epkOfKey(key)));
        if (some.length === 0) continue;
        const found = await store.getMany(
          part,
          some.map(({ key }) => key),
        );
        for (const [index, { number }] of some.entries()) {
          const namesake = found[index];
          if (namesake !== undefined) namesakes.set(number, namesake);
        }
      }
      // A part that was given up meanwhile may have been read when it was empty already.
      if (warm.map === map) return namesakes;
    }
  }

  /** Puts the copy of an item, in the place of whatever has its id in warm. */
  async put(
    item: StoredItem,
    content: Content,
    present: StoredItem | undefined,
  ): Promise<Untaken | undefined> {
    const { limits, warm } = this.#setting;
    const number = this.#setting.numbers().numberOf(item.number);
    if (number === undefined) return { code: "refused", reason: NO_NUMBER };
    const etag = etagIn(warm, bareEtagOf(item.body));
    if (present !== undefined && bareEtagOf(present.body) === etag) return undefined;
    const { object, text } = content;
    const original = { number, etag, ts: tsOf(item.body) };
    const copy = placed(limits, warm, { id: idOfKey(item.key), object, text, original });
    if (copy.kind !== "copy") {
      return { code: "refused", reason: copy.kind === "unfit" ? copy.reason : copy.kind };
    }
    const { epk, key, draft } = copy;
    const command = { kind: "copy", epk, key, id: draft.id, draft, original } as const;
    const outcome = await this.#settled(
      warm,
      warm.ownerOf(epk).submitCopy({ ...command, takesPlace: true }),
    );
    return outcome.kind === "refused" ? untakenOf(outcome.refusal) : undefined;
  }

  /** Marks the version that was read. False if there is another one by now, or none. */
  mark(item: StoredItem, content: Content): Promise<boolean> {
    const { markTtlSeconds, marking } = this.#setting;
    const etag = this.#etagFor(item);
    return this.#replace(item, etag, marking().marked(content, etag, markTtlSeconds()));
  }

  /** Takes mark and short ttl away from the version that was read. False as with `mark`. */
  unmark(item: StoredItem, content: Content): Promise<boolean> {
    return this.#replace(item, this.#etagFor(item), this.#setting.marking().unmarked(content));
  }

  /** Takes a copy, or a namesake, out of warm, whatever became of it. True if there was one. */
  async remove(hotNumber: number, copy: StoredItem): Promise<boolean> {
    const { warm } = this.#setting;
    let found: StoredItem | undefined = copy;
    for (let tries = 0; found !== undefined && tries < REMOVAL_TRIES; tries++) {
      const epk = epkOfKey(found.key);
      const key = warm.readKey(objectOf(found.body));
      const outcome = await this.#settled(
        warm,
        warm.ownerOf(epk).submitCopy({
          kind: "delete",
          epk,
          key: key.ok ? key.value : [],
          id: idOfKey(found.key),
          ifMatch: etagOf(found.body),
        }),
      );
      if (outcome.kind === "deleted") return true;
      // A client wrote to the copy, or something else has its place.
      found = (await this.copiesOf([hotNumber])).get(hotNumber);
    }
    return false;
  }

  async #replace(
    item: StoredItem,
    etag: string,
    { object, text }: Pick<Content, "object" | "text">,
  ): Promise<boolean> {
    const { hot, clock } = this.#setting;
    const epk = epkOfKey(item.key);
    const id = idOfKey(item.key);
    const key = hot.readKey(object);
    const outcome = await this.#settled(
      hot,
      hot.ownerOf(epk).submitCopy({
        kind: "replace",
        epk,
        key: key.ok ? key.value : [],
        id,
        draft: draftOfText(id, object, text),
        original: { number: item.number, etag, ts: Math.floor(clock.wallNow() / 1000) },
        ifMatch: etagOf(item.body),
      }),
    );
    return outcome.kind === "replaced";
  }

  #etagFor({ body }: StoredItem): string {
    return etagReadAs(this.#setting.nextEtag(), bareEtagOf(body));
  }

  async #settled(container: Container, submitted: Promise<ItemOutcome>): Promise<ItemOutcome> {
    const { pace, tally } = this.#setting;
    const outcome = await submitted;
    tally.add({ ru: outcome.charge });
    const owner = container.partitions.get(outcome.rangeId);
    if (owner !== undefined) pace.spend(owner, outcome.charge);
    if (outcome.kind === "refused") refuseFault(outcome.refusal);
    return outcome;
  }
}

const NO_NUMBER = "There is no number for its copy yet; the next round has one.";

/** A disk that fails, or a container that is gone, is nothing that an item could help. */
function refuseFault(refusal: Refusal): void {
  switch (refusal.kind) {
    case "unavailable":
      throw new StoreFault(refusal.message);
    case "damaged":
      throw new StoreFault(`a container is damaged: ${refusal.place}`);
    case "ownerNotFound":
      throw new TargetGone();
    default:
  }
}

/** What is left out of the index of hot is an item like all others in warm, by warm's policy. */
function etagIn({ definition }: Container, etag: string): string {
  const { automatic, indexingMode } = definition.indexingPolicy;
  return automatic || indexingMode === "none" ? indexedEtag(etag) : unindexedEtag(etag);
}

function untakenOf(refusal: Refusal): Untaken {
  switch (refusal.kind) {
    case "logicalPartitionFull":
      return {
        code: "keyFull",
        reason: `Its logical partition in warm would have more than ${refusal.bytesMax} bytes.`,
      };
    case "uniqueKeyTaken":
      return { code: "uniqueKey", reason: "Another item of warm has the same unique values." };
    case "tooLarge":
      return { code: "tooLarge", reason: refusal.message };
    case "keyHashTaken":
      return { code: "clash", reason: "An item of a key with the same hash has the same id." };
    default:
      return { code: "refused", reason: "message" in refusal ? refusal.message : refusal.kind };
  }
}
