/** The list of jobs of all kinds, those that wait for somebody and those at work first. */
import type { VNode } from "preact";
import type { JobsAnswer } from "../../protocol/admin.ts";
import { useAdmin, useCommands, usePage, useParameter } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { CodeRow } from "../parts/codeBox.tsx";
import { CopyButton } from "../parts/copyButton.tsx";
import type { Column } from "../parts/grid.tsx";
import { Grid } from "../parts/grid.tsx";
import { Link } from "../parts/link.tsx";
import { Meter } from "../parts/meter.tsx";
import { shareText } from "../parts/numbers.ts";
import { AnswerHead, Panel } from "../parts/panel.tsx";
import { Segmented } from "../parts/segmented.tsx";
import { Answered, Empty } from "../parts/states.tsx";
import { Tag } from "../parts/tag.tsx";
import { useTimes } from "../parts/times.ts";
import type { JobGroup, JobRow } from "./job/jobRows.ts";
import { answerOf, GROUPS, rowsOf } from "./job/jobRows.ts";
import { ARCHIVES_PLACE, jobPlace, newCopyPlace, newLifecyclePlace } from "./job/places.ts";

const LIST_SECONDS = 2;

export function JobList(): VNode {
  const { answers, router } = usePage();
  const jobs = useAdmin<JobsAnswer>("jobs", LIST_SECONDS);
  const start = (): void => router.go(newCopyPlace());
  const age = (): void => router.go(newLifecyclePlace());
  useCommands([
    { id: "jobs.new", title: "Start a copy", group: "Jobs", run: start },
    { id: "jobs.newLifecycle", title: "Start a lifecycle", group: "Jobs", run: age },
    {
      id: "jobs.archives",
      title: "Show the archives",
      group: "Jobs",
      run: () => router.go(ARCHIVES_PLACE),
    },
  ]);
  return (
    <Answered of={jobs} loading="Reading the jobs." onRetry={() => answers.urge("jobs")}>
      {(answer) => <Shown rows={rowsOf(answer)} onStart={start} onAge={age} />}
    </Answered>
  );
}

interface ShownProps {
  readonly rows: readonly JobRow[];
  readonly onStart: () => void;
  readonly onAge: () => void;
}

function Shown({ rows, onStart, onAge }: ShownProps): VNode {
  const [wanted, setWanted] = useParameter("state", "all");
  const group = GROUPS.find(({ value }) => value === wanted)?.value ?? "all";
  const found = group === "all" ? rows : rows.filter((row) => row.group === group);
  return (
    <>
      <AnswerHead
        question="Jobs: what is being changed, how far is it, can I stop it?"
        answer={answerOf(rows)}
        tools={
          <>
            <Link to={ARCHIVES_PLACE}>Archives</Link>
            <Button onPress={onAge}>Start a lifecycle…</Button>
            <Button kind="primary" onPress={onStart}>
              Start a copy…
            </Button>
          </>
        }
      />
      {rows.length === 0 ? (
        <FirstJob />
      ) : (
        <Panel title="Jobs" isBare>
          <div class="panelTools">
            <Segmented
              label="State"
              choices={GROUPS.map(({ value, word }) => ({
                value,
                word: counted(word, value, rows),
              }))}
              value={group}
              onChoose={(chosen) => setWanted(chosen, { isStep: true })}
            />
          </div>
          <Table rows={found} onAll={() => setWanted("all")} total={rows.length} />
        </Panel>
      )}
    </>
  );
}

function counted(word: string, group: JobGroup | "all", rows: readonly JobRow[]): string {
  const count = group === "all" ? rows.length : rows.filter((row) => row.group === group).length;
  return `${word} ${count}`;
}

interface TableProps {
  readonly rows: readonly JobRow[];
  readonly total: number;
  readonly onAll: () => void;
}

function Table({ rows, total, onAll }: TableProps): VNode {
  const { router } = usePage();
  const [sort, setSort] = useParameter("sort", "");
  const { dayText } = useTimes();
  if (rows.length === 0) {
    return (
      <Empty
        title={`None of ${total} jobs is in this state.`}
        action={<Button onPress={onAll}>Show all jobs</Button>}
      />
    );
  }
  return (
    <Grid
      label="Jobs"
      columns={columnsWith(dayText)}
      rows={rows}
      keyOf={({ id }) => id}
      onOpen={({ id }) => router.go(jobPlace(id))}
      sort={sort}
      onSort={setSort}
      note={({ reason }) => reason}
    />
  );
}

const SHARE_COLUMN: Column<JobRow> = {
  id: "share",
  title: (
    <>
      May spend
      <br />
      of the rate
    </>
  ),
  isNumber: true,
  isSecondary: true,
  cell: ({ sharePercent }) => (sharePercent === undefined ? "–" : `${sharePercent} %`),
};

function columnsWith(dayText: (at: number) => string): readonly Column<JobRow>[] {
  return [
    {
      id: "job",
      title: "Job",
      sortBy: ({ id }) => id,
      cell: ({ id, kind, about }) => (
        <>
          <Link to={jobPlace(id)}>
            {id}: {kind}
          </Link>
          <br />
          <span class="small">{about}</span>
        </>
      ),
    },
    {
      id: "state",
      title: "State",
      sortBy: ({ word }) => word,
      cell: ({ tone, word }) => <Tag tone={tone} word={word} />,
    },
    {
      id: "progress",
      title: "Progress",
      sortBy: ({ share }) => share ?? -1,
      cell: (row) => <Progress row={row} />,
    },
    {
      id: "rate",
      title: "Rate",
      isSecondary: true,
      cell: ({ rate }) => rate ?? <span class="small">–</span>,
    },
    {
      id: "remaining",
      title: "Remaining",
      isSecondary: true,
      cell: ({ remaining }) => remaining ?? <span class="small">–</span>,
    },
    SHARE_COLUMN,
    {
      id: "started",
      title: "Started",
      isSecondary: true,
      sortBy: ({ startedAt }) => startedAt,
      cell: ({ startedAt }) => dayText(startedAt),
    },
  ];
}

function Progress({ row: { share, progress } }: { readonly row: JobRow }): VNode {
  return (
    <div class="jobProgress">
      <strong>{shareText(share)}</strong> <span class="small">{progress}</span>
      {share === undefined ? null : <Meter share={share} />}
    </div>
  );
}

const COMMAND = 'orrery copy shop/orders shop/orders2 --key "/tenantId,/userId" --dry-run';

/** A server without jobs: what would be here, and how to get it. */
function FirstJob(): VNode {
  return (
    <Panel title="No job yet">
      <p>
        Splits and merges of physical partitions, copies to another key, views, lifecycles of data
        that ages, archives and restores stand here while they are at work, each with how far it is
        and what can be asked of it.
      </p>
      <p>
        A partition key cannot be changed in place: a copy makes another container under the new
        key, follows what is written meanwhile, takes over when you say so, and can be reverted.
      </p>
      <p>
        <Link to={newCopyPlace()}>Start a copy</Link>, or on the command line (docs/use/copy.md):
      </p>
      <CodeRow about="Look at what a copy would meet with; nothing is written:" code={COMMAND}>
        <CopyButton text={COMMAND} what="the command" />
      </CodeRow>
    </Panel>
  );
}
