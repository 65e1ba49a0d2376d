/** After the cut-over: what it did, who still speaks in old terms, the way back and the end. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { counted, countText, millisText } from "../../../base/wording.ts";
import type { CutOverReport } from "../../../model/copyJob.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Tag } from "../../parts/tag.tsx";
import { useTimes } from "../../parts/times.ts";
import { isOver, lagText, nameOf } from "../job/jobWords.ts";
import type { JobPanelProps } from "../job/stepTaking.ts";
import { aboutStep, mayTake } from "../job/stepTaking.ts";

interface WayBackProps extends JobPanelProps {
  readonly cutOver: CutOverReport;
}

export function WayBackPanel({ job, cutOver, steps }: WayBackProps): VNode {
  const { dayText } = useTimes();
  const { at, attempts, heldMs, longestWaitMs, waitedCount, inOldTerms } = cutOver;
  return (
    <>
      <Panel title="The cut-over" beside={<span class="small">{dayText(at)}</span>}>
        <p>
          Writes were held for <strong>{millisText(heldMs)}</strong>;{" "}
          {waitedCount === 0 ? "none had to wait" : waitedText(waitedCount, longestWaitMs)}
          {attempts > 1 ? `. It took ${attempts} attempts` : ""}.
        </p>
        {cutOver.switchBy === "application" ? null : inOldTerms.length === 0 ? (
          <p class="small">No request since then spoke in terms of the old key.</p>
        ) : (
          <>
            <p>
              These programs still speak in terms of the old key. They are understood until the job
              is completed:
            </p>
            <ul class="plainList">
              {inOldTerms.map(({ program, count }) => (
                <li key={program}>
                  <code>{program}</code>: {counted(count, "request")}
                </li>
              ))}
            </ul>
          </>
        )}
      </Panel>
      {isOver(job) ? null : <WayBack job={job} steps={steps} />}
    </>
  );
}

function waitedText(count: number, longestMs: number): string {
  return `${counted(count, "request")} waited, the longest for ${millisText(longestMs)}`;
}

function WayBack({ job, steps }: JobPanelProps): VNode {
  const [asked, setAsked] = useState<"revert" | "complete" | undefined>(undefined);
  const { wayBack } = job;
  const isOpen = wayBack?.isOpen === true;
  const old = nameOf(job.source);
  const close = (): void => setAsked(undefined);
  const revert = (): void => {
    close();
    void steps.take("revert", {}, "Switched back.");
  };
  const whyNoRevert = isOpen
    ? undefined
    : (wayBack?.reason ?? "Items stand in the way; see below.");
  return (
    <Panel
      title="The way back"
      beside={<Tag tone={isOpen ? "good" : "warn"} word={isOpen ? "open" : "closed"} />}
    >
      <p>
        The old container, now {old}, gets every write of the new one:{" "}
        {wayBack === undefined ? "nobody knows how far it is" : lagText(wayBack.lag)}. Reverting
        switches back and loses nothing.
      </p>
      <InTheWay job={job} />
      <p class="tools">
        <Button
          onPress={() => setAsked("revert")}
          whyNot={mayTake(job, "revert") ? whyNoRevert : "Not now."}
        >
          Revert…
        </Button>
        <Button
          kind="primary"
          onPress={() => setAsked("complete")}
          whyNot={mayTake(job, "complete") ? undefined : "Not now."}
        >
          Complete the job…
        </Button>
      </p>
      {asked === "revert" ? (
        <Confirm
          title={`Revert the cut-over of job ${job.id}?`}
          action="Revert the cut-over"
          onConfirm={revert}
          onClose={close}
        >
          <p>{aboutStep(job, "revert")} Writes are held for a moment.</p>
        </Confirm>
      ) : null}
      {asked === "complete" ? <Completing job={job} steps={steps} onClose={close} /> : null}
    </Panel>
  );
}

/** Items that keep the old container from taking over again. */
function InTheWay({ job: { wayBack } }: Pick<JobPanelProps, "job">): VNode | null {
  if (wayBack === undefined || wayBack.obstacles.length === 0) return null;
  return (
    <ul class="plainList">
      {wayBack.obstacles.map(({ id, reason }) => (
        <li key={id}>
          <code>{id}</code>: {reason ?? "cannot go back"}
        </li>
      ))}
    </ul>
  );
}

interface CompletingProps extends JobPanelProps {
  readonly onClose: () => void;
}

/** The question before the last step: the old container is kept unless somebody says otherwise. */
function Completing({ job, steps, onClose }: CompletingProps): VNode {
  const [isKept, setKept] = useState(true);
  const confirm = (): void => {
    onClose();
    void steps.take("complete", { keepOld: isKept }, "The job is being completed.");
  };
  return (
    <Confirm
      title={`Complete job ${job.id}?`}
      action={isKept ? "Complete and keep the old container" : "Complete and delete the old one"}
      isDangerous={!isKept}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        After this there is no way back, and programs that speak in terms of the old key are no
        longer understood
        {oldCount(job.cutOver)}.
      </p>
      <p>
        <label class="check">
          <input
            type="checkbox"
            checked={isKept}
            onChange={(event) => setKept(event.currentTarget.checked)}
          />{" "}
          Keep the old container {nameOf(job.source)}
        </label>
      </p>
      {isKept ? null : <p>{aboutStep(job, "complete")}</p>}
    </Confirm>
  );
}

function oldCount(cutOver: CutOverReport | undefined): string {
  const count = (cutOver?.inOldTerms ?? []).reduce((sum, each) => sum + each.count, 0);
  return count === 0 ? "" : ` (${countText(count)} requests since the cut-over were)`;
}
