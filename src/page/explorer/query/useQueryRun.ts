/** Runs a query page by page, under a limit of RU, and can be cancelled. */
import { useRef, useState } from "preact/hooks";
import type { NamedContainer } from "../../../model/copyJob.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import { usePage } from "../../control/page.ts";
import type { Server, ServerReply } from "../../session/server.ts";
import { containerPath } from "../data/dataPlane.ts";
import { listTexts } from "../data/rawJson.ts";
import { explainedIn } from "./explained.ts";
import { chargeOf, type FetchedPage, type QueryRun, sumOfRu } from "./queryRun.ts";

export interface QueryTerms {
  readonly text: string;
  readonly parameters: readonly { readonly name: string; readonly value: unknown }[];
  readonly pageSize: number;
  /** RU after which no further page is asked for by itself; `undefined`: no limit. */
  readonly cap: number | undefined;
}

interface RunningQuery {
  readonly run: QueryRun | undefined;
  /** The text of the editor that the run belongs to; what was run may be a part of it. */
  readonly written: string | undefined;
  /** Pages until there are rows; with `all`, until there are no more. */
  start(written: string, terms: QueryTerms): Promise<QueryRun>;
  next(all: boolean): Promise<void>;
  /** Shows a run that came to rest before, or none. */
  show(written: string, kept: KeptTerms | undefined): void;
  /** True when something was running. */
  cancel(): boolean;
  isRunning(tab: string): boolean;
  /** Cancels and forgets what a tab has; another text may be written there from now on. */
  forget(tab: string, written?: string): void;
}

interface KeptTerms {
  readonly terms: QueryTerms;
  readonly run: QueryRun;
}

/** What one tab has. */
interface Slot {
  written?: string | undefined;
  terms?: QueryTerms | undefined;
  run?: QueryRun | undefined;
  stopping?: AbortController | undefined;
}

type OnRest = (written: string, terms: QueryTerms, run: QueryRun) => void;

/**
 * Each tab has a run of its own, which goes on while another one is looked at. `onRest` is told of
 * every run that has come to rest, whatever its end.
 */
export function useQueryRun(about: NamedContainer, tab: string, onRest: OnRest): RunningQuery {
  const { server, announcer } = usePage();
  const slots = useRef(new Map<string, Slot>());
  const [, setCount] = useState(0);
  const renew = (): void => setCount((count) => count + 1);
  const put = (id: string, next: Slot): void => {
    slots.current.get(id)?.stopping?.abort();
    slots.current.set(id, next);
    renew();
  };
  const slot = slots.current.get(tab);
  const goOn = async (of: Slot, from: QueryRun, isAll: boolean): Promise<QueryRun> => {
    const asked = of.terms!;
    const controller = new AbortController();
    of.stopping = controller;
    // What another run has taken the place of is shown no more.
    const isCurrent = (): boolean => of.stopping === controller;
    const tell = (now: QueryRun): void => {
      if (!isCurrent()) return;
      of.run = now;
      renew();
    };
    const ask = (continuation: string | undefined): Promise<ServerReply<FetchedPage>> =>
      askPage(server, about, asked, continuation, controller.signal);
    const now = await runPages({ from, cap: asked.cap, isAll, ask, tell });
    if (!isCurrent() || ![...slots.current.values()].includes(of)) return now;
    of.stopping = undefined;
    onRest(of.written ?? asked.text, asked, now);
    if (now.state === "failed") announcer.warn(failureTitle(now));
    else announcer.say(outcomeText(now));
    return now;
  };
  return {
    run: slot?.run,
    written: slot?.written,
    start: (written, terms) => {
      const begun: Slot = { written, terms };
      put(tab, begun);
      return goOn(begun, { ...NOT_BEGUN, text: terms.text }, false);
    },
    next: async (all) => {
      if (slot?.run !== undefined) await goOn(slot, slot.run, all);
    },
    show: (written, kept) => put(tab, { written, terms: kept?.terms, run: kept?.run }),
    cancel: () => {
      const isRunning = slot?.stopping !== undefined;
      slot?.stopping?.abort();
      return isRunning;
    },
    isRunning: (id) => slots.current.get(id)?.run?.state === "running",
    forget: (id, written) => put(id, { written }),
  };
}

interface PageWork extends Pick<QueryTerms, "cap"> {
  readonly from: QueryRun;
  readonly isAll: boolean;
  readonly ask: (continuation: string | undefined) => Promise<ServerReply<FetchedPage>>;
  readonly tell: (now: QueryRun) => void;
}

/** Asks for pages until the run comes to rest. */
async function runPages({ from, cap, isAll, ask, tell }: PageWork): Promise<QueryRun> {
  let now: QueryRun = { ...from, state: "running", failure: undefined };
  tell(now);
  for (let isFirst = true; now.state === "running"; isFirst = false) {
    // The first page is what somebody has asked for; only further ones are held back.
    if (!isFirst && cap !== undefined && chargeOf(now) >= cap) now = { ...now, state: "capped" };
    else {
      const answer = await ask(now.pages.at(-1)?.continuation);
      now = answer.ok ? withPage(now, answer.value, isAll) : failed(now, answer);
    }
    tell(now);
  }
  return now;
}

export function failureTitle({ failure }: QueryRun): string {
  return failure?.kind === "unreachable" ? "The query was not answered." : "The query was refused.";
}

const NOT_BEGUN = { state: "running", pages: [], requestCount: 0, chargeBeside: 0 } as const;

function outcomeText(run: QueryRun): string {
  const rowCount = run.pages.reduce((sum, { rows }) => sum + rows.length, 0);
  return `Query ${run.state}: ${rowCount} rows, ${chargeOf(run)} RU.`;
}

/** The server merges the rows of all ranges, and explains the very execution that made them. */
async function askPage(
  server: Server,
  about: NamedContainer,
  asked: QueryTerms,
  continuation: string | undefined,
  signal: AbortSignal,
): Promise<ServerReply<FetchedPage>> {
  const answer = await server.data({
    method: "POST",
    path: `${containerPath(about)}/docs`,
    headers: {
      "content-type": "application/query+json",
      [HEADER.isQuery]: "true",
      [HEADER.crossPartition]: "true",
      [HEADER.mergeQuery]: "true",
      [HEADER.explain]: "true",
      [HEADER.maxItemCount]: String(asked.pageSize),
      ...(continuation !== undefined && { [HEADER.continuation]: continuation }),
    },
    body: JSON.stringify({ query: asked.text, parameters: asked.parameters }),
    signal,
  });
  if (!answer.ok) return answer;
  const { headers, text, charge } = answer.value;
  const texts = listTexts(text, "Documents");
  const page: FetchedPage = {
    texts,
    rows: texts.map((each) => JSON.parse(each) as unknown),
    charge,
    explained: explainedIn(headers.get(HEADER.explain)),
    continuation: headers.get(HEADER.continuation) ?? undefined,
  };
  return { ok: true, value: page };
}

/** A page without rows is not shown by itself: its work is part of the page that follows it. */
function withPage(run: QueryRun, page: FetchedPage, isAll: boolean): QueryRun {
  const last = run.pages.at(-1);
  const isEmptyBefore = last !== undefined && last.rows.length === 0;
  const pages = isEmptyBefore
    ? [...run.pages.slice(0, -1), joined(last, page)]
    : [...run.pages, page];
  const isMore = page.continuation !== undefined;
  const state = !isMore ? "done" : isAll || page.rows.length === 0 ? "running" : "paused";
  return { ...run, pages, state, requestCount: run.requestCount + 1 };
}

function joined(empty: FetchedPage, page: FetchedPage): FetchedPage {
  const one = empty.explained;
  const other = page.explained;
  if (one === undefined || other === undefined) {
    return { ...page, charge: sumOfRu([empty.charge, page.charge]) };
  }
  const { work: before, charge: paid } = one;
  const { work, charge } = other;
  return {
    ...page,
    charge: sumOfRu([empty.charge, page.charge]),
    explained: {
      plan: other.plan,
      work: {
        ...work,
        items: before.items + work.items,
        itemBytes: before.itemBytes + work.itemBytes,
        misses: before.misses + work.misses,
        lookups: before.lookups + work.lookups,
        terms: before.terms + work.terms,
        indexMs: before.indexMs + work.indexMs,
        loadMs: before.loadMs + work.loadMs,
        totalMs: before.totalMs + work.totalMs,
      },
      charge: {
        ...charge,
        ru: sumOfRu([paid.ru, charge.ru]),
        parts: [...paid.parts, ...charge.parts],
        partitions: [...paid.partitions, ...charge.partitions],
      },
    },
  };
}

function failed(run: QueryRun, answer: ServerReply<unknown> & { readonly ok: false }): QueryRun {
  const { error } = answer;
  return {
    ...run,
    state: error.kind === "cancelled" ? "cancelled" : "failed",
    failure: error,
    requestCount: run.requestCount + 1,
    chargeBeside: sumOfRu([run.chargeBeside, error.charge ?? 0]),
  };
}
