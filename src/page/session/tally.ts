/**
 * The RU that this browser session has spent: the sum of what the answers to the page's own
 * requests to the data plane were charged with. The admin API is free.
 *
 * The sum is kept in hundredths, as charges are made, so that it is exact; and beside the tab, so
 * that a reload does not begin anew.
 */
import { Observable } from "./observable.ts";

type TallyStore = Pick<Storage, "getItem" | "setItem">;

const KEY = "orrery.spent";

export class RuTally {
  readonly #store: TallyStore;
  /** Hundredths of an RU. */
  readonly hundredths: Observable<number>;

  constructor(store: TallyStore) {
    this.#store = store;
    const kept = Number(store.getItem(KEY) ?? 0);
    this.hundredths = new Observable(Number.isSafeInteger(kept) && kept > 0 ? kept : 0);
  }

  /** A charge as the header of an answer says it; what is no number is no charge. */
  add(charge: string | null): void {
    const hundredths = Math.round(Number(charge ?? 0) * 100);
    if (!Number.isFinite(hundredths) || hundredths <= 0) return;
    this.hundredths.set(this.hundredths.value + hundredths);
    this.#store.setItem(KEY, String(this.hundredths.value));
  }
}
