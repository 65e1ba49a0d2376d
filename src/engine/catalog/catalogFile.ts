/**
 * The records of the catalogue in part 0 of the store: read once, then changed all or nothing.
 * Nothing else writes to part 0.
 */
import type { PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import type { CatalogRecord, Counters } from "./catalogRecords.ts";
import {
  CATALOG_PART,
  catalogKey,
  catalogPut,
  catalogRemoval,
  decodeCatalogRecord,
  FIRST_COUNTERS,
} from "./catalogRecords.ts";
import { numbersFrom } from "./parts.ts";

export class CatalogFile {
  readonly #store: PartitionStore;
  readonly #epoch: number;
  readonly #stored = new Map<string, StoredItem>();
  /** The numbers to be given out next; what is committed of them may be lower. */
  counters: Counters = FIRST_COUNTERS;
  /** The latest time that a record says it has been, in milliseconds since 1970. */
  time = 0;
  /** The secret that signs cursors; absent until an account is opened for the first time. */
  cursorKey: string | undefined;

  constructor(store: PartitionStore, epoch: number) {
    this.#store = store;
    this.#epoch = epoch;
  }

  async read(): Promise<readonly CatalogRecord[]> {
    const limits = { countMax: 1000, bytesMax: 16 * 1024 * 1024 };
    const records: CatalogRecord[] = [];
    for (let after = 0, isLast = false; !isLast; ) {
      const page = await this.#store.scanItems(CATALOG_PART, after, limits);
      for (const item of page.items) {
        after = item.number;
        this.#stored.set(item.key, item);
        const record = decodeCatalogRecord(item.body);
        if (record.kind === "counters") this.counters = record.counters;
        if (record.kind === "time") this.time = record.time;
        if (record.kind === "cursorKey") this.cursorKey = record.cursorKey;
        records.push(record);
      }
      isLast = page.isLast;
    }
    return records;
  }

  /** Puts and removes records, all or nothing. */
  async commit(
    puts: readonly CatalogRecord[],
    removals: readonly CatalogRecord[] = [],
  ): Promise<void> {
    const { numberMax } = (await this.#store.head(CATALOG_PART))!;
    const writes = [
      ...removals.map((record) => catalogRemoval(this.#stored.get(catalogKey(record))!)),
      ...puts.map((record, index) =>
        catalogPut(record, this.#stored.get(catalogKey(record)), numberMax + 1 + index),
      ),
    ];
    const { lsns } = await this.#store.commit(CATALOG_PART, this.#epoch, [writes]);
    const lsn = lsns[0]!;
    for (const write of writes) {
      if (write.kind === "delete") this.#stored.delete(write.key);
      else this.#stored.set(write.key, { ...write, lsn, body: Buffer.from(write.body) });
    }
  }

  /** Records that no part is given a number up to `last` any more, even after a crash. */
  async spendParts(last: number): Promise<void> {
    if (last < this.counters.part) return;
    const counters = { ...this.counters, part: last + 1 };
    await this.commit([{ kind: "counters", counters }]);
    this.counters = counters;
  }

  /** Gives out the next numbers of parts, which are recorded as spent before anybody uses them. */
  async takeParts(count: number): Promise<readonly number[]> {
    const parts = numbersFrom(this.counters.part, count);
    await this.spendParts(parts.at(-1)!);
    return parts;
  }

  /** Spends the numbers of parts that were found at opening; false if the disk takes no writes. */
  async spendFound(last: number): Promise<boolean> {
    try {
      await this.spendParts(last);
      return true;
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error;
      // Whoever takes a number next records it as spent, and with it all below. Until then it is
      // enough that this process knows.
      this.counters = { ...this.counters, part: Math.max(this.counters.part, last + 1) };
      return false;
    }
  }
}
