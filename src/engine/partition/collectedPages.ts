/**
 * Rows that a query has collected ahead, kept for its next pages. Kept rows hold only as long as no
 * physical partition that they came from has changed, which its LSN tells; a query that finds no
 * kept rows collects them again. Rows are kept in memory only, in bounded number, and the oldest go
 * first.
 */
import type { Collected, CollectedRow } from "../../query/execute/collected.ts";
import type { PhysicalPartition } from "./physicalPartition.ts";

interface Kept {
  readonly state: string;
  readonly rest: Collected;
  readonly bytes: number;
}

const BYTES_MAX = 32 * 1024 * 1024;
const BYTES_EACH_MAX = 8 * 1024 * 1024;
/** Bytes that a kept row is counted with besides its text. */
const ROW_BYTES = 128;

export class CollectedPages {
  readonly #byQuestion = new Map<string, Kept>();
  #bytes = 0;

  /** Takes out the rows that were kept for a question, if the state is still the same. */
  take(question: string, state: string): Collected | undefined {
    const kept = this.#byQuestion.get(question);
    if (kept === undefined) return undefined;
    this.#forget(question, kept);
    return kept.state === state ? kept.rest : undefined;
  }

  keep(question: string, state: string, rest: Collected): void {
    const known = this.#byQuestion.get(question);
    if (known !== undefined) this.#forget(question, known);
    const { rows, bytes: rowBytes } = madeTexts(rest.rows);
    const isAll = rest.isAll && rows.length === rest.rows.length;
    // The last row only says that there are more; a page that starts with it alone makes no
    // progress.
    if (!isAll && rows.length < 2) return;
    // Parameters are part of the question, and may be larger than the rows.
    const bytes = rowBytes + 2 * question.length;
    this.#byQuestion.set(question, { state, rest: { ...rest, rows, isAll }, bytes });
    this.#bytes += bytes;
    for (const [oldest, kept] of this.#byQuestion) {
      if (this.#bytes <= BYTES_MAX) return;
      this.#forget(oldest, kept);
    }
  }

  clear(): void {
    this.#byQuestion.clear();
    this.#bytes = 0;
  }

  #forget(question: string, kept: Kept): void {
    this.#byQuestion.delete(question);
    this.#bytes -= kept.bytes;
  }
}

/**
 * Returns a text that differs as soon as anything in one of the physical partitions has changed.
 */
export function stateOf(partitions: readonly PhysicalPartition[]): string {
  return partitions.map(({ entry, lsn }) => `${entry.id}:${lsn}`).join(",");
}

/** Turns as many rows into bytes as may be kept; the values that rows are made from are larger. */
function madeTexts(rows: readonly CollectedRow[]): {
  readonly rows: readonly CollectedRow[];
  readonly bytes: number;
} {
  const made: CollectedRow[] = [];
  let bytes = 0;
  for (const { text, place } of rows) {
    const written = text?.();
    bytes += (written?.length ?? 0) + ROW_BYTES;
    if (bytes > BYTES_EACH_MAX) break;
    made.push({ text: written && (() => written), place });
  }
  return { rows: made, bytes };
}
