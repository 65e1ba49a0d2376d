/**
 * Makes warm be what some items of hot call for, as they are now: a due item has a copy there and a
 * mark in hot, any other item has neither.
 *
 * In which order, so that a crash between any two writes loses nothing and a second run does the
 * rest:
 *
 * - Due: the copy first. The mark comes when the copy is on disk, and only on the version that was
 *   copied; if there is another version by then, the log has it, and it is settled in its turn.
 * - No longer due: mark and short ttl go first, and the copy after that.
 * - Not due, while warm has an older item of its key and id, which has left hot: that one goes. One
 *   container would have the newer one alone.
 * - Deleted: the copy goes. Which copy that is, its number says.
 */
import type { Clock } from "../../base/world.ts";
import { shownKey } from "../../model/copyJob.ts";
import type { StoredItem } from "../../store/partitionStore.ts";
import { objectOf } from "../item/itemBody.ts";
import { idOfKey } from "../item/itemKey.ts";
import type { Container } from "../partition/container.ts";
import type { GuardTerms } from "./hotGuard.ts";
import type { AgeJudgement } from "./itemAge.ts";
import type { LifecycleTally } from "./lifecycleTally.ts";
import type { Content } from "./mark.ts";
import type { PairWriter, Untaken } from "./pairWriter.ts";
import type { UnmovedBook } from "./unmovedBook.ts";

interface SettlingSetting {
  readonly clock: Clock;
  readonly hot: Container;
  readonly writer: PairWriter;
  readonly book: UnmovedBook;
  readonly tally: LifecycleTally;
  readonly terms: () => GuardTerms;
  /** Called with the date of an item that is not due yet. */
  noteYoung(date: number): void;
}

/** An item as it was read, and what it comes to. */
interface Judged {
  readonly item: StoredItem;
  readonly judgement: AgeJudgement;
  readonly content: Content;
}

export class Settling {
  readonly #setting: SettlingSetting;

  constructor(setting: SettlingSetting) {
    this.#setting = setting;
  }

  /**
   * Settles items, each in the latest version that was there when it was read. `isNew` says of
   * which no copy can be there.
   */
  async settle(
    items: readonly StoredItem[],
    isNew: (item: StoredItem) => boolean = () => false,
  ): Promise<void> {
    const { clock, book, writer, terms } = this.#setting;
    const { age, marking } = terms();
    const wallNow = clock.wallNow();
    const open: Judged[] = [];
    for (const item of items) {
      const object = objectOf(item.body);
      if (marking.isValid(object, item.body)) book.close(item.number);
      else {
        const judgement = age.judge(object, wallNow);
        open.push({ item, judgement, content: marking.contentOf(item) });
      }
    }
    const sought = open.filter(({ item, judgement }) => judgement.kind === "due" || !isNew(item));
    const copies = await writer.copiesOf(sought.map(({ item }) => item.number));
    await this.#removeOlder(open.filter(({ item }) => !copies.has(item.number)));
    await Promise.all(
      open.map((one) => {
        const copy = copies.get(one.item.number);
        const own = copy === undefined ? one : this.#withoutGivenTtl(one);
        return own.judgement.kind === "due" ? this.#move(own, copy) : this.#keep(own, copy);
      }),
    );
  }

  /**
   * Takes away what items without a copy have taken the place of. Such an item stays in hot until
   * it is due, unless it has a ttl of its own: then what warm has may be all there is tomorrow.
   */
  async #removeOlder(open: readonly Judged[]): Promise<void> {
    const { writer, tally } = this.#setting;
    const staying = open.filter(
      ({ judgement, content: { ownTtl, mustShed } }) =>
        judgement.kind !== "due" && ownTtl === undefined && !mustShed,
    );
    const older = await writer.namesakesOf(staying.map(({ item }) => item));
    await Promise.all(
      [...older].map(async ([number, namesake]) => {
        if (await writer.remove(number, namesake)) tally.add({ removed: 1 });
      }),
    );
  }

  /** Takes away the copies of items that somebody deleted. */
  async forget(numbers: readonly number[]): Promise<void> {
    const { writer, tally, book } = this.#setting;
    const copies = await writer.copiesOf(numbers);
    await Promise.all(
      [...copies].map(async ([number, copy]) => {
        if (await writer.remove(number, copy)) tally.add({ removed: 1 });
      }),
    );
    for (const number of numbers) book.close(number);
  }

  async #move({ item, judgement, content }: Judged, copy: StoredItem | undefined): Promise<void> {
    const { writer, tally, book } = this.#setting;
    const untaken = await writer.put(item, content, copy);
    if (untaken !== undefined) {
      await this.#setAside(item, content, { ...untaken, date: judgement.date, isDue: true });
      return;
    }
    book.close(item.number);
    if (!(await writer.mark(item, content))) return;
    if (copy === undefined) tally.add({ moved: 1, movedBytes: item.body.length });
    else tally.add({ edited: 1 });
  }

  /** An item that is not due. */
  async #keep({ item, judgement, content }: Judged, copy: StoredItem | undefined): Promise<void> {
    const { writer, tally, book, noteYoung } = this.#setting;
    if (judgement.date !== undefined) noteYoung(judgement.date);
    if (content.mustShed && !(await writer.unmark(item, content))) return;
    if (copy !== undefined && (await writer.remove(item.number, copy))) tally.add({ returned: 1 });
    if (judgement.kind !== "odd") {
      book.close(item.number);
      return;
    }
    const { code, reason, date } = judgement;
    book.add({ ...this.#entryOf(item), code, reason, date, isDue: false });
  }

  /**
   * A client that replaces an item with a copy may drop the mark and keep the ttl that came with
   * it. That ttl is none of the application's.
   */
  #withoutGivenTtl(judged: Judged): Judged {
    const { content } = judged;
    const { ownTtl } = content;
    if (ownTtl === undefined || !this.#setting.terms().givenTtls.has(ownTtl)) return judged;
    return { ...judged, content: { ...content, ownTtl: undefined, mustShed: true } };
  }

  /** What cannot be moved has no mark: it would say that warm has the item as it is. */
  async #setAside(
    item: StoredItem,
    content: Content,
    why: Untaken & { readonly date?: number | undefined; readonly isDue: boolean },
  ): Promise<void> {
    const { writer, book } = this.#setting;
    book.add({ ...this.#entryOf(item), ...why });
    if (content.mustShed) await writer.unmark(item, content);
  }

  #entryOf(item: StoredItem): {
    number: number;
    id: string;
    key: ReturnType<typeof shownKey>;
    at: number;
  } {
    const { hot, clock } = this.#setting;
    const key = hot.readKey(objectOf(item.body));
    return {
      number: item.number,
      id: idOfKey(item.key),
      key: shownKey(key.ok ? key.value : []),
      at: clock.wallNow(),
    };
  }
}
