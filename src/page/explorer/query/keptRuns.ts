/**
 * The last runs of this tab, beside it: whoever reloads, goes back or looks at another page finds
 * the rows and their charge again, and nothing is asked twice for that.
 *
 * Rows are data of users, so the runs are bounded, end with the tab, and go when somebody signs
 * out. A run too large to be kept is not there after a reload; its text is, in the address.
 */
import type { QueryRun } from "./queryRun.ts";
import type { QueryTerms } from "./useQueryRun.ts";

export interface KeptRun {
  /** `database/container`. */
  readonly of: string;
  /** The text of the editor; what was run may be a part of it. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly terms: QueryTerms;
  readonly run: QueryRun;
}

const KEY = "orrery.runs";
const RUN_COUNT_MAX = 8;
/** Browsers give a tab about five million characters. */
const CHARACTER_COUNT_MAX = 2_000_000;

type Storage = Pick<globalThis.Storage, "getItem" | "setItem">;

export function readRun(storage: Storage, of: string, text: string): KeptRun | undefined {
  const kept = readTexts(storage).find((each) => each.of === of && each.text === text);
  if (kept === undefined) return undefined;
  const { terms, run, ...about } = JSON.parse(kept.json) as Omit<KeptRun, "of" | "text">;
  const pages = run.pages.map((page) => ({
    ...page,
    rows: page.texts.map((each) => JSON.parse(each) as unknown),
  }));
  return { of, text, ...about, terms, run: { ...run, pages } };
}

/** The newest first; the same text of the same container again takes the place of the former. */
export function keepRun(storage: Storage, { of, text, ...kept }: KeptRun): void {
  // Rows are made of their texts again, so only the texts are kept.
  const pages = kept.run.pages.map((page) => ({ ...page, rows: [] }));
  const json = JSON.stringify({ ...kept, run: { ...kept.run, pages } });
  const others = readTexts(storage).filter((each) => each.of !== of || each.text !== text);
  const all = [{ of, text, json }, ...others].slice(0, RUN_COUNT_MAX);
  let room = CHARACTER_COUNT_MAX;
  const fitting = all.filter((each) => {
    const isFitting = each.json.length <= room;
    if (isFitting) room -= each.json.length;
    return isFitting;
  });
  storage.setItem(KEY, JSON.stringify(fitting));
}

interface KeptText extends Pick<KeptRun, "of" | "text"> {
  readonly json: string;
}

function readTexts(storage: Storage): readonly KeptText[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? (kept as KeptText[]) : [];
  } catch {
    return [];
  }
}
