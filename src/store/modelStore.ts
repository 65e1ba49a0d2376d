/**
 * What a store should answer, in the plainest terms: maps and arrays, sorted when asked. The model
 * of the contract and crash tests; short enough to be beyond doubt.
 */
import { type Lsn, lsn } from "../base/units.ts";
import type { KeyRange, LogEntry, PartHead, StoredItem, WriteGroup } from "./partitionStore.ts";
import { EMPTY_HEAD, headAfter } from "./record.ts";

interface ModelPart {
  head: PartHead;
  readonly items: Map<string, StoredItem>;
  readonly terms: Map<number, Set<string>>;
  log: LogEntry[];
}

export class ModelStore {
  readonly #parts = new Map<number, ModelPart>();

  claim(part: number): void {
    const head = { ...EMPTY_HEAD, epoch: 1 };
    this.#parts.set(part, { head, items: new Map(), terms: new Map(), log: [] });
  }

  commit(part: number, groups: readonly WriteGroup[]): Lsn {
    const state = this.#part(part);
    groups.forEach((group, index) => {
      const groupLsn = lsn(state.head.lsn + 1 + index);
      for (const write of group) {
        const { key, number } = write;
        const held = state.terms.get(number) ?? new Set();
        for (const term of write.termsRemoved) held.delete(term);
        if (write.kind === "reterm") {
          for (const term of write.termsAdded) held.add(term);
          continue;
        }
        state.log = state.log.filter((e) => e.number !== number || e.kind === "deleted");
        if (write.kind === "delete") {
          state.items.delete(key);
          state.terms.delete(number);
          state.log.push({ lsn: groupLsn, number, kind: "deleted", key });
        } else {
          for (const term of write.termsAdded) held.add(term);
          state.terms.set(number, held);
          const body = Buffer.from(write.body);
          state.items.set(key, { key, number, lsn: groupLsn, tag: write.tag, body });
          const kind = write.before === undefined ? "created" : "replaced";
          state.log.push({ lsn: groupLsn, number, kind, key });
        }
      }
    });
    state.head = headAfter(state.head, groups);
    return state.head.lsn;
  }

  sweep(part: number, throughLsn: Lsn): void {
    const state = this.#part(part);
    state.log = state.log.filter((entry) => entry.kind !== "deleted" || entry.lsn > throughLsn);
    const sweptLsn = lsn(Math.max(state.head.sweptLsn, throughLsn));
    state.head = { ...state.head, sweptLsn };
  }

  head(part: number): PartHead {
    return this.#part(part).head;
  }

  get(part: number, key: string): StoredItem | undefined {
    return this.#part(part).items.get(key);
  }

  items(part: number): StoredItem[] {
    return [...this.#part(part).items.values()].sort((a, b) => a.number - b.number);
  }

  termsOf(part: number, number: number): string[] {
    return [...(this.#part(part).terms.get(number) ?? [])];
  }

  terms(part: number, range: KeyRange): { term: string; number: number }[] {
    const all = [...this.#part(part).terms].flatMap(([number, terms]) =>
      [...terms].map((term) => ({ term, number })),
    );
    const inside = all.filter(({ term }) => term >= range.min && term < range.max);
    return inside.sort((a, b) =>
      a.term < b.term ? -1 : a.term > b.term ? 1 : a.number - b.number,
    );
  }

  log(part: number): LogEntry[] {
    const order = (a: LogEntry, b: LogEntry): number => a.lsn - b.lsn || a.number - b.number;
    return [...this.#part(part).log].sort(order);
  }

  #part(part: number): ModelPart {
    return this.#parts.get(part)!;
  }
}
