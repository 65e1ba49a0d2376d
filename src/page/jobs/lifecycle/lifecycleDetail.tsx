/** A lifecycle in full: what it has moved, what waits, its settings and what can be asked. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { bytesText, counted, countText, durationText } from "../../../base/wording.ts";
import type { LifecycleEntry, LifecycleStep } from "../../../model/lifecycle.ts";
import type { UnmovedAnswer } from "../../../protocol/admin.ts";
import { useAdmin, useCommands } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { CodeBox } from "../../parts/codeBox.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Disclosure } from "../../parts/disclosure.tsx";
import { Link } from "../../parts/link.tsx";
import { Notice } from "../../parts/notice.tsx";
import { AnswerHead, Panel } from "../../parts/panel.tsx";
import { Answered, Empty, Failed } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { useTimes } from "../../parts/times.ts";
import { placeAt } from "../../session/place.ts";
import { EventsPanel } from "../job/eventsPanel.tsx";
import { Figure } from "../job/figure.tsx";
import { BOUND_WORDS, isOver, nameOf, stateOf } from "../job/jobWords.ts";
import { lifecycleRoute } from "../job/places.ts";
import type { StepTaking } from "../job/stepTaking.ts";
import { aboutStep, mayTake, useStepsAt } from "../job/stepTaking.ts";
import { answerOf, dueText } from "./lifecycleAnswer.ts";
import { SettingsPanel } from "./settingsPanel.tsx";

const SET_ASIDE_SECONDS = 10;

interface LifecycleProps {
  readonly job: LifecycleEntry;
  readonly steps: StepTaking<LifecycleStep>;
}

export function LifecycleDetail({ job }: { readonly job: LifecycleEntry }): VNode {
  const { dayText } = useTimes();
  const steps = useStepsAt<LifecycleStep>(lifecycleRoute(job.id));
  const ended = job.endedAt === undefined ? "" : `, ended ${dayText(job.endedAt)}`;
  return (
    <>
      <AnswerHead
        question={`Job ${job.id}: lifecycle, ${nameOf(job.hot)} to ${nameOf(job.warm)}`}
        answer={answerOf(job)}
        more={`Started ${dayText(job.startedAt)}${ended}.`}
        tools={<Steps job={job} steps={steps} />}
      />
      {steps.failure === undefined ? null : <Failed failure={steps.failure} />}
      {job.warnings.map((warning) => (
        <Notice key={warning} tone="warn" word="warning" title="Not as it should be">
          <p>{warning}</p>
        </Notice>
      ))}
      <div class="mainAndSide">
        <div class="stack">
          <ProgressPanel job={job} />
          {job.setAsideCount === 0 || isOver(job) ? null : <SetAside job={job} />}
          <Rounds job={job} />
        </div>
        <div class="stack">
          <SettingsPanel key={job.id} job={job} steps={steps} />
          <EventsPanel events={job.events} />
        </div>
      </div>
    </>
  );
}

const SAID: Readonly<Record<"pause" | "resume" | "run", string>> = {
  pause: "The lifecycle stands still.",
  resume: "The lifecycle goes on.",
  run: "A round begins.",
};
const WORDS = { pause: "Pause", resume: "Resume", run: "Run a round now" } as const;

/** Those steps that make sense now, each with what it leaves behind. */
function Steps({ job, steps }: LifecycleProps): VNode {
  const [isAsking, setAsking] = useState(false);
  const now = (["run", "pause", "resume"] as const).filter((step) => mayTake(job, step));
  const take = (step: "pause" | "resume" | "run"): void => void steps.take(step, {}, SAID[step]);
  useCommands(
    now.map((step) => ({
      id: `jobs.${step}`,
      title: `${WORDS[step]}: lifecycle ${job.id}`,
      group: "Jobs",
      run: () => take(step),
    })),
  );
  return (
    <>
      {now.map((step) => (
        <Button key={step} onPress={() => take(step)}>
          {WORDS[step]}
        </Button>
      ))}
      {mayTake(job, "stop") ? (
        <Button kind="danger" onPress={() => setAsking(true)}>
          Stop for good…
        </Button>
      ) : null}
      {isAsking ? (
        <Confirm
          title={`Stop lifecycle ${job.id}?`}
          action={`Stop lifecycle ${job.id}`}
          isDangerous
          onConfirm={() => {
            setAsking(false);
            void steps.take("stop", {}, "The lifecycle has ended.");
          }}
          onClose={() => setAsking(false)}
        >
          <p>{aboutStep(job, "stop")} Both containers stay.</p>
          {mayTake(job, "pause") ? (
            <p class="small">Pausing instead: {aboutStep(job, "pause")}</p>
          ) : null}
        </Confirm>
      ) : null}
    </>
  );
}

function ProgressPanel({ job }: { readonly job: LifecycleEntry }): VNode {
  const { dayText, timeText } = useTimes();
  const { tone, word } = stateOf(job);
  const { totals, throttle, settledBefore, warmOldestAt, nextRoundAt } = job;
  const isWorking = !isOver(job);
  return (
    <Panel title="Progress" beside={<Tag tone={tone} word={word} />}>
      <div class="stack tight">
        <p class="way">
          <Link to={placeAt("partitions", job.hot)}>{nameOf(job.hot)}</Link>
          <span aria-hidden="true">→</span>
          <span class="unseen">is moved to</span>
          <Link to={placeAt("partitions", job.warm)}>{nameOf(job.warm)}</Link>
        </p>
        <dl class="figures">
          {isWorking ? (
            <>
              <Figure name="Waits in hot">{dueText(job)}</Figure>
              <Figure name="All before this is in warm">
                {settledBefore === undefined
                  ? "not known yet; ask both containers"
                  : dayText(settledBefore)}
              </Figure>
              <Figure name="Nothing from here on is in warm alone">
                {dayText(job.movedBefore)}
              </Figure>
              <Figure name="Changes of hot not looked at">{countText(job.lagCount)}</Figure>
            </>
          ) : null}
          {nextRoundAt === undefined ? null : (
            <Figure name="Next round">{timeText(nextRoundAt)}</Figure>
          )}
          <Figure name="Moved since the start">
            {counted(totals.moved, "item")}, {bytesText(totals.movedBytes)}
          </Figure>
          <Figure name="Followed in warm">
            {counted(totals.edited, "edit")}, {counted(totals.removed, "removal")},{" "}
            {countText(totals.returned)} young again
          </Figure>
          <Figure name="Spent">{countText(totals.ru)} RU</Figure>
          {isWorking ? (
            <Figure name="May spend">
              {throttle.sharePercent} %
              {throttle.bound === "nothing" ? "" : `, limited by ${BOUND_WORDS[throttle.bound]}`}
            </Figure>
          ) : null}
          {warmOldestAt === undefined ? null : (
            <Figure name="Oldest item of warm">{dayText(warmOldestAt)}</Figure>
          )}
        </dl>
      </div>
    </Panel>
  );
}

function SetAside({ job }: { readonly job: LifecycleEntry }): VNode {
  const route = `${lifecycleRoute(job.id)}/setAside`;
  const answer = useAdmin<UnmovedAnswer>(route, SET_ASIDE_SECONDS);
  const count = `${job.isSetAsideCountExact ? "" : "at least "}${countText(job.setAsideCount)}`;
  return (
    <Panel title="Set aside" isBare beside={<Tag tone="warn" word={count} />}>
      <p class="panelText">
        These items stay in hot. They are tried again in every round; mend what the reason says.
      </p>
      <Answered of={answer} loading="Reading what was set aside.">
        {({ items }) => (
          <div class="scroll">
            <table>
              <caption class="unseen">Items that could not be moved</caption>
              <thead>
                <tr>
                  <th scope="col">Item</th>
                  <th scope="col">Key</th>
                  <th scope="col">Why</th>
                </tr>
              </thead>
              <tbody>
                {items.map(({ id, key, reason, attempts, document }) => (
                  <tr key={`${id} ${JSON.stringify(key)}`}>
                    <th scope="row">
                      <code>{id}</code>
                    </th>
                    <td>
                      <code>{JSON.stringify(key)}</code>
                    </td>
                    <td>
                      {reason} <span class="small">Tried {counted(attempts, "time")}.</span>
                      {document === undefined ? null : (
                        <Disclosure summary="The item now">
                          <CodeBox code={JSON.stringify(document, undefined, 2)} />
                        </Disclosure>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Answered>
    </Panel>
  );
}

function Rounds({ job }: { readonly job: LifecycleEntry }): VNode {
  const { dayText } = useTimes();
  if (job.rounds.length === 0) {
    return (
      <Panel title="Rounds">
        <Empty title="No round has ended yet.">
          A round looks for what has become due since the one before, every{" "}
          {durationText(job.intervalSeconds)}.
        </Empty>
      </Panel>
    );
  }
  return (
    <Panel title="Rounds" isBare>
      <div class="scroll">
        <table>
          <caption class="unseen">The last rounds, the latest first</caption>
          <thead>
            <tr>
              <th scope="col">Ended</th>
              <th scope="col">Due: dated before</th>
              <th scope="col" class="number">
                Moved
              </th>
              <th scope="col" class="number">
                Set aside
              </th>
              <th scope="col" class="number">
                RU
              </th>
            </tr>
          </thead>
          <tbody>
            {job.rounds.toReversed().map((round) => (
              <tr key={round.startedAt}>
                <th scope="row">{dayText(round.endedAt)}</th>
                <td>{dayText(round.cutoff)}</td>
                <td class="number">{countText(round.movedCount)}</td>
                <td class="number">{countText(round.setAsideCount)}</td>
                <td class="number">{countText(round.ru)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
