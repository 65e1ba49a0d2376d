/** Asking something of a job: one request at a time, and what came of it is said. */
import { useState } from "preact/hooks";
import type { CopyJobEntry, CopyStep } from "../../model/copyJob.ts";
import type { CopyJobAnswer } from "../../protocol/admin.ts";
import { usePage } from "../control/page.ts";
import type { AskFailure } from "../session/server.ts";
import { jobRoute } from "./places.ts";

interface StepTaking {
  /** The step whose answer is awaited. */
  readonly taken: CopyStep | undefined;
  /** Of the last step, if it was refused. */
  readonly failure: AskFailure | undefined;
  take(step: CopyStep, body: object, said: string): Promise<boolean>;
}

/** `said` is read out when the server has done it. */
export function useSteps(id: string): StepTaking {
  const { server, answers, announcer } = usePage();
  const [taken, setTaken] = useState<CopyStep | undefined>(undefined);
  const [failure, setFailure] = useState<AskFailure | undefined>(undefined);
  return {
    taken,
    failure,
    async take(step, body, said) {
      if (taken !== undefined) return false;
      setTaken(step);
      setFailure(undefined);
      const answer = await server.change<CopyJobAnswer>("POST", jobRoute(id, step), body);
      setTaken(undefined);
      if (answer.ok) announcer.say(said);
      else setFailure(answer.error);
      answers.urge("jobs");
      return answer.ok;
    },
  };
}

/** What a panel of a job is given. */
export interface JobPanelProps {
  readonly job: CopyJobEntry;
  readonly steps: StepTaking;
}

export function mayTake(job: CopyJobEntry, step: CopyStep): boolean {
  return job.nextSteps.some((next) => next.step === step);
}

/** What a step does and leaves behind, as a sentence of the server. */
export function aboutStep(job: CopyJobEntry, step: CopyStep): string {
  const about = job.nextSteps.find((next) => next.step === step)?.about ?? "";
  const end = about.endsWith(".") ? "" : ".";
  return about === "" ? "" : about.charAt(0).toUpperCase() + about.slice(1) + end;
}
