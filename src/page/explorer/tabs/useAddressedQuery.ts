/**
 * The queries that are written beside each other, and the run that each of them belongs to. The
 * address says which of them is looked at and which text of it was run; what is being written
 * beyond that is kept beside the browser tab.
 */
import { useEffect, useState } from "preact/hooks";
import type { NamedContainer } from "../../../model/copyJob.ts";
import { usePage, usePlace } from "../../control/page.ts";
import { withParameters } from "../../session/place.ts";
import { keepList, readList } from "../data/keptLists.ts";
import { keepRun, readRun } from "../query/keptRuns.ts";
import { useQueryRun } from "../query/useQueryRun.ts";
import { besideTab, FIRST_TAB, newTabId, type QueryTab, withTab } from "./queryTabs.ts";

const TABS_KEY = "orrery.tabs";
const FIRST_QUERY = "SELECT * FROM c";

export interface OpenQueries {
  readonly tabs: readonly QueryTab[];
  readonly picked: string;
  /** A new query; the former one stays where it is, and a step back. */
  readonly begin: () => void;
  readonly show: (id: string) => void;
  /** The last one cannot be closed. */
  readonly close: (id: string) => void;
  readonly isRunning: (id: string) => boolean;
}

interface AddressedQuery {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly query: ReturnType<typeof useQueryRun>;
  /** The text is going to be run: it is what the address says from now on. */
  readonly noteRun: (text: string) => void;
  readonly newCount: number;
  readonly open: OpenQueries;
}

/** `name` is that of the container: `database/container`. */
export function useAddressedQuery(about: NamedContainer, name: string): AddressedQuery {
  const { clock } = usePage();
  const { tabs, tab, isNews, put, take, remove, go } = useOpenTabs(name);
  const [newCount, setNewCount] = useState(0);
  const query = useQueryRun(about, tab.id, (written, terms, run) => {
    if (run.pages.length === 0) return;
    keepRun(sessionStorage, { of: name, text: written, at: clock.wallNow(), terms, run });
  });
  const { id, addressed } = tab;
  // A reload, the back button and a link bring a text from elsewhere, and what it brought before.
  useEffect(() => {
    if (isNews) take(tab);
    if (query.written === addressed) return;
    const found = tab.isRun ? readRun(sessionStorage, name, addressed) : undefined;
    query.show(addressed, found && { ...found, run: { ...found.run, keptAt: found.at } });
  }, [addressed, id, name]);
  const show = (other: QueryTab | undefined): void => {
    if (other !== undefined) go(other);
  };
  return {
    text: tab.text,
    setText: (text) => put({ ...tab, text }),
    query,
    noteRun: (text) => {
      const next = { id, addressed: text, text, isRun: true };
      put(next);
      go(next);
    },
    newCount,
    open: {
      tabs,
      picked: id,
      begin: () => {
        const first = { addressed: FIRST_QUERY, text: FIRST_QUERY, isRun: false };
        const next = { id: newTabId(tabs), ...first };
        put(next);
        query.forget(next.id, FIRST_QUERY);
        go(next);
        setNewCount(newCount + 1);
      },
      show: (wanted) => show(tabs.find((each) => each.id === wanted)),
      close: (closed) => {
        if (tabs.length < 2) return;
        query.forget(closed);
        remove(closed);
        if (closed === id) show(besideTab(tabs, closed));
      },
      isRunning: query.isRunning,
    },
  };
}

interface OpenTabs {
  readonly tabs: readonly QueryTab[];
  /** The one that the address names. */
  readonly tab: QueryTab;
  /** True when the address has a text that does not come from here. */
  readonly isNews: boolean;
  readonly put: (tab: QueryTab) => void;
  /** What the address says, unless somebody has written into it since it was shown. */
  readonly take: (tab: QueryTab) => void;
  readonly remove: (id: string) => void;
  readonly go: (tab: QueryTab) => void;
}

function useOpenTabs(name: string): OpenTabs {
  const { router } = usePage();
  const { parameters } = usePlace();
  const [kept, setKept] = useState(() => readList<QueryTab>(sessionStorage, TABS_KEY, name));
  const id = parameters["tab"] ?? FIRST_TAB;
  const addressed = parameters["q"] ?? FIRST_QUERY;
  const known = kept.find((each) => each.id === id);
  const isNews = known?.addressed !== addressed;
  const tab =
    isNews || known === undefined ? { id, addressed, text: addressed, isRun: true } : known;
  const change = (changed: (tabs: readonly QueryTab[]) => readonly QueryTab[]): void =>
    setKept((now) => {
      const next = changed(now);
      keepList(sessionStorage, TABS_KEY, { of: name, list: next });
      return next;
    });
  return {
    tabs: withTab(kept, tab),
    tab,
    isNews,
    put: (next) => change((now) => withTab(now, next)),
    take: (news) => change((now) => (isOfAddress(now, news) ? now : withTab(now, news))),
    remove: (closed) => change((now) => now.filter((each) => each.id !== closed)),
    go: (next) => {
      const changes = {
        tab: next.id === FIRST_TAB ? undefined : next.id,
        q: next.addressed === FIRST_QUERY ? undefined : next.addressed,
      };
      router.go(withParameters(router.place.value, changes));
    },
  };
}

function isOfAddress(tabs: readonly QueryTab[], { id, addressed }: QueryTab): boolean {
  return tabs.some((each) => each.id === id && each.addressed === addressed);
}
