/** Asking something of a job: one request at a time, and what came of it is said. */
import { useState } from "preact/hooks";
import type { CopyJobEntry, CopyStep } from "../../../model/copyJob.ts";
import { usePage } from "../../control/page.ts";
import type { AskFailure } from "../../session/server.ts";
import { jobRoute } from "./places.ts";

export interface StepTaking<Step extends string = CopyStep> {
  /** The step whose answer is awaited. */
  readonly taken: Step | undefined;
  /** Of the last step, if it was refused. */
  readonly failure: AskFailure | undefined;
  take(step: Step, body: object, said: string): Promise<boolean>;
}

/** Steps of a copy, an archive or a restore. */
export function useSteps<Step extends string = CopyStep>(id: string): StepTaking<Step> {
  return useStepsAt<Step>(jobRoute(id));
}

/** Steps below any route. `said` is read out when the server has done it. */
export function useStepsAt<Step extends string>(route: string): StepTaking<Step> {
  const { server, answers, announcer } = usePage();
  const [taken, setTaken] = useState<Step | undefined>(undefined);
  const [failure, setFailure] = useState<AskFailure | undefined>(undefined);
  return {
    taken,
    failure,
    async take(step, body, said) {
      if (taken !== undefined) return false;
      setTaken(step);
      setFailure(undefined);
      const answer = await server.change<object>("POST", `${route}/${step}`, body);
      setTaken(undefined);
      if (answer.ok) announcer.say(said);
      else setFailure(answer.error);
      answers.urge("jobs");
      return answer.ok;
    },
  };
}

/** What a panel of a copy is given. */
export interface JobPanelProps {
  readonly job: CopyJobEntry;
  readonly steps: StepTaking;
}

/** A job of any kind that says what can be asked of it. */
interface Asked<Step extends string> {
  readonly nextSteps: readonly { readonly step: Step; readonly about: string }[];
}

export function mayTake<Step extends string>(job: Asked<Step>, step: Step): boolean {
  return job.nextSteps.some((next) => next.step === step);
}

/** What a step does and leaves behind, as a sentence of the server. */
export function aboutStep<Step extends string>(job: Asked<Step>, step: Step): string {
  const about = job.nextSteps.find((next) => next.step === step)?.about ?? "";
  const end = about.endsWith(".") ? "" : ".";
  return about === "" ? "" : about.charAt(0).toUpperCase() + about.slice(1) + end;
}
