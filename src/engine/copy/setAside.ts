/**
 * Items of the source that could not be copied, each with the reason. An item leaves the book when
 * a later version of it can be copied, or when it is gone.
 *
 * A clash may be passing: partitions are followed one after the other, so an item may come to its
 * new place before another one has left it. An entry is confirmed when the copy had caught up and
 * it failed all the same; only confirmed ones count against a job.
 */
import { counted } from "../../base/wording.ts";
import type { JsonValue } from "../../json/value.ts";
import type { SetAsideCode, Setback } from "../../model/copyJob.ts";

export interface SetAsideEntry {
  /** Of the item in the source. */
  readonly number: number;
  readonly id: string;
  readonly key: JsonValue;
  readonly newKey?: JsonValue | undefined;
  readonly lsn: number;
  readonly code: SetAsideCode;
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly attempts: number;
  readonly isConfirmed: boolean;
}

export class SetAsideBook {
  readonly #entries: Map<number, SetAsideEntry>;

  constructor(entries: readonly SetAsideEntry[]) {
    this.#entries = new Map(entries.map((entry) => [entry.number, entry]));
  }

  get entries(): readonly SetAsideEntry[] {
    return [...this.#entries.values()];
  }

  get count(): number {
    return this.#entries.size;
  }

  get confirmed(): readonly SetAsideEntry[] {
    return this.entries.filter(({ isConfirmed }) => isConfirmed);
  }

  has(number: number): boolean {
    return this.#entries.has(number);
  }

  add(entry: Omit<SetAsideEntry, "attempts">): void {
    const attempts = (this.#entries.get(entry.number)?.attempts ?? 0) + 1;
    this.#entries.set(entry.number, { ...entry, attempts });
  }

  close(number: number): void {
    this.#entries.delete(number);
  }
}

/** Of a target that was there before the job: an item of its own has the place of a copy. */
export function placeTakenText(id: string): string {
  return `The target has an item with the id '${id}' and the same key already.`;
}

/** Which item stops the job, and why; of those that fail for good, by what was asked for. */
export function stoppingReason(
  { onClash, onMissingKey, onRefused }: Setbacks,
  { confirmed }: SetAsideBook,
): string | undefined {
  const found = confirmed.find(({ code }) => {
    if (code === "clash") return onClash === "stop";
    if (code === "missingKey") return onMissingKey === "stop";
    return onRefused === "stop";
  });
  if (found === undefined) return undefined;
  const { id, key, reason } = found;
  return `The item '${id}' of the key ${JSON.stringify(key)} cannot be copied. ${reason}`;
}

/** Why there are more of them than may be. */
export function surplusReason(
  { setAsideMax }: { readonly setAsideMax: number },
  { count }: SetAsideBook,
): string | undefined {
  if (count <= setAsideMax) return undefined;
  return `${counted(count, "item")} could not be copied, and ${setAsideMax} may be set aside.`;
}

interface Setbacks {
  readonly onClash: Setback;
  readonly onMissingKey: Setback | "none";
  readonly onRefused: Setback;
}
