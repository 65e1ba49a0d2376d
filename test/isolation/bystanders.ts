/**
 * Items that batches create and delete beside their lists, so that something can fail in the middle
 * of a batch. They need no checker of their own but a balance: an item that was made n times was
 * deleted n or n - 1 times, and the difference is whether it is there.
 */
import type { Step, StepResult } from "./target.ts";

interface Balance {
  made: number;
  deleted: number;
  /** Of batches whose answer was lost. */
  perhapsMade: number;
  perhapsDeleted: number;
}

export class Bystanders {
  /** By logical partition and id. */
  readonly #balances = new Map<string, Map<string, Balance>>();

  /** `result` is undefined when the answer was lost. A batch that failed is not noted at all. */
  note(partition: string, { kind, id }: Step, result: StepResult | undefined): void {
    const balances = this.#balances.get(partition) ?? new Map<string, Balance>();
    this.#balances.set(partition, balances);
    const balance = balances.get(id) ?? {
      made: 0,
      deleted: 0,
      perhapsMade: 0,
      perhapsDeleted: 0,
    };
    balances.set(id, balance);
    if (kind === "delete") {
      if (result === undefined) balance.perhapsDeleted++;
      else balance.deleted++;
    } else if (result === undefined) balance.perhapsMade++;
    else if (result.status === 201) balance.made++;
  }

  /** What does not fit the ids that are there in the end. */
  flaws(partition: string, isThere: (id: string) => boolean): readonly string[] {
    const found: string[] = [];
    for (const [id, balance] of this.#balances.get(partition) ?? []) {
      const { made, deleted, perhapsMade, perhapsDeleted } = balance;
      const count = isThere(id) ? 1 : 0;
      const least = made - deleted - perhapsDeleted;
      const most = made - deleted + perhapsMade;
      if (count >= least && count <= most) continue;
      const balanced = `was made ${made} and deleted ${deleted} times`;
      found.push(`${id} of ${partition} ${balanced}, and is there ${count} times`);
    }
    return found;
  }
}
