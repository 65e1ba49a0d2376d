/** An archive that is made, or a restore: how far it is, what it left out, what can be asked. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { bytesText, counted, countText, durationText } from "../../../base/wording.ts";
import type { ArchiveItem, ArchiveJobEntry, ArchiveStep } from "../../../model/archiveJob.ts";
import { useCommands } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Disclosure } from "../../parts/disclosure.tsx";
import { Link } from "../../parts/link.tsx";
import { Meter } from "../../parts/meter.tsx";
import { AnswerHead, Panel } from "../../parts/panel.tsx";
import { Failed } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { useTimes } from "../../parts/times.ts";
import { placeAt } from "../../session/place.ts";
import { archivedText, archiveShare } from "../job/archiveProgress.ts";
import { EventsPanel } from "../job/eventsPanel.tsx";
import { Figure } from "../job/figure.tsx";
import { kindOf } from "../job/jobRows.ts";
import { BOUND_WORDS, isOver, nameOf, stateOf } from "../job/jobWords.ts";
import { archivePlace } from "../job/places.ts";
import { aboutStep, mayTake, useSteps } from "../job/stepTaking.ts";

interface ArchiveJobProps {
  readonly job: ArchiveJobEntry;
}

export function ArchiveJobDetail({ job }: ArchiveJobProps): VNode {
  const { dayText } = useTimes();
  const { word } = stateOf(job);
  const ended = job.endedAt === undefined ? "" : `, ended ${dayText(job.endedAt)}`;
  const reason = job.reason === undefined ? "" : ` ${job.reason}`;
  const said = `${word.charAt(0).toUpperCase()}${word.slice(1)}: ${archivedText(job)}.${reason}`;
  return (
    <>
      <AnswerHead
        question={`Job ${job.id}: ${kindOf(job)} of ${nameOf(job)}`}
        answer={said}
        more={`Started ${dayText(job.startedAt)}${ended}.`}
        tools={isOver(job) ? undefined : <Stopping job={job} />}
      />
      <div class="mainAndSide">
        <div class="stack">
          <ProgressPanel job={job} />
          <PlanPanel job={job} />
          <LeftPanel job={job} />
        </div>
        <EventsPanel events={job.events} />
      </div>
    </>
  );
}

/** Pause, resume and cancel, with what each leaves behind. */
function Stopping({ job }: ArchiveJobProps): VNode {
  const steps = useSteps<ArchiveStep>(job.id);
  const [isAsking, setAsking] = useState(false);
  const isAtRest = mayTake(job, "resume");
  const take = (): void =>
    void steps.take(
      isAtRest ? "resume" : "pause",
      {},
      isAtRest ? "The job goes on." : "The job stands still.",
    );
  const title = isAtRest ? "Resume the job" : "Pause the job";
  useCommands([{ id: "jobs.pause", title: `${title} ${job.id}`, group: "Jobs", run: take }]);
  return (
    <>
      {isAtRest || mayTake(job, "pause") ? <Button onPress={take}>{title}</Button> : null}
      {mayTake(job, "cancel") ? (
        <Button kind="danger" onPress={() => setAsking(true)}>
          Cancel the job…
        </Button>
      ) : null}
      {steps.failure === undefined ? null : <Failed failure={steps.failure} />}
      {isAsking ? (
        <Confirm
          title={`Cancel job ${job.id}?`}
          action={`Cancel job ${job.id}`}
          isDangerous
          onConfirm={() => {
            setAsking(false);
            void steps.take("cancel", {}, "The job is being cancelled.");
          }}
          onClose={() => setAsking(false)}
        >
          <p>{aboutStep(job, "cancel")}</p>
        </Confirm>
      ) : null}
    </>
  );
}

function ProgressPanel({ job }: ArchiveJobProps): VNode {
  const { tone, word } = stateOf(job);
  const { progress, throttle, kind } = job;
  const share = archiveShare(job);
  const isDone = ["archived", "kept", "restored"].includes(job.state);
  return (
    <Panel title="Progress" beside={<Tag tone={tone} word={word} />}>
      <div class="stack tight">
        <p class="way">
          <Link to={placeAt("partitions", job)}>{nameOf(job)}</Link>
          <span aria-hidden="true">{kind === "archive" ? "→" : "←"}</span>
          <span class="unseen">{kind === "archive" ? "is archived to" : "is restored from"}</span>
          {kind === "restore" || isDone ? (
            <Link to={archivePlace(job.folder)}>{job.folder}</Link>
          ) : (
            <span>{job.folder}</span>
          )}
        </p>
        <p>{archivedText(job)}</p>
        {share === undefined ? null : <Meter share={share} />}
        <dl class="figures">
          {kind === "archive" ? (
            <>
              <Figure name="Logical partitions">{countText(progress.partitionCount)}</Figure>
              <Figure name="Read back and right">{counted(progress.provenCount, "item")}</Figure>
              <Figure name="Changed or new meanwhile, and kept">
                {countText(progress.changedCount)} changed, {countText(progress.newCount)} new
              </Figure>
            </>
          ) : (
            <Figure name="There and different">{countText(job.conflicts?.count ?? 0)}</Figure>
          )}
          <Figure name="Spent">
            {countText(progress.readRu)} RU on reading, {countText(progress.writeRu)} RU on writing
          </Figure>
          {isOver(job) ? null : (
            <Figure name="May spend">
              {throttle.sharePercent} %
              {throttle.bound === "nothing" ? "" : `, limited by ${BOUND_WORDS[throttle.bound]}`}
            </Figure>
          )}
        </dl>
      </div>
    </Panel>
  );
}

function PlanPanel({ job: { plan } }: ArchiveJobProps): VNode | null {
  const { dayText } = useTimes();
  if (plan === undefined) return null;
  return (
    <Panel title="The plan">
      <dl class="figures">
        <Figure name="Would be archived">
          {counted(plan.itemCount, "item")}, {bytesText(plan.itemBytes)}, of{" "}
          {counted(plan.partitionCount, "logical partition")}
        </Figure>
        <Figure name="Price">
          {countText(plan.price.readRu)} RU on reading, {countText(plan.price.deleteRu)} RU on
          deleting
        </Figure>
        <Figure name="Time">
          {plan.seconds === undefined ? "no rate limits it" : `about ${durationText(plan.seconds)}`}
        </Figure>
      </dl>
      <ul class="plainList">
        {plan.partitions.map(({ key, itemCount, dateMin, dateMax }) => (
          <li key={JSON.stringify(key)}>
            <code>{JSON.stringify(key)}</code>: {counted(itemCount, "item")}
            {dateMin === undefined || dateMax === undefined
              ? ""
              : `, ${dayText(dateMin)} to ${dayText(dateMax)}`}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** What was not archived, or not restored, and why. */
function LeftPanel({ job: { leftOut, partly = [], conflicts } }: ArchiveJobProps): VNode | null {
  const left = (leftOut?.youngCount ?? 0) + (leftOut?.undatedCount ?? 0);
  if (left === 0 && partly.length === 0 && (conflicts?.count ?? 0) === 0) return null;
  return (
    <Panel title="Left as it is">
      {left === 0 || leftOut === undefined ? null : (
        <>
          <p>
            {counted(leftOut.youngCount, "logical partition")} with an item that is too young,{" "}
            {countText(leftOut.undatedCount)} with one whose age nobody can tell.
          </p>
          <Items items={leftOut.examples} />
        </>
      )}
      {partly.length === 0 ? null : (
        <ul class="plainList">
          {partly.map(({ key, changedCount, newCount }) => (
            <li key={JSON.stringify(key)}>
              <code>{JSON.stringify(key)}</code> is archived in part: {countText(changedCount)}{" "}
              changed, {countText(newCount)} new.
            </li>
          ))}
        </ul>
      )}
      {conflicts === undefined || conflicts.count === 0 ? null : (
        <>
          <p>{counted(conflicts.count, "item")} are there and differ; they were left alone.</p>
          <Items items={conflicts.examples} />
        </>
      )}
    </Panel>
  );
}

function Items({ items }: { readonly items: readonly ArchiveItem[] }): VNode | null {
  if (items.length === 0) return null;
  return (
    <Disclosure summary="Some of them, with the reason">
      <ul class="plainList">
        {items.map(({ id, key, reason }) => (
          <li key={`${id} ${JSON.stringify(key)}`}>
            <code>{id}</code> of <code>{JSON.stringify(key)}</code>: {reason}
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}
