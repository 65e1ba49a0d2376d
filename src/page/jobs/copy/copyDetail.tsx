/** A copy or a view in full: where it is on its way, what it does, and what can be asked of it. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { CopyJobEntry } from "../../../model/copyJob.ts";
import { useCommands } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { AnswerHead } from "../../parts/panel.tsx";
import { Failed } from "../../parts/states.tsx";
import { useTimes } from "../../parts/times.ts";
import { EventsPanel } from "../job/eventsPanel.tsx";
import { kindOf } from "../job/jobRows.ts";
import { nameOf } from "../job/jobWords.ts";
import type { JobPanelProps } from "../job/stepTaking.ts";
import { aboutStep, mayTake, useSteps } from "../job/stepTaking.ts";
import { answerOf, phasesOf } from "./copyPhases.ts";
import { CutOverPanel } from "./cutOverPanel.tsx";
import { MirrorPanel } from "./mirrorPanel.tsx";
import { PhaseSteps } from "./phaseSteps.tsx";
import { PlanPanel } from "./planPanel.tsx";
import { ProgressPanel } from "./progressPanel.tsx";
import { SetAsidePanel } from "./setAsidePanel.tsx";
import { VerificationPanel } from "./verificationPanel.tsx";
import { WayBackPanel } from "./wayBackPanel.tsx";

export function CopyDetail({ job }: { readonly job: CopyJobEntry }): VNode {
  const { dayText } = useTimes();
  const steps = useSteps(job.id);
  const { source, target, asked, endedAt } = job;
  const isDryRun = asked.isDryRun === true;
  const isCopying = job.kind === "copy" && !isDryRun;
  const isOnline = isCopying && asked.mode === "online";
  const isVerifiable =
    job.endedAt === undefined || job.verification.state !== "none" || mayTake(job, "verify");
  const ended = endedAt === undefined ? "" : `, ended ${dayText(endedAt)}`;
  return (
    <>
      <AnswerHead
        question={`Job ${job.id}: ${kindOf(job)}, ${nameOf(source)} to ${nameOf(target)}`}
        answer={answerOf(job)}
        more={`Started ${dayText(job.startedAt)}${ended}.`}
        tools={<Stopping job={job} steps={steps} />}
      />
      {steps.failure === undefined ? null : <Failed failure={steps.failure} />}
      {isCopying ? <PhaseSteps phases={phasesOf(job)} /> : null}
      <div class="mainAndSide">
        <div class="stack">
          {isDryRun ? null : <ProgressPanel job={job} steps={steps} />}
          {isOnline && (mayTake(job, "mirror") || job.mirror !== undefined) ? (
            <MirrorPanel job={job} steps={steps} />
          ) : null}
          {job.setAside.count === 0 ? null : <SetAsidePanel job={job} />}
          {job.plan === undefined ? null : <PlanPanel plan={job.plan} isClosed={!isDryRun} />}
          {isDryRun ? <EventsPanel events={job.events} /> : null}
        </div>
        <div class="stack">
          {isOnline && job.endedAt === undefined && job.cutOver === undefined ? (
            <CutOverPanel job={job} steps={steps} />
          ) : null}
          {job.cutOver === undefined ? null : (
            <WayBackPanel job={job} cutOver={job.cutOver} steps={steps} />
          )}
          {isCopying && isVerifiable ? <VerificationPanel job={job} steps={steps} /> : null}
          {isDryRun ? null : <EventsPanel events={job.events} />}
        </div>
      </div>
    </>
  );
}

/** Pause, resume and cancel: those of them that make sense now. */
function Stopping({ job, steps }: JobPanelProps): VNode {
  const [isAsking, setAsking] = useState(false);
  const [isDropped, setDropped] = useState(false);
  const [may, resume] = [mayTake(job, "pause"), mayTake(job, "resume")];
  const pauseOrResume = resume ? "resume" : "pause";
  const take = (): void =>
    void steps.take(pauseOrResume, {}, resume ? "The job goes on." : "The job stands still.");
  const cancel = (): void => {
    setAsking(false);
    void steps.take("cancel", { dropTarget: isDropped }, "The job is being cancelled.");
  };
  useCommands([
    ...(may || resume
      ? [
          {
            id: "jobs.pause",
            title: resume ? `Resume job ${job.id}` : `Pause job ${job.id}`,
            group: "Jobs",
            run: take,
          },
        ]
      : []),
  ]);
  return (
    <>
      {may || resume ? (
        <Button onPress={take}>{resume ? "Resume the job" : "Pause the job"}</Button>
      ) : null}
      {mayTake(job, "cancel") ? (
        <Button kind="danger" onPress={() => setAsking(true)}>
          Cancel the job…
        </Button>
      ) : null}
      {isAsking ? (
        <Confirm
          title={`Cancel job ${job.id}?`}
          action={`Cancel job ${job.id}`}
          isDangerous
          onConfirm={cancel}
          onClose={() => setAsking(false)}
        >
          <p>{aboutStep(job, "cancel")}</p>
          {mayTake(job, "pause") ? (
            <p class="small">Pausing instead: {aboutStep(job, "pause")}</p>
          ) : null}
          <p>
            <label class="check">
              <input
                type="checkbox"
                checked={isDropped}
                onChange={(event) => setDropped(event.currentTarget.checked)}
              />{" "}
              Also delete {nameOf(job.target)}, with what was copied
            </label>
          </p>
        </Confirm>
      ) : null}
    </>
  );
}
