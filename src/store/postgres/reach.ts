/**
 * Whether the database can be reached: the one owner of that state. It is told once when the
 * database is gone and once when it is there again. Meanwhile whatever grows is refused at once,
 * and reads after a moment.
 */
import { faultOf, reasonOf } from "../faults.ts";
import type { DiskTrouble, Notify } from "../notice.ts";
import type { StoreFault } from "../partitionStore.ts";

const ACTIVITY = "reaching the database";

export class Reach {
  readonly #notify: Notify;
  #trouble: { readonly fault: StoreFault; readonly trouble: DiskTrouble } | undefined;

  constructor(notify: Notify) {
    this.#notify = notify;
  }

  get obstacle(): StoreFault | undefined {
    return this.#trouble?.fault;
  }

  isThere(): void {
    if (this.#trouble === undefined) return;
    const { trouble } = this.#trouble;
    this.#trouble = undefined;
    this.#notify({ kind: "ended", trouble });
  }

  isGone(cause: unknown): void {
    if (this.#trouble !== undefined) return;
    const reason = reasonOf(cause);
    const trouble = { kind: "unreachable", activity: ACTIVITY, reason } as const;
    this.#trouble = { fault: unreachable(cause), trouble };
    this.#notify({ kind: "began", trouble });
  }
}

export function unreachable(cause: unknown): StoreFault {
  return faultOf("unreachable", { activity: ACTIVITY, cause });
}
