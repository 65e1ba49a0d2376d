/**
 * Keeps watch over a hot container: nothing expires before warm has it, and every write that makes
 * the watermark untrue lowers it.
 *
 * What happens to an item whose time is over:
 *
 * - The mark holds: it goes. Warm has it as it is.
 * - It lives as long as the container says: it stays, for as long as it has no mark that holds.
 * - It has a ttl of its own: it goes if its time was over before it was due. If it was due before,
 *   it has to be moved, however late that comes; a server that was off for months loses nothing.
 *
 * All of it follows from the item and the settings, so it is true from the first moment after a
 * restart, and while the lifecycle is paused.
 */
import type { JsonObject } from "../../json/value.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { StoredItem, WriteGroup } from "../../store/partitionStore.ts";
import { objectOf, tsOf } from "../item/itemBody.ts";
import { epkOfKey } from "../item/itemKey.ts";
import { hasOwnTtl } from "../item/ttl.ts";
import type { ContainerGuard } from "../partition/container.ts";
import type { ItemAge } from "./itemAge.ts";
import type { Marking } from "./mark.ts";
import type { Watermark } from "./watermark.ts";

export interface GuardTerms {
  readonly age: ItemAge;
  readonly marking: Marking;
  /** The ttls that were ever given with a mark. */
  readonly givenTtls: ReadonlySet<number>;
}

export class HotGuard implements ContainerGuard {
  /** Replaced whole when a setting changes. */
  terms: GuardTerms;
  readonly #watermark: Watermark;
  readonly #hasSeen: (epk: Epk, lsn: number) => boolean;

  /** `hasSeen`: whether the lifecycle has looked at the version of an item with this LSN. */
  constructor(
    terms: GuardTerms,
    watermark: Watermark,
    hasSeen: (epk: Epk, lsn: number) => boolean,
  ) {
    this.terms = terms;
    this.#watermark = watermark;
    this.#hasSeen = hasSeen;
  }

  holds(item: StoredItem): boolean {
    const { age, marking, givenTtls } = this.terms;
    const object = objectOf(item.body);
    if (marking.isValid(object, item.body)) return false;
    if (!hasOwnTtl(item)) return true;
    if (marking.markOf(object)?.given === item.tag) return true;
    // A client that replaces a marked item may drop the mark and keep the ttl that came with it.
    if (givenTtls.has(item.tag) && !this.#hasSeen(epkOfKey(item.key), item.lsn)) return true;
    const date = age.dateOf(object);
    const endsAt = (tsOf(item.body) + item.tag) * 1000;
    return date !== undefined && date + age.ageMs < endsAt;
  }

  note(groups: readonly WriteGroup[]): void {
    for (const group of groups) {
      for (const write of group) {
        if (write.kind === "reterm") continue;
        if (write.kind === "delete") {
          const { body } = write.before;
          if (write.isExpiry !== true && body) this.#fallFor(objectOf(body));
          continue;
        }
        const body = Buffer.from(write.body.buffer, write.body.byteOffset, write.body.byteLength);
        const object = objectOf(body);
        // The lifecycle's own mark says that warm has this version.
        if (this.terms.marking.isValid(object, body)) continue;
        this.#fallFor(object);
        if (write.before?.body) this.#fallFor(objectOf(write.before.body));
      }
    }
  }

  #fallFor(item: JsonObject): void {
    const date = this.terms.age.dateOf(item);
    if (date !== undefined) this.#watermark.fallTo(date);
  }
}
