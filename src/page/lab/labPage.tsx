/**
 * Lab: which partition key should this container have? Six steps, all in sight, of which one is
 * open: data, workload and keys are what a run needs; comparison and verdict are what comes of it.
 */
import type { VNode } from "preact";
import { useCommands } from "../control/page.ts";
import { AnswerHead } from "../parts/panel.tsx";
import { basisText } from "./advice.ts";
import { CandidatesStep } from "./candidatesStep.tsx";
import { CompareStep } from "./compareStep.tsx";
import { answerText } from "./compareWords.ts";
import { DataStep } from "./dataStep.tsx";
import type { LabStep } from "./labForm.ts";
import type { LabState } from "./labState.ts";
import { useLab } from "./labState.ts";
import { RunStep } from "./runStep.tsx";
import { Steps } from "./steps.tsx";
import { VerdictStep } from "./verdictStep.tsx";
import { WorkloadStep } from "./workloadStep.tsx";

const VIEWS: Readonly<Record<LabStep, (props: { readonly lab: LabState }) => VNode>> = {
  data: DataStep,
  workload: WorkloadStep,
  candidates: CandidatesStep,
  run: RunStep,
  compare: CompareStep,
  verdict: VerdictStep,
};

export function LabPage(): VNode {
  const lab = useLab();
  const { step, subject, advice, run } = lab;
  const View = VIEWS[step];
  const name = subject === undefined ? "a container" : `${subject.database}/${subject.container}`;
  useCommands([
    {
      id: "labRun",
      title: "Start a run of the lab",
      group: "Lab",
      run: () => lab.set({ step: "run" }, true),
    },
  ]);
  return (
    <>
      <AnswerHead
        question={`Lab: which partition key should ${name} have?`}
        answer={advice === undefined ? openAnswer(run?.state) : answerText(advice)}
        more={advice === undefined ? undefined : basisText(advice)}
      />
      <Steps lab={lab} />
      <View lab={lab} />
    </>
  );
}

function openAnswer(state: string | undefined): string {
  if (state === "waiting" || state === "running") return "The run is at work.";
  if (state === "failed") return "The run failed; what it said is below.";
  if (state === "cancelled") return "The run was cancelled.";
  return "Say what is stored and what is asked; the lab simulates keys and says which is best.";
}
