/** Step 4: starts a run, shows how far it is, and lists those there are. */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { LabRunAnswer, LabRunEntry, LabRunsAnswer } from "../../protocol/adminLab.ts";
import { useAdmin, usePage, usePlace } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copyButton.tsx";
import { Link } from "../parts/link.tsx";
import { Panel } from "../parts/panel.tsx";
import { Answered, Empty, Failed } from "../parts/states.tsx";
import type { TagTone } from "../parts/tag.tsx";
import { Tag } from "../parts/tag.tsx";
import { useTimes } from "../parts/times.ts";
import { withParameters } from "../session/place.ts";
import type { AskFailure } from "../session/server.ts";
import { askedDataText, runQuestionOf } from "./labForm.ts";
import type { LabState } from "./labState.ts";
import { hasEnded } from "./labState.ts";

export function RunStep({ lab }: { readonly lab: LabState }): VNode {
  const { run, runAnswer, runId } = lab;
  return (
    <div class="mainAndSide">
      <div class="stack">
        <StartPanel lab={lab} />
        {runId === undefined ? null : (
          <Panel title={`Run ${runId}`}>
            <Answered of={runAnswer} loading="Looking for the run.">
              {({ run: found }) => <RunProgress run={found} lab={lab} />}
            </Answered>
          </Panel>
        )}
      </div>
      <RunList openId={run?.id} />
    </div>
  );
}

function StartPanel({ lab }: { readonly lab: LabState }): VNode {
  const { server, announcer, answers } = usePage();
  const { form, set, setWorkload, run } = lab;
  const [failure, setFailure] = useState<AskFailure | undefined>(undefined);
  const [isSending, setSending] = useState(false);
  const question = runQuestionOf(form);
  const start = async (): Promise<void> => {
    if (!question.ok || isSending) return;
    setSending(true);
    const answer = await server.change<LabRunAnswer>("POST", "lab/runs", question.value);
    setSending(false);
    setFailure(answer.ok ? undefined : answer.error);
    if (!answer.ok) return;
    announcer.say(`Run ${answer.value.run.id} was started.`);
    answers.urge("lab/runs");
    // From here on the run has the workload; the draft is no longer needed.
    setWorkload(undefined);
    set(
      { run: answer.value.run.id, step: undefined, compare: undefined, template: undefined },
      true,
    );
  };
  const isAtWork = run !== undefined && !hasEnded(run);
  return (
    <Panel title="Start a run">
      <div class="stack tight">
        <p>
          Every key is simulated month by month with the hash, the splits, the prices and the
          budgets of this engine, in a process of its own. It takes seconds to minutes; you can
          leave and come back.
        </p>
        {failure === undefined ? null : <Failed failure={failure} />}
        <p>
          <Button
            kind={isAtWork ? "plain" : "primary"}
            onPress={() => void start()}
            whyNot={
              isSending ? "It is being started." : question.ok ? undefined : question.error.message
            }
          >
            Start the run
          </Button>
        </p>
        {question.ok ? null : (
          <p>
            <Button kind="quiet" onPress={() => set({ step: question.error.step }, true)}>
              Go to the step that lacks it
            </Button>
          </p>
        )}
      </div>
    </Panel>
  );
}

const TONES: Readonly<Record<LabRunEntry["state"], TagTone>> = {
  waiting: "none",
  running: "now",
  done: "good",
  failed: "bad",
  cancelled: "none",
};

interface RunProgressProps {
  readonly run: LabRunEntry;
  readonly lab: LabState;
}

function RunProgress({ run, lab }: RunProgressProps): VNode {
  const { server, answers } = usePage();
  useEndSaid(run);
  const cancel = async (): Promise<void> => {
    await server.change("POST", `lab/runs/${encodeURIComponent(run.id)}/cancel`);
    answers.urge(`lab/runs/${encodeURIComponent(run.id)}`);
    answers.urge("lab/runs");
  };
  return (
    <div class="stack tight">
      <p role="status">
        <Tag tone={TONES[run.state]} word={run.state} /> {run.title}, with the data:{" "}
        {run.asked === undefined ? "–" : askedDataText(run.asked)}.
        {run.progress === undefined ? null : ` ${run.progress}`}
      </p>
      {run.problem === undefined ? null : <pre class="problem runProblem">{run.problem}</pre>}
      {hasEnded(run) ? null : (
        <p>
          <Button onPress={() => void cancel()}>Cancel the run</Button>
        </p>
      )}
      {run.state === "done" ? (
        <p>
          <Button kind="primary" onPress={() => lab.set({ step: "compare" }, true)}>
            Compare the keys
          </Button>
        </p>
      ) : null}
      <p class="small">The same in a terminal:</p>
      {run.commands.map((command) => (
        <p key={command} class="labCommand">
          <code>{command}</code> <CopyButton text={command} what="the command" />
        </p>
      ))}
    </div>
  );
}

/** Says once that a run has ended that was seen at work. */
export function useEndSaid(run: LabRunEntry | undefined): void {
  const { announcer } = usePage();
  const atWork = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (run === undefined) return;
    if (!hasEnded(run)) atWork.current = run.id;
    else if (atWork.current === run.id) {
      atWork.current = undefined;
      announcer.say(`Run ${run.id} has ended: ${run.state}.`);
    }
  }, [run?.id, run?.state]);
}

const LIST_SECONDS = 5;

function RunList({ openId }: { readonly openId: string | undefined }): VNode {
  const place = usePlace();
  const { timeText } = useTimes();
  const answer = useAdmin<LabRunsAnswer>("lab/runs", LIST_SECONDS);
  return (
    <Panel title="Runs">
      <Answered of={answer} loading="Asking for the runs.">
        {({ runs }) =>
          runs.length === 0 ? (
            <Empty title="No run yet.">
              The server remembers the last twenty until it ends. A link to a run shows all of it.
            </Empty>
          ) : (
            <ul class="stack tight labRuns">
              {runs.map((run) => (
                <li key={run.id} aria-current={run.id === openId ? "true" : undefined}>
                  <Link
                    to={withParameters(place, {
                      run: run.proofOf ?? run.id,
                      step: run.proofOf === undefined ? undefined : "verdict",
                      compare: undefined,
                    })}
                  >
                    {run.id}. {run.title}
                  </Link>{" "}
                  <Tag tone={TONES[run.state]} word={run.state} />
                  <span class="small">
                    {run.kind === "prove" ? `proof of run ${run.proofOf ?? "–"}` : "advice"},{" "}
                    {timeText(run.startedAt)}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
    </Panel>
  );
}
