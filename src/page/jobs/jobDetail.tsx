/** One job of any kind: which of the views shows it, and the view of a split or merge. */
import type { VNode } from "preact";
import { counted, countText, durationText } from "../../base/wording.ts";
import type { JobEntry } from "../../protocol/admin.ts";
import { useAdmin, usePage } from "../control/page.ts";
import { Link } from "../parts/link.tsx";
import { Meter } from "../parts/meter.tsx";
import { AnswerHead, Panel } from "../parts/panel.tsx";
import { Answered } from "../parts/states.tsx";
import { Tag } from "../parts/tag.tsx";
import { useTimes } from "../parts/times.ts";
import { placeAt } from "../session/place.ts";
import { ArchiveJobDetail } from "./archive/archiveDetail.tsx";
import { CopyDetail } from "./copy/copyDetail.tsx";
import { kindOf } from "./job/jobRows.ts";
import {
  isArchive,
  isCopy,
  isLifecycle,
  isOver,
  nameOf,
  type ShownJob,
  stateOf,
} from "./job/jobWords.ts";
import { jobRoute, LIST_PLACE } from "./job/places.ts";
import { LifecycleDetail } from "./lifecycle/lifecycleDetail.tsx";

const WORKING_SECONDS = 1;
const ENDED_SECONDS = 30;

export function JobDetail({ id }: { readonly id: string }): VNode {
  const { answers } = usePage();
  const route = jobRoute(id);
  const { job: known } = answers.peek<{ readonly job?: ShownJob }>(route).value ?? {};
  const isEnded = known !== undefined && isOver(known);
  const answer = useAdmin<{ readonly job: ShownJob }>(
    route,
    isEnded ? ENDED_SECONDS : WORKING_SECONDS,
  );
  return (
    <>
      <p class="small">
        <Link to={LIST_PLACE}>All jobs</Link>
      </p>
      {answer.value === undefined ? <h1 class="unseen">Job {id}</h1> : null}
      <Answered
        of={answer}
        loading={`Reading job ${id}.`}
        rows={8}
        onRetry={() => answers.urge(route)}
      >
        {({ job }) => <Shown job={job} />}
      </Answered>
    </>
  );
}

function Shown({ job }: { readonly job: ShownJob }): VNode {
  if (isCopy(job)) return <CopyDetail job={job} />;
  if (isLifecycle(job)) return <LifecycleDetail job={job} />;
  return isArchive(job) ? <ArchiveJobDetail job={job} /> : <ReshapeDetail job={job} />;
}

const REASONS: Readonly<Record<JobEntry["reason"], string>> = {
  storage: "because of the size of the physical partition",
  throughput: "because of the rate of the container",
  request: "because somebody asked for it",
};

const VERBS = { failed: "failed", cancelled: "was cancelled" } as const;

function ReshapeDetail({ job }: { readonly job: JobEntry }): VNode {
  const { dayText } = useTimes();
  const { outcome, copiedCount, totalCount } = job;
  const { tone, word } = stateOf(job);
  const subject = `The ${job.kind} of ${job.partitionIds.join(" and ")}`;
  const answer =
    outcome === undefined
      ? `${subject} is ${word}; reads and writes go on meanwhile.`
      : outcome.state === "done"
        ? `${subject} is done; now there are ${outcome.newPartitionIds.join(" and ")}.`
        : `${subject} ${VERBS[outcome.state]}: ${outcome.reason}`;
  return (
    <>
      <AnswerHead
        question={`Job ${job.id}: ${kindOf(job)} of ${nameOf(job)}`}
        answer={answer}
        more={`Started ${dayText(job.startedAt)}, ${REASONS[job.reason]}.`}
      />
      <Panel title="Progress" beside={<Tag tone={tone} word={word} />}>
        <p>
          {countText(copiedCount)} of {counted(totalCount, "change")} copied
          {outcome === undefined ? "" : `, in ${durationText(outcome.seconds)}`}.
        </p>
        {totalCount === 0 ? null : <Meter share={Math.min(1, copiedCount / totalCount)} />}
        <p>
          <Link to={placeAt("partitions", job)}>See the physical partitions of {nameOf(job)}</Link>
        </p>
      </Panel>
    </>
  );
}
