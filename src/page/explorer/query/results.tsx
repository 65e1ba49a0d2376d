/** Results of a run in several views: table, tree, JSON, cost, plan; and the history of queries. */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { counted } from "../../../base/wording.ts";
import type { OverviewRow } from "../../../protocol/admin.ts";
import { useKey, useParameter } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copyButton.tsx";
import { chargeText } from "../../parts/numbers.ts";
import { Panel } from "../../parts/panel.tsx";
import { Empty, Failed } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { useTimes } from "../../parts/times.ts";
import { csvText } from "../data/csv.ts";
import { indented } from "../data/rawJson.ts";
import { columnsOf } from "../data/tableColumns.ts";
import { download } from "../download.ts";
import { ScrolledText } from "../scrolledText.tsx";
import { CostView } from "./costView.tsx";
import { PlanView } from "./planView.tsx";
import { chargeOf, type FetchedPage, type QueryRun } from "./queryRun.ts";
import { ResultTable, type ResultTableProps } from "./resultTable.tsx";
import { ResultTree } from "./resultTree.tsx";
import { failureTitle } from "./useQueryRun.ts";

const VIEWS = ["table", "tree", "json", "cost", "plan", "history"] as const;
type View = (typeof VIEWS)[number];
const TITLES: Readonly<Record<View, string>> = {
  table: "Table",
  tree: "Tree",
  json: "JSON",
  cost: "Cost",
  plan: "Plan",
  history: "History",
};

/** What to say of a run that has brought no page. */
const NO_PAGE: Readonly<Partial<Record<QueryRun["state"], string>>> = {
  running: "The query is running.",
  cancelled: "The query was cancelled before a row came.",
};

function nothingTitle(run: QueryRun): string {
  if (run.state === "failed") return failureTitle(run);
  return NO_PAGE[run.state] ?? "No rows came back.";
}

interface ResultsProps {
  readonly run: QueryRun | undefined;
  /** What was refused is said at the text itself. */
  readonly areProblemsShown: boolean;
  readonly row: OverviewRow;
  readonly onNext: (isAll: boolean) => void;
  readonly onOpen: ResultTableProps["onOpen"];
  readonly onSameKey: ResultTableProps["onSameKey"];
  readonly history: ComponentChildren;
}

export function Results(props: ResultsProps): VNode {
  const { run, areProblemsShown, row, onNext, history } = props;
  const [picked, setPicked] = useParameter("view", "table");
  const [at, setAt] = useState(0);
  const pages = run?.pages ?? [];
  const view = VIEWS.find((each) => each === picked) ?? "table";
  // Whoever asked for another page wants to see it.
  useEffect(() => setAt(Math.max(0, pages.length - 1)), [pages.length]);
  const page = pages[Math.min(at, pages.length - 1)];
  const isMore = run?.state === "paused" || run?.state === "capped" || run?.state === "cancelled";
  const forward = (): void => {
    if (at < pages.length - 1) setAt(at + 1);
    else if (isMore) onNext(false);
  };
  const back = (): void => setAt(Math.max(0, at - 1));
  useResultKeys({ back, forward, show: setPicked });
  return (
    <Panel title="Results" beside={<Summary run={run} />}>
      {run?.failure !== undefined && run.state === "failed" && !areProblemsShown ? (
        <Failed failure={run.failure} />
      ) : null}
      {run?.state === "capped" ? <Capped run={run} onMore={() => onNext(false)} /> : null}
      <Tabs
        label="Views of the results"
        tabs={VIEWS.map((id) => ({ id, title: TITLES[id] }))}
        picked={view}
        onPick={(id) => setPicked(id)}
      >
        {view === "history" ? (
          history
        ) : run === undefined ? (
          <Empty title="Nothing was asked yet.">
            Press Run: rows come as a table and as JSON, with what they cost on each physical
            partition, all from one execution.
          </Empty>
        ) : page === undefined ? (
          <Empty title={nothingTitle(run)} />
        ) : (
          <Shown {...props} view={view} run={run} page={page} />
        )}
      </Tabs>
      {page === undefined || view === "history" ? null : (
        <ResultFoot
          at={at}
          pages={pages}
          isMore={isMore}
          row={row}
          onBack={back}
          onForward={forward}
          onAll={() => onNext(true)}
        />
      )}
    </Panel>
  );
}

interface ResultKeys {
  readonly back: () => void;
  readonly forward: () => void;
  readonly show: (view: View) => void;
}

function useResultKeys({ back, forward, show }: ResultKeys): void {
  useKey("formerPage", back);
  useKey("nextPage", forward);
  useKey("firstView", () => show("table"));
  useKey("secondView", () => show("tree"));
  useKey("thirdView", () => show("json"));
  useKey("fourthView", () => show("cost"));
}

interface CappedProps {
  readonly run: QueryRun;
  readonly onMore: () => void;
}

function Capped({ run, onMore }: CappedProps): VNode {
  return (
    <p class="state" role="status">
      Stopped at {chargeText(chargeOf(run))}, the limit that was set; there is more.{" "}
      <Button onPress={onMore}>Ask for one more page</Button>
    </p>
  );
}

interface ResultFootProps {
  /** The page on show, from 0. */
  readonly at: number;
  readonly pages: readonly FetchedPage[];
  readonly isMore: boolean;
  readonly row: OverviewRow;
  readonly onBack: () => void;
  readonly onForward: () => void;
  readonly onAll: () => void;
}

function ResultFoot(props: ResultFootProps): VNode {
  const { at, pages, isMore, row, onBack, onForward, onAll } = props;
  return (
    <div class="resultFoot">
      {at === 0 ? null : <Button onPress={onBack}>Previous page</Button>}
      <span class="small">
        Page {at + 1} of {pages.length}
        {isMore ? " so far" : ""}
      </span>
      {at < pages.length - 1 || isMore ? <Button onPress={onForward}>Next page</Button> : null}
      {isMore ? <Button onPress={onAll}>Fetch all pages</Button> : null}
      <Exports pages={pages} row={row} />
    </div>
  );
}

interface ShownProps extends Pick<ResultsProps, "row" | "onOpen" | "onSameKey"> {
  readonly view: View;
  readonly run: QueryRun;
  readonly page: FetchedPage;
}

function Shown({ view, run, page, row, onOpen, onSameKey }: ShownProps): VNode {
  if (view === "cost") return <CostView run={run} />;
  if (view === "tree") return <ResultTree page={page} />;
  if (view === "plan") return <PlanView page={page} row={row} />;
  if (view === "table") {
    return <ResultTable {...{ page, onOpen, onSameKey }} keyPaths={row.partitionKeyPaths} />;
  }
  const text = `[${page.texts.join(",")}]`;
  return (
    <>
      <CopyButton text={text} what="the rows of this page" />
      <ScrolledText label="Rows as JSON">{indented(text)}</ScrolledText>
    </>
  );
}

function Summary({ run }: { readonly run: QueryRun | undefined }): VNode | null {
  const { dayText } = useTimes();
  if (run === undefined) return null;
  const rowCount = run.pages.reduce((sum, { rows }) => sum + rows.length, 0);
  const state =
    run.state === "running" ? "running: " : run.state === "cancelled" ? "cancelled: " : "";
  return (
    <span class="small" data-testid="summary">
      {state}
      {counted(rowCount, "row")}, <strong>{chargeText(chargeOf(run))}</strong>
      {run.keptAt === undefined ? null : `, as of ${dayText(run.keptAt)}`}
    </span>
  );
}

interface ExportsProps {
  readonly pages: readonly FetchedPage[];
  readonly row: OverviewRow;
}

/** Of all pages that were fetched. */
function Exports({ pages, row }: ExportsProps): VNode {
  const asJson = (): void => {
    const lines = pages.flatMap(({ texts }) => texts);
    download(`${row.container}.json`, "application/json", `[\n${lines.join(",\n")}\n]\n`);
  };
  const asCsv = (): void => {
    const rows = pages.flatMap((page) => page.rows);
    const columns = columnsOf(rows, row.partitionKeyPaths, true);
    const cells = rows.map((each) => columns.map(({ read }) => read(each)));
    const names = columns.map(({ title }) => title);
    download(`${row.container}.csv`, "text/csv", csvText(names, cells));
  };
  return (
    <>
      <Button onPress={asJson}>Export JSON</Button>
      <Button onPress={asCsv}>Export CSV</Button>
    </>
  );
}
