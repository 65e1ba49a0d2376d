/** The proof of a run: keys put on the engine, predicted beside measured. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { counted } from "../../base/wording.ts";
import type {
  LabProofQuestion,
  LabRunAnswer,
  LabRunEntry,
  LabRunsAnswer,
} from "../../protocol/adminLab.ts";
import { useAdmin, usePage } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { Panel } from "../parts/panel.tsx";
import { Answered, Failed } from "../parts/states.tsx";
import { Tag } from "../parts/tag.tsx";
import type { AskFailure } from "../session/server.ts";
import type { LabAdvice } from "./advice.ts";
import { comparedOf } from "./advice.ts";
import type { LabState } from "./labState.ts";
import { hasEnded, useRun } from "./labState.ts";
import type { LabProof } from "./proof.ts";
import { findingLines, outcomeText, proofIn, proofRows } from "./proof.ts";
import { useEndSaid } from "./runStep.tsx";

const LIST_SECONDS = 5;

export function ProofPanel({
  advice,
  lab,
}: {
  readonly advice: LabAdvice;
  readonly lab: LabState;
}): VNode {
  const { server, answers, announcer } = usePage();
  const [failure, setFailure] = useState<AskFailure | undefined>(undefined);
  const { run } = lab;
  const runs = useAdmin<LabRunsAnswer>("lab/runs", LIST_SECONDS).value?.runs ?? [];
  const proof = runs.find(({ proofOf }) => proofOf === run?.id);
  const proofId = proof?.id;
  const isRunning = proof !== undefined && !hasEnded(proof);
  const compared = comparedOf(advice.candidates, lab.picked, lab.form.current);
  const start = async (): Promise<void> => {
    if (run === undefined) return;
    const route = `lab/runs/${encodeURIComponent(run.id)}/proof`;
    const question: LabProofQuestion = {
      candidates: compared.map(({ expression }) => expression),
    };
    const answer = await server.change<LabRunAnswer>("POST", route, question);
    setFailure(answer.ok ? undefined : answer.error);
    if (answer.ok) announcer.say("The proof was started.");
    answers.urge("lab/runs");
  };
  return (
    <Panel title="Proof on the engine">
      <div class="stack tight">
        {proofId === undefined ? (
          <p>
            A prediction can be tried: {counted(compared.length, "key")}, those that are compared,
            on an engine of their own, made small, with the same operations. It takes about ten
            seconds a key.
          </p>
        ) : (
          <ProofRun id={proofId} />
        )}
        {failure === undefined ? null : <Failed failure={failure} />}
        <p>
          <Button
            onPress={() => void start()}
            whyNot={isRunning ? "One is running; it ends or is cancelled first." : undefined}
          >
            {proofId === undefined ? "Prove on the engine" : "Prove once more"}
          </Button>
        </p>
      </div>
    </Panel>
  );
}

function ProofRun({ id }: { readonly id: string }): VNode {
  const answer = useRun(id);
  useEndSaid(answer.value?.run);
  return (
    <Answered of={answer} loading="Looking for the proof.">
      {({ run }) => <ProofOutcome run={run} />}
    </Answered>
  );
}

function ProofOutcome({ run }: { readonly run: LabRunEntry }): VNode {
  const { server, answers } = usePage();
  const proof = proofIn(run.result);
  if (proof !== undefined) return <Proof of={proof} />;
  const route = `lab/runs/${encodeURIComponent(run.id)}`;
  const cancel = async (): Promise<void> => {
    await server.change("POST", `${route}/cancel`);
    answers.urge(route);
  };
  return (
    <div class="stack tight">
      <p role="status">
        The proof is run {run.id}: {run.state}. {run.progress ?? ""}
      </p>
      {run.problem === undefined ? null : <pre class="problem runProblem">{run.problem}</pre>}
      {hasEnded(run) ? null : (
        <p>
          <Button onPress={() => void cancel()}>Cancel the proof</Button>
        </p>
      )}
    </div>
  );
}

function Proof({ of }: { readonly of: LabProof }): VNode {
  return (
    <div class="stack tight">
      <p>
        <b>{outcomeText(of)}</b>
      </p>
      <ul class="stack tight">
        {findingLines(of).map(({ tone, word, text }) => (
          <li key={text}>
            <Tag tone={tone} word={word} /> {text}
          </li>
        ))}
      </ul>
      {of.candidates.map((each) => (
        <table class="table proofTable" key={each.id}>
          <caption>
            <code>{each.id}</code>
          </caption>
          <thead>
            <tr>
              <th scope="col">figure</th>
              <th scope="col">predicted</th>
              <th scope="col">measured</th>
            </tr>
          </thead>
          <tbody>
            {proofRows(each).map(({ name, predicted, measured }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{predicted}</td>
                <td>{measured}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ))}
      {of.remarks.map((remark) => (
        <p class="small" key={remark}>
          {remark}
        </p>
      ))}
    </div>
  );
}
