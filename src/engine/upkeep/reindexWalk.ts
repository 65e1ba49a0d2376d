/**
 * A walk through the physical partitions of a container, by item number, that gives every item the
 * terms of the policy in force: a few items at a time, between two batches of writes.
 */
import type { IndexingPolicy } from "../../index/policy.ts";
import type { ItemReterm, PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import { objectOf } from "../item/itemBody.ts";
import { epkOfKey } from "../item/itemKey.ts";
import { itemTermChange } from "../item/itemTerms.ts";
import { hasOwnTtl } from "../item/ttl.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";

/** What a writer may have to wait for: a few milliseconds of work. */
const STEP_LIMITS = { countMax: 64, bytesMax: 512 * 1024 };

export class ReindexWalk {
  /** What the container remembered when the walk began: it makes these policies forgettable. */
  readonly formerPolicies: readonly IndexingPolicy[];
  readonly #store: PartitionStore;
  readonly #container: Container;
  /** Those that are not walked through; the first of them is being walked. */
  #partitions: readonly PhysicalPartition[];
  /** The number of the last item of the first partition that has the right terms. */
  #after = 0;
  #doneCount = 0;

  constructor(store: PartitionStore, container: Container) {
    this.#store = store;
    this.#container = container;
    this.formerPolicies = container.record.formerPolicies;
    this.#partitions = [...container.partitions.values()];
  }

  /** False once the policy has changed again or a partition to come was split or merged. */
  get holds(): boolean {
    const isSame = this.#container.record.formerPolicies === this.formerPolicies;
    return isSame && this.#partitions.every(({ isRetired }) => !isRetired);
  }

  /** Walks on by a page. False if there was nothing left. */
  async step(): Promise<boolean> {
    const [partition, ...others] = this.#partitions;
    if (partition === undefined) return false;
    this.#container.noteReindexed(this.#doneCount);
    // Stays as it is if the partition gives way before its turn comes; then the walk does not hold.
    let reached = { after: this.#after, count: 0, isLast: false };
    await partition.commitBetween(async () => {
      const { items, isLast } = await this.#store.scanItems(
        partition.entry.part,
        this.#after,
        STEP_LIMITS,
      );
      reached = { after: items.at(-1)?.number ?? this.#after, count: items.length, isLast };
      return [items.flatMap((item) => retermOf(this.#container, item) ?? [])];
    });
    this.#doneCount += reached.count;
    this.#after = reached.isLast ? 0 : reached.after;
    if (reached.isLast) this.#partitions = others;
    return true;
  }
}

function retermOf(container: Container, stored: StoredItem): ItemReterm | undefined {
  // Only items with an end of their own have a term of the older form.
  if (container.formerPolicies.length === 0 && !hasOwnTtl(stored)) return undefined;
  const { key, number, body } = stored;
  const item = objectOf(body);
  const { removed, added } = itemTermChange(container, epkOfKey(key), item, { item });
  if (removed.length + added.length === 0) return undefined;
  return { kind: "reterm", key, number, termsAdded: added, termsRemoved: removed };
}
