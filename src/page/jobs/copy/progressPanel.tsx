/** How far a copy is: both sides, the figures with what they rest on, and what it may spend. */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { counted, countText, shortBytesText, threeDigits } from "../../../base/wording.ts";
import type { CopyJobEntry } from "../../../model/copyJob.ts";
import { Button } from "../../parts/button.tsx";
import { Link } from "../../parts/link.tsx";
import { Meter } from "../../parts/meter.tsx";
import { Notice } from "../../parts/notice.tsx";
import { shareText } from "../../parts/numbers.ts";
import { Panel } from "../../parts/panel.tsx";
import { Tag } from "../../parts/tag.tsx";
import { placeAt } from "../../session/place.ts";
import { progressText, shareOf } from "../job/jobRows.ts";
import {
  BOUND_WORDS,
  fallingBehindText,
  isOver,
  keptText,
  lagText,
  nameOf,
  remainingText,
  stateOf,
} from "../job/jobWords.ts";
import type { JobPanelProps } from "../job/stepTaking.ts";
import { aboutStep, mayTake } from "../job/stepTaking.ts";

export function ProgressPanel({ job, steps }: JobPanelProps): VNode {
  const { source, target } = job;
  const { tone, word } = stateOf(job);
  const share = shareOf(job);
  const isBack = job.state === "switched" || job.state === "holdingBack";
  const behind = fallingBehindText(job.progress.lag);
  return (
    <Panel title="Progress" beside={<Tag tone={tone} word={word} />}>
      <div class="stack tight">
        <p class="way">
          <Link to={placeAt("partitions", source)}>{nameOf(source)}</Link>
          <span aria-hidden="true">{isBack ? "←" : "→"}</span>
          <span class="unseen">{isBack ? "is kept current from" : "is copied to"}</span>
          <Link to={placeAt("partitions", target)}>{nameOf(target)}</Link>
        </p>
        <p>
          <strong>{shareText(share)}</strong> copied: {progressText(job)}
        </p>
        {share === undefined ? null : <Meter share={share} />}
        {behind === undefined ? null : (
          <Notice tone="warn" word="warning" title="The copy does not catch up">
            <p>{behind}</p>
          </Notice>
        )}
        <Figures job={job} />
        {mayTake(job, "throttle") ? <Share key={job.id} job={job} steps={steps} /> : null}
      </div>
    </Panel>
  );
}

function Figures({ job }: { readonly job: CopyJobEntry }): VNode {
  const { progress } = job;
  const { itemsPerSecond, bytesPerSecond, remaining, lag } = progress;
  const isWorking = !isOver(job);
  const isGettingOn = job.state === "copying" || job.state === "catchingUp";
  const kept = remaining && keptText(remaining);
  return (
    <dl class="figures">
      {isWorking ? (
        <>
          <Figure name="Rate, last half minute">
            {threeDigits(itemsPerSecond)} items/s, {shortBytesText(bytesPerSecond)}/s
          </Figure>
          {isGettingOn ? (
            <Figure name="Remaining">
              {remaining === undefined ? "nothing tells yet" : remainingText(remaining)}
              {kept === undefined ? null : <span class="small"> {kept}</span>}
            </Figure>
          ) : null}
          <Figure name="Lag">{lagText(lag)}</Figure>
        </>
      ) : null}
      <Figure name="Changes applied since the start">
        {countText(progress.changeCount)}, of them {counted(progress.removedCount, "removal")}
      </Figure>
      <Figure name="Spent">
        {countText(progress.readRu)} RU on reading, {countText(progress.writeRu)} RU on writing
      </Figure>
    </dl>
  );
}

function Figure({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <div>
      <dt class="small">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What the job may spend: moved first, then said, so that the way there changes nothing. */
function Share({ job, steps }: JobPanelProps): VNode {
  const id = useId();
  const { sharePercent, effectivePercent, bound } = job.throttle;
  const [chosen, setChosen] = useState(sharePercent);
  useEffect(() => setChosen(sharePercent), [sharePercent]);
  const isChanged = chosen !== sharePercent;
  const now =
    effectivePercent < sharePercent ? `At present ${Math.round(effectivePercent)} %. ` : "";
  return (
    <div class="share">
      <label for={id}>
        <strong>May spend {chosen} %</strong> of the rate of each physical partition
      </label>
      <input
        id={id}
        type="range"
        min={1}
        max={100}
        value={chosen}
        aria-describedby={`${id}h`}
        onInput={(event) => setChosen(Number(event.currentTarget.value))}
      />
      <p class="small" id={`${id}h`}>
        {now}
        {bound === "nothing" ? "Nothing holds it up now" : `Limited by ${BOUND_WORDS[bound]}`}. What
        is left, at least {100 - chosen} %, is for clients.
      </p>
      {isChanged ? (
        <p class="tools">
          <Button
            onPress={() =>
              void steps.take(
                "throttle",
                { sharePercent: chosen },
                `The job may spend ${chosen} % now.`,
              )
            }
          >
            Let it spend {chosen} %
          </Button>
          <Button kind="quiet" onPress={() => setChosen(sharePercent)}>
            Keep {sharePercent} %
          </Button>
          <span class="small">{aboutStep(job, "throttle")}</span>
        </p>
      ) : null}
    </div>
  );
}
