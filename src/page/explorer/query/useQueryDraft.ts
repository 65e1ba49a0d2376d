/**
 * The query that somebody is writing, and what it takes to run it: text, parameters, size of a
 * page, limit of RU. The text that was run is in the address; what was run is noted in the book.
 */
import { useState } from "preact/hooks";
import type { OverviewRow } from "../../../protocol/admin.ts";
import type { QueryWordsAnswer } from "../../../protocol/adminQuery.ts";
import { useAdmin, useCommands, useKey, usePage, useParameter } from "../../control/page.ts";
import { keepBook, noted, type QueryNote, readBook } from "./queryBook.ts";
import { type PlacedProblem, queryProblems } from "./queryProblem.ts";
import { chargeOf, type QueryRun } from "./queryRun.ts";
import { parameterNames } from "./queryTokens.ts";
import { PAGE_SIZES, type PageSize, parameterValue, type RunBarProps } from "./runBar.tsx";
import { type Estimated, useEstimate } from "./useEstimate.ts";
import { type QueryTerms, useQueryRun } from "./useQueryRun.ts";

const FIRST_QUERY = "SELECT * FROM c";
const USUAL_CAP = "500";

interface QueryDraft {
  readonly query: ReturnType<typeof useQueryRun>;
  readonly editor: {
    readonly value: string;
    readonly onInput: (value: string) => void;
    readonly problems: readonly PlacedProblem[];
    readonly onSelect: (selected: string) => void;
    readonly draftProblems: readonly PlacedProblem[];
    readonly onRun: () => void;
    readonly words: QueryWordsAnswer | undefined;
  };
  readonly estimated: Estimated | undefined;
  readonly bar: RunBarProps;
  readonly history: {
    readonly notes: readonly QueryNote[];
    readonly all: readonly QueryNote[];
    readonly onTake: (text: string) => void;
    readonly onChange: (all: readonly QueryNote[]) => void;
  };
}

const RUN_COMMAND = { id: "run", title: "Run the query", group: "Explorer", keys: "Mod+Enter" };

export function useQueryDraft(row: OverviewRow): QueryDraft {
  const name = `${row.database}/${row.container}`;
  const [kept, keepText] = useParameter("q", FIRST_QUERY);
  const [size, setSize] = useParameter("size", "50");
  const [cap, setCap] = useParameter("cap", USUAL_CAP);
  const [text, setText] = useState(kept);
  const [selected, setSelected] = useState("");
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const book = useBook(name);
  const query = useQueryRun(row);
  const pageSize: PageSize = PAGE_SIZES.find((each) => each === size) ?? "50";
  const parametersOf = (query: string): QueryTerms["parameters"] => valuesIn(query, values);
  const asked = selected.trim() === "" ? text : selected;
  const estimated = useEstimate(row, {
    query: asked,
    parameters: parametersOf(asked),
    pageSize: Number(pageSize),
  });
  const words = useWords(row);
  const start = async (): Promise<void> => {
    if (asked.trim() === "") return;
    keepText(text, { isStep: true });
    const parameters = parametersOf(asked);
    const capRu = cap === "" ? undefined : Number(cap);
    const terms = { text: asked, parameters, pageSize: Number(pageSize), cap: capRu };
    book.note(await query.start(terms));
  };
  const onRun = (): void => void start();
  useKey("run", onRun);
  useKey("cancel", query.cancel);
  useCommands([{ ...RUN_COMMAND, run: onRun }]);
  const bar: RunBarProps = {
    isRunning: query.run?.state === "running",
    whyNot: text.trim() === "" ? "Write a query." : undefined,
    onRun,
    onCancel: query.cancel,
    pageSize,
    onPageSize: setSize,
    cap,
    onCap: setCap,
    parameters: parameterNames(text),
    values,
    onValue: (each, value) => setValues({ ...values, [each]: value }),
  };
  return {
    query,
    editor: {
      value: text,
      onInput: setText,
      problems: problemsOf(query.run, text),
      onSelect: setSelected,
      draftProblems: asked === text ? draftProblemsOf(estimated) : [],
      onRun,
      words,
    },
    estimated,
    bar,
    history: { ...book.history, onTake: setText },
  };
}

function useWords({ database, container }: OverviewRow): QueryWordsAnswer | undefined {
  const names = [database, container].map(encodeURIComponent).join("/");
  return useAdmin<QueryWordsAnswer>(`containers/${names}/queryWords`).value;
}

function valuesIn(
  query: string,
  values: Readonly<Record<string, string>>,
): QueryTerms["parameters"] {
  return parameterNames(query).map((name) => ({ name, value: parameterValue(values[name] ?? "") }));
}

/** What is wrong with the text as it is; nothing once somebody has changed it. */
function problemsOf(run: QueryRun | undefined, text: string): readonly PlacedProblem[] {
  const isOfText = run?.state === "failed" && run.text === text && run.failure?.status === 400;
  return isOfText ? queryProblems(run.failure.message) : [];
}

/** What a query that was not run would be refused for. */
function draftProblemsOf(estimated: Estimated | undefined): readonly PlacedProblem[] {
  const { refusal } = estimated ?? {};
  return refusal === undefined ? [] : queryProblems(refusal);
}

interface Book {
  readonly history: Omit<QueryDraft["history"], "onTake">;
  readonly note: (run: QueryRun) => void;
}

function useBook(name: string): Book {
  const { clock } = usePage();
  const [all, setAll] = useState(() => readBook(localStorage));
  const onChange = (notes: readonly QueryNote[]): void => {
    keepBook(localStorage, notes);
    setAll(notes);
  };
  return {
    history: { notes: all.filter(({ of }) => of === name), all, onChange },
    note: (run) => {
      if (run.pages.length === 0) return;
      const rows = run.pages.reduce((sum, page) => sum + page.rows.length, 0);
      const note = { text: run.text, of: name, at: clock.wallNow(), ru: chargeOf(run), rows };
      onChange(noted(readBook(localStorage), note));
    },
  };
}
