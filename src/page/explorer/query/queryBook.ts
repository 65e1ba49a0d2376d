/**
 * The queries that were run and those that were saved, in this browser. Queries may hold data, so
 * the book is bounded and can be emptied.
 */

export interface QueryNote {
  readonly text: string;
  /** `database/container`. */
  readonly of: string;
  readonly at: number;
  readonly ru: number;
  readonly rows: number;
  /** Set when it was saved. */
  readonly name?: string | undefined;
}

const KEY = "orrery.queries";
export const HISTORY_COUNT_MAX = 50;

type Storage = Pick<globalThis.Storage, "getItem" | "setItem">;

export function readBook(storage: Storage): readonly QueryNote[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? (kept as unknown[]).filter(isNote) : [];
  } catch {
    return [];
  }
}

export function keepBook(storage: Storage, notes: readonly QueryNote[]): void {
  storage.setItem(KEY, JSON.stringify(notes));
}

/** The newest first; the same query again takes the place of the former note. */
export function noted(notes: readonly QueryNote[], note: QueryNote): readonly QueryNote[] {
  const before = notes.find(({ text, of }) => text === note.text && of === note.of);
  const others = notes.filter((each) => each !== before);
  const named = before?.name === undefined ? note : { ...note, name: before.name };
  const all = [named, ...others];
  const unnamed = all.filter(({ name }) => name === undefined).slice(0, HISTORY_COUNT_MAX);
  return all.filter((each) => each.name !== undefined || unnamed.includes(each));
}

export function renamed(
  notes: readonly QueryNote[],
  wanted: QueryNote,
  name: string | undefined,
): readonly QueryNote[] {
  return notes.map((note) =>
    note.text === wanted.text && note.of === wanted.of ? { ...note, name } : note,
  );
}

function isNote(value: unknown): value is QueryNote {
  if (typeof value !== "object" || value === null) return false;
  const { text, of, at, ru, rows } = value as Readonly<Record<string, unknown>>;
  return (
    typeof text === "string" &&
    typeof of === "string" &&
    typeof at === "number" &&
    typeof ru === "number" &&
    typeof rows === "number"
  );
}
