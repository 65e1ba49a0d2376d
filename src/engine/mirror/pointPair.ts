/**
 * A point read on both sides. The copy of an item has the item's number, so it is found by that
 * number whatever its new key is, and then read as a client reads it who knows the new key.
 */
import { no, ok } from "../../base/result.ts";
import type { Consistency } from "../../model/consistency.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import { chargeOf } from "../../throughput/charge.ts";
import { objectOf } from "../item/itemBody.ts";
import { itemKeyOf } from "../item/itemKey.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import type { MirroredSide, PairedRead, PairSetting, SideResult } from "./pairedRead.ts";
import type { ComparisonTerms, RowComparison } from "./rowComparison.ts";
import { compareRows } from "./rowComparison.ts";
import type { SideAnswer } from "./wholeAnswer.ts";

export interface PointQuestion {
  readonly epk: Epk;
  readonly id: string;
  readonly consistency: Consistency;
}

export interface PointSetting extends PairSetting {
  readonly store: Pick<PartitionStore, "get" | "itemsByNumber">;
  /** Number of a copy minus that of its original. */
  readonly numberShift: number;
}

interface FoundItem {
  readonly number: number;
  readonly answer: SideAnswer;
}

const WHOLE_ITEMS: ComparisonTerms = {
  isOrdered: false,
  isAggregating: false,
  cutAt: undefined,
};

export class PointPair implements PairedRead {
  readonly #setting: PointSetting;
  readonly #question: PointQuestion;
  /** Of the item that the control found. */
  #number = 0;

  constructor(setting: PointSetting, question: PointQuestion) {
    this.#setting = setting;
    this.#question = question;
  }

  async control(): Promise<SideResult> {
    const { source } = this.#setting;
    const { epk, id } = this.#question;
    const partition = source.container.ownerOf(epk);
    const found = await this.#read(source, partition, itemKeyOf(epk, id));
    if (found === undefined) return no({ kind: "moved", reason: "the item is gone" });
    this.#number = found.number;
    return ok(found.answer);
  }

  async candidate(): Promise<SideResult> {
    const { target, store, numberShift } = this.#setting;
    const number = this.#number + numberShift;
    for (const partition of [...target.container.partitions.values()]) {
      const [copy] = await store.itemsByNumber(partition.entry.part, [number]);
      const found = copy && (await this.#read(target, partition, copy.key));
      if (found !== undefined) return ok(found.answer);
    }
    return ok({ rows: [], ru: chargeOf({ kind: "readMissing" }), ms: 0, partitionCount: 1 });
  }

  async compare(source: SideAnswer, target: SideAnswer): Promise<RowComparison> {
    const compared = compareRows(source.rows, target.rows, WHOLE_ITEMS);
    if (compared.kind === "same") return compared;
    return { kind: "different", names: [this.#question.id] };
  }

  isMoved(control: SideAnswer, again: SideAnswer): boolean {
    return compareRows(control.rows, again.rows, WHOLE_ITEMS).kind !== "same";
  }

  /** Resolves with undefined if there is no such item. */
  async #read(
    { allowance }: MirroredSide,
    partition: PhysicalPartition,
    key: string,
  ): Promise<FoundItem | undefined> {
    const { store, clock } = this.#setting;
    const beganAt = clock.now();
    const item: StoredItem | undefined = await store.get(partition.entry.part, key);
    if (item === undefined || !partition.isLive(item)) return undefined;
    const { consistency } = this.#question;
    const ru = chargeOf({ kind: "read", bytes: item.body.length }, consistency);
    partition.spending.settleLeftOver(ru);
    allowance.spend(ru);
    const ms = clock.now() - beganAt;
    const rows = [objectOf(item.body)];
    return { number: item.number, answer: { rows, ru, ms, partitionCount: 1 } };
  }
}
