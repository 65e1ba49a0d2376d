/** The queries that are open beside each other for one container. */

export interface QueryTab {
  /** `1` for the first one; a number that none of the others has. */
  readonly id: string;
  /** As the address says it: what was run last. */
  readonly addressed: string;
  /** As it is written now. */
  readonly text: string;
  /** False while nothing was run in it, whatever was run elsewhere with the same text. */
  readonly isRun: boolean;
}

export const FIRST_TAB = "1";

/** With the tab in the place of the former one of its id, or behind all others. */
export function withTab(tabs: readonly QueryTab[], tab: QueryTab): readonly QueryTab[] {
  return tabs.some(({ id }) => id === tab.id)
    ? tabs.map((each) => (each.id === tab.id ? tab : each))
    : [...tabs, tab];
}

export function newTabId(tabs: readonly QueryTab[]): string {
  const taken = tabs.map(({ id }) => Number(id)).filter(Number.isSafeInteger);
  return String(Math.max(0, ...taken) + 1);
}

/** The one to look at once a tab is closed: the next, or the last. */
export function besideTab(tabs: readonly QueryTab[], id: string): QueryTab | undefined {
  const at = tabs.findIndex((each) => each.id === id);
  return tabs[at + 1] ?? tabs[at - 1];
}

const TITLE_LENGTH_MAX = 28;

/** What tells queries apart mostly stands behind the first words of them. */
export function tabTitle(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const told = line.replace(/^SELECT \* FROM \w+ (?=.)/i, "… ");
  if (told === "") return "nothing yet";
  return told.length <= TITLE_LENGTH_MAX ? told : `${told.slice(0, TITLE_LENGTH_MAX - 1)}…`;
}
