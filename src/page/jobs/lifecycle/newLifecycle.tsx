/**
 * The form that starts a lifecycle. The plan comes first: it looks at every item once and changes
 * nothing, and only what was planned as it is filled in now can be started. What was filled in is
 * in the address.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { LifecyclePlan, LifecycleQuestion } from "../../../model/lifecycle.ts";
import type { LifecycleAnswer, LifecyclePlanAnswer } from "../../../protocol/admin.ts";
import { usePage, usePlace } from "../../control/page.ts";
import { Link } from "../../parts/link.tsx";
import { AnswerHead, Panel } from "../../parts/panel.tsx";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import type { AskFailure } from "../../session/server.ts";
import { jobPlace, LIST_PLACE } from "../job/places.ts";
import { LifecycleFields } from "./lifecycleFields.tsx";
import type { LifecycleForm } from "./lifecycleForm.ts";
import { questionOf, USUAL_LIFECYCLE } from "./lifecycleForm.ts";
import { PlanShown } from "./planShown.tsx";

interface Planned {
  /** The question as text, to tell whether the plan is of what is filled in. */
  readonly of: string;
  readonly plan: LifecyclePlan;
}

const ANSWER =
  "Items that age move from a hot container to a warm one. First it is planned, which changes " +
  "nothing; then you start it.";

export function NewLifecycle(): VNode {
  const form = { ...USUAL_LIFECYCLE, ...usePlace().parameters } as LifecycleForm;
  const [isAsked, setAsked] = useState(false);
  const question = questionOf(form);
  const asking = useAsking(question.ok ? question.value : undefined);
  const { planned, isOfThis, failure, isSending } = asking;
  return (
    <>
      <p class="small">
        <Link to={LIST_PLACE}>All jobs</Link>
      </p>
      <AnswerHead question="Jobs: start a lifecycle" answer={ANSWER} />
      <div class="mainAndSide">
        <LifecycleFields
          form={form}
          problem={isAsked && !question.ok ? question.error : undefined}
          isPlanned={isOfThis}
          onPlan={() => {
            setAsked(true);
            void asking.plan();
          }}
        />
        <div class="stack">
          {failure === undefined ? null : <Failed failure={failure} />}
          {isSending && !isOfThis ? (
            <Panel title="The plan">
              <Loading what="Looking at all items." />
            </Panel>
          ) : planned === undefined || !isOfThis ? (
            <Panel title="The plan">
              <Empty
                title={
                  planned === undefined
                    ? "No plan yet."
                    : "What you filled in has changed; plan it again."
                }
              >
                It says what is in the way, how many items are due, which cannot be moved, what it
                costs and how long it takes.
              </Empty>
            </Panel>
          ) : (
            <PlanShown plan={planned.plan} onStart={() => void asking.start()} />
          )}
        </div>
      </div>
    </>
  );
}

interface Asking {
  readonly planned: Planned | undefined;
  /** Whether what was planned is what is filled in now. */
  readonly isOfThis: boolean;
  readonly isSending: boolean;
  readonly failure: AskFailure | undefined;
  plan(): Promise<void>;
  start(): Promise<void>;
}

/** One request at a time; nothing is asked while the form is not filled in. */
function useAsking(question: LifecycleQuestion | undefined): Asking {
  const { server, router, announcer, answers } = usePage();
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<AskFailure | undefined>(undefined);
  const [planned, setPlanned] = useState<Planned | undefined>(undefined);
  const asText = JSON.stringify(question);
  const send = async <T,>(body: LifecycleQuestion): Promise<T | undefined> => {
    setSending(true);
    setFailure(undefined);
    const answer = await server.change<T>("POST", "lifecycles", body);
    setSending(false);
    if (answer.ok) return answer.value;
    setFailure(answer.error);
    return undefined;
  };
  const plan = async (): Promise<void> => {
    if (question === undefined || isSending) return;
    const answer = await send<LifecyclePlanAnswer>({ ...question, dryRun: true });
    if (answer === undefined) return;
    setPlanned({ of: asText, plan: answer.plan });
    announcer.say("The plan is there.");
  };
  const start = async (): Promise<void> => {
    if (question === undefined || isSending) return;
    const answer = await send<LifecycleAnswer>(question);
    if (answer === undefined) return;
    announcer.say(`Lifecycle ${answer.lifecycle.id} was started.`);
    answers.urge("jobs");
    router.go(jobPlace(answer.lifecycle.id));
  };
  const isOfThis = question !== undefined && planned?.of === asText;
  return { planned, isOfThis, isSending, failure, plan, start };
}
