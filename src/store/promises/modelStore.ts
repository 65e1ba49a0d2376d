/**
 * What a store should answer, in the plainest terms: maps and arrays, sorted when asked. The model
 * of the contract and crash tests; short enough to be beyond doubt.
 */
import { type Lsn, lsn } from "../../base/units.ts";
import { EMPTY_HEAD, headAfter } from "../partHead.ts";
import type {
  Adopted,
  CommitTerms,
  Committed,
  FamilyTally,
  ItemDelete,
  ItemPut,
  KeptVersion,
  KeyRange,
  LogEntry,
  LogKind,
  PartHead,
  StoredItem,
  WriteGroup,
} from "../partitionStore.ts";
import { isEnd, isVersion } from "../partitionStore.ts";

interface ModelPart {
  head: PartHead;
  readonly items: Map<string, StoredItem>;
  readonly terms: Map<number, Set<string>>;
  log: LogEntry[];
  versions: KeptVersion[];
}

export class ModelStore {
  readonly #parts = new Map<number, ModelPart>();

  claim(part: number): void {
    const head = { ...EMPTY_HEAD, epoch: 1 };
    this.#parts.set(part, { head, items: new Map(), terms: new Map(), log: [], versions: [] });
  }

  commit(part: number, groups: readonly WriteGroup[], terms: CommitTerms = {}): Committed {
    const state = this.#part(part);
    const lsns = groups.map((_, index) => lsn(state.head.lsn + 1 + index));
    groups.forEach((group, index) => {
      const groupLsn = lsns[index]!;
      for (const write of group) {
        const { key, number } = write;
        const held = state.terms.get(number) ?? new Set();
        for (const term of write.termsRemoved) held.delete(term);
        if (write.kind === "reterm") {
          for (const term of write.termsAdded) held.add(term);
          continue;
        }
        const kind = kindOf(write);
        state.log = state.log.filter((e) => e.number !== number || isEnd(e.kind));
        state.log.push({ lsn: groupLsn, number, kind, key });
        if (terms.keepsVersions === true) {
          const { tag } = write;
          const previousLsn = write.before?.lsn ?? lsn(0);
          const body = Buffer.from(write.kind === "put" ? write.body : (write.last ?? []));
          state.versions.push({ lsn: groupLsn, number, kind, key, tag, previousLsn, body });
        }
        if (write.kind === "delete") {
          state.items.delete(key);
          state.terms.delete(number);
        } else {
          for (const term of write.termsAdded) held.add(term);
          state.terms.set(number, held);
          const body = Buffer.from(write.body);
          state.items.set(key, { key, number, lsn: groupLsn, tag: write.tag, body });
        }
      }
    });
    state.head = headAfter(state.head, groups);
    return { head: state.head, lsns };
  }

  adopt(part: number, versions: readonly Adopted[], throughLsn: Lsn): PartHead {
    const state = this.#part(part);
    for (const adopted of versions) {
      if (!isVersion(adopted)) {
        const { number, termsAdded, termsRemoved } = adopted.write;
        const held = state.terms.get(number)!;
        for (const term of termsRemoved) held.delete(term);
        for (const term of termsAdded) held.add(term);
        continue;
      }
      const { lsn: versionLsn, logKind: kind, write } = adopted;
      const { key, number, before } = write;
      // The version that is there, or this very one from an earlier attempt.
      const isOver = (e: LogEntry): boolean =>
        e.number === number && (e.lsn === before?.lsn || e.lsn === versionLsn);
      state.log = state.log.filter((entry) => !isOver(entry));
      state.log.push({ lsn: versionLsn, number, kind, key });
      const held = state.terms.get(number) ?? new Set();
      for (const term of write.termsRemoved) held.delete(term);
      if (write.kind === "put") {
        for (const term of write.termsAdded) held.add(term);
        state.terms.set(number, held);
        const body = Buffer.from(write.body);
        state.items.set(key, { key, number, lsn: versionLsn, tag: write.tag, body });
      } else if (before !== undefined) {
        state.items.delete(key);
        state.terms.delete(number);
      }
    }
    const items = [...state.items.values()];
    state.head = {
      ...state.head,
      lsn: lsn(Math.max(state.head.lsn, throughLsn)),
      itemCount: items.length,
      itemBytes: items.reduce((sum, { body }) => sum + body.length, 0),
      numberMax: Math.max(
        state.head.numberMax,
        ...versions.filter(isVersion).map(({ write }) => write.number),
      ),
    };
    return state.head;
  }

  adoptVersions(part: number, versions: readonly KeptVersion[]): void {
    const state = this.#part(part);
    const isNew = (a: KeptVersion): boolean =>
      a.lsn > state.head.sweptLsn &&
      !state.versions.some((b) => b.lsn === a.lsn && b.number === a.number);
    state.versions.push(...versions.filter(isNew));
  }

  sweep(part: number, throughLsn: Lsn): void {
    const state = this.#part(part);
    state.log = state.log.filter((entry) => !isEnd(entry.kind) || entry.lsn > throughLsn);
    state.versions = state.versions.filter((version) => version.lsn > throughLsn);
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
    const { sweptLsn } = this.head(part);
    const isSwept = (e: LogEntry): boolean => isEnd(e.kind) && e.lsn <= sweptLsn;
    return this.#part(part)
      .log.filter((entry) => !isSwept(entry))
      .sort(inLogOrder);
  }

  versions(part: number): KeptVersion[] {
    return [...this.#part(part).versions].sort(inLogOrder);
  }

  /** Families in order, each with what its items come to. */
  tallies(part: number): FamilyTally[] {
    const families = new Map<string, FamilyTally>();
    for (const { key, body } of this.items(part)) {
      const family = key.split("\x00")[0]!;
      const { itemCount, itemBytes } = families.get(family) ?? { itemCount: 0, itemBytes: 0 };
      const tally = { family, itemCount: itemCount + 1, itemBytes: itemBytes + body.length };
      families.set(family, tally);
    }
    return [...families.values()].sort((a, b) => (a.family < b.family ? -1 : 1));
  }

  #part(part: number): ModelPart {
    return this.#parts.get(part)!;
  }
}

function kindOf(write: ItemPut | ItemDelete): LogKind {
  if (write.kind === "delete") return write.isExpiry === true ? "expired" : "deleted";
  return write.before === undefined ? "created" : "replaced";
}

function inLogOrder(a: LogEntry, b: LogEntry): number {
  return a.lsn - b.lsn || a.number - b.number;
}
