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
  /** Pages until there are rows; with `all`, until there are no more. */
  start(terms: QueryTerms): Promise<QueryRun>;
  next(all: boolean): Promise<void>;
  /** Shows a run that came to rest before, or none. */
  show(kept: { readonly terms: QueryTerms; readonly run: QueryRun } | undefined): void;
  /** True when something was running. */
  cancel(): boolean;
}

/** `onRest` is told of every run that has come to rest, whatever its end. */
export function useQueryRun(
  about: NamedContainer,
  onRest: (terms: QueryTerms, run: QueryRun) => void,
): RunningQuery {
  const { server, announcer } = usePage();
  const [run, setRun] = useState<QueryRun | undefined>(undefined);
  const terms = useRef<QueryTerms | undefined>(undefined);
  const stopping = useRef<AbortController | undefined>(undefined);
  const goOn = async (from: QueryRun, isAll: boolean): Promise<QueryRun> => {
    const asked = terms.current!;
    const controller = new AbortController();
    stopping.current = controller;
    let now: QueryRun = { ...from, state: "running", failure: undefined };
    // What another run has taken the place of is shown no more.
    const tell = (): void => {
      if (stopping.current === controller) setRun(now);
    };
    tell();
    for (let isFirst = true; now.state === "running"; isFirst = false) {
      // The first page is what somebody has asked for; only further ones are held back.
      if (!isFirst && asked.cap !== undefined && chargeOf(now) >= asked.cap) {
        now = { ...now, state: "capped" };
      } else {
        const continuation = now.pages.at(-1)?.continuation;
        const answer = await askPage(server, about, asked, continuation, controller.signal);
        now = answer.ok ? withPage(now, answer.value, isAll) : failed(now, answer);
      }
      tell();
    }
    if (stopping.current !== controller) return now;
    stopping.current = undefined;
    onRest(asked, now);
    if (now.state === "failed") announcer.warn("The query was refused.");
    else announcer.say(outcomeText(now));
    return now;
  };
  return {
    run,
    start: (started) => {
      stopping.current?.abort();
      terms.current = started;
      return goOn({ ...NOT_BEGUN, text: started.text }, false);
    },
    next: async (all) => {
      if (run !== undefined) await goOn(run, all);
    },
    show: (kept) => {
      stopping.current?.abort();
      stopping.current = undefined;
      terms.current = kept?.terms;
      setRun(kept?.run);
    },
    cancel: () => {
      const isRunning = stopping.current !== undefined;
      stopping.current?.abort();
      return isRunning;
    },
  };
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
