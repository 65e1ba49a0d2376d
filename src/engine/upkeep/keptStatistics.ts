/**
 * The statistics of containers in a part of the store of their own, so that they survive a restart.
 * A chunk is an item under the rid of its container and its own name; only those that changed are
 * written again.
 *
 * Statistics are not worth a failure: a chunk that cannot be read is gone, and one that cannot be
 * written is written the next time.
 */
import type { Clock } from "../../base/world.ts";
import { putBackChunks, restoreChunks, takeChunks } from "../../statistics/chunks.ts";
import type { ItemWrite, PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { STATISTICS_PART } from "../catalog/parts.ts";
import { isStoreFailure } from "../jobs/storeFailure.ts";
import { oneAfterAnother } from "../jobs/turns.ts";
import type { Container } from "../partition/container.ts";

const SEPARATOR = "\x00";
const STEP = { countMax: 256, bytesMax: 4 * 1024 * 1024 };

interface KeptSetting {
  readonly store: PartitionStore;
  readonly clock: Clock;
  readonly catalog: Catalog;
}

type Held = Pick<StoredItem, "key" | "number" | "lsn"> & { readonly bytes: number };

export class KeptStatistics {
  readonly #setting: KeptSetting;
  readonly #held = new Map<string, Held>();
  readonly #inTurn = oneAfterAnother();

  private constructor(setting: KeptSetting) {
    this.#setting = setting;
  }

  /** Gives the meters of all containers back what was kept for them. */
  static async open(setting: KeptSetting): Promise<KeptStatistics> {
    const kept = new KeptStatistics(setting);
    await setting.store.claim(STATISTICS_PART, setting.catalog.epoch);
    await kept.#read();
    return kept;
  }

  /** Writes the chunks that changed. A failure of the store is passed over. */
  save(): Promise<void> {
    return this.#inTurn(() => this.#write());
  }

  async #read(): Promise<void> {
    const { store } = this.#setting;
    const containers = this.#containers();
    for (let after = 0, isLast = false; !isLast; ) {
      const page = await store.scanItems(STATISTICS_PART, after, STEP);
      for (const item of page.items) {
        after = item.number;
        this.#note(item.key, { ...item, bytes: item.body.length });
        const [rid = "", name = ""] = item.key.split(SEPARATOR);
        const meter = containers.get(rid)?.meter;
        if (meter !== undefined) restoreChunks(meter, [{ name, bytes: Buffer.from(item.body) }]);
      }
      isLast = page.isLast;
    }
  }

  async #write(): Promise<void> {
    const { store, clock, catalog } = this.#setting;
    let nextNumber = (await store.head(STATISTICS_PART))!.numberMax + 1;
    const containers = this.#containers();
    const gone = [...this.#held.values()].filter(
      ({ key }) => !containers.has(key.split(SEPARATOR)[0]!),
    );
    const taken = [...containers].flatMap(([rid, { meter }]) =>
      (meter === undefined ? [] : takeChunks(meter, clock.now())).map((chunk) => ({
        meter: meter!,
        chunk,
        key: rid + SEPARATOR + chunk.name,
      })),
    );
    const puts = taken.map(({ key, chunk }) => {
      const held = this.#held.get(key);
      const before = held && { lsn: held.lsn, bodyBytes: held.bytes };
      const number = held?.number ?? nextNumber++;
      const terms = { termsAdded: [], termsRemoved: [] };
      return { kind: "put", key, number, tag: 0, body: chunk.bytes, before, ...terms } as const;
    });
    const writes: readonly ItemWrite[] = [...gone.map(removalOf), ...puts];
    if (writes.length === 0) return;
    try {
      const { lsns } = await store.commit(STATISTICS_PART, catalog.epoch, [writes]);
      const lsn = lsns[0]!;
      for (const { key } of gone) this.#held.delete(key);
      for (const { key, number, body } of puts) {
        this.#note(key, { key, number, lsn, bytes: body.length });
      }
    } catch (error) {
      if (!isStoreFailure(error)) throw error;
      for (const { meter, chunk } of taken) putBackChunks(meter, [chunk]);
    }
  }

  #note(key: string, { number, lsn, bytes }: Held): void {
    this.#held.set(key, { key, number, lsn, bytes });
  }

  #containers(): ReadonlyMap<string, Container> {
    const all = this.#setting.catalog.containers();
    return new Map(all.map((container) => [container.rid, container]));
  }
}

function removalOf({ key, number, lsn, bytes }: Held): ItemWrite {
  const before = { lsn, bodyBytes: bytes };
  return { kind: "delete", key, number, tag: 0, before, termsRemoved: [] };
}
