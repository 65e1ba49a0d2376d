/**
 * What a commit or an adoption comes to, row by row, in one look: an item that several groups
 * touch has one row, the last one; a term that goes and comes back stays. Ends and kept versions
 * are rows of their own, each with its LSN.
 *
 * An LSN is told as how far it lies before that of the head which the same transaction leaves.
 */
import type {
  Adopted,
  AdoptedVersion,
  ItemDelete,
  ItemPut,
  ItemReterm,
  KeptVersion,
  LogKind,
  WriteGroup,
} from "../partitionStore.ts";
import { isVersion } from "../partitionStore.ts";

export interface ItemRow {
  readonly key: string;
  readonly number: number;
  readonly back: number;
  readonly tag: number;
  readonly kind: LogKind;
  readonly body: Uint8Array;
}

export type EndRow = Pick<ItemRow, "key" | "number" | "back" | "kind">;

export interface VersionRow extends ItemRow {
  readonly previousLsn: number;
}

interface TermRow {
  readonly term: string;
  readonly number: number;
}

export class FoldedWrites {
  /** By key; undefined: no such item afterwards. */
  readonly #items = new Map<string, ItemRow | undefined>();
  /** By number, then by term: whether the item has it afterwards. */
  readonly #terms = new Map<number, Map<string, boolean>>();
  readonly ends: EndRow[] = [];
  readonly versions: VersionRow[] = [];

  static ofCommit(groups: readonly WriteGroup[], keepsVersions: boolean): FoldedWrites {
    const folded = new FoldedWrites();
    groups.forEach((group, index) => {
      const back = groups.length - 1 - index;
      for (const write of group) {
        folded.#foldTerms(write);
        if (write.kind === "reterm") continue;
        const kind = kindOf(write);
        folded.#foldItem(write, kind, back);
        if (keepsVersions) folded.versions.push(versionRow(write, kind, back));
      }
    });
    return folded;
  }

  static ofAdoption(versions: readonly Adopted[], reachedLsn: number): FoldedWrites {
    const folded = new FoldedWrites();
    for (const adopted of versions) {
      folded.#foldTerms(adopted.write);
      if (!isVersion(adopted)) continue;
      folded.#foldItem(adopted.write, adopted.logKind, reachedLsn - adopted.lsn);
    }
    return folded;
  }

  static ofKept(versions: readonly KeptVersion[], headLsn: number): readonly VersionRow[] {
    return versions.map(({ lsn, ...version }) => ({ ...version, back: headLsn - lsn }));
  }

  get itemsPut(): readonly ItemRow[] {
    return [...this.#items.values()].filter((row) => row !== undefined);
  }

  get keysGone(): readonly string[] {
    return [...this.#items].flatMap(([key, row]) => (row === undefined ? [key] : []));
  }

  get termsAdded(): readonly TermRow[] {
    return this.#termRows(true);
  }

  get termsRemoved(): readonly TermRow[] {
    return this.#termRows(false);
  }

  #termRows(isThere: boolean): readonly TermRow[] {
    const rows: TermRow[] = [];
    for (const [number, terms] of this.#terms) {
      for (const [term, isKept] of terms) if (isKept === isThere) rows.push({ term, number });
    }
    return rows;
  }

  #foldItem(write: ItemPut | AdoptedVersion["write"], kind: LogKind, back: number): void {
    const { key, number, tag } = write;
    if (write.kind === "put") {
      this.#items.set(key, { key, number, back, tag, kind, body: write.body });
      return;
    }
    this.ends.push({ key, number, back, kind });
    // The end of an item that this part never had takes nothing away.
    if (write.before !== undefined) this.#items.set(key, undefined);
  }

  #foldTerms(write: ItemReterm | ItemPut | AdoptedVersion["write"]): void {
    const { number } = write;
    let terms = this.#terms.get(number);
    if (terms === undefined) {
      terms = new Map();
      this.#terms.set(number, terms);
    }
    for (const term of write.termsRemoved) terms.set(term, false);
    if (write.kind === "delete") return;
    for (const term of write.termsAdded) terms.set(term, true);
  }
}

function kindOf(write: ItemPut | ItemDelete): LogKind {
  if (write.kind === "delete") return write.isExpiry === true ? "expired" : "deleted";
  return write.before === undefined ? "created" : "replaced";
}

function versionRow(write: ItemPut | ItemDelete, kind: LogKind, back: number): VersionRow {
  const { key, number, tag, before } = write;
  const body = write.kind === "put" ? write.body : (write.last ?? new Uint8Array(0));
  return { key, number, back, tag, kind, body, previousLsn: before?.lsn ?? 0 };
}
