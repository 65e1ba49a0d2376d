/**
 * The form that starts a lifecycle. The plan comes first: it looks at every item once and changes
 * nothing, and only what was planned as it is filled in now can be started. What was filled in is
 * in the address.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { bytesText, counted, countText, durationText } from "../../../base/wording.ts";
import type { LifecyclePlan, LifecycleQuestion } from "../../../model/lifecycle.ts";
import type { LifecycleAnswer, LifecyclePlanAnswer } from "../../../protocol/admin.ts";
import { usePage, usePlace } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { Disclosure } from "../../parts/disclosure.tsx";
import { TextField } from "../../parts/field.tsx";
import { Link } from "../../parts/link.tsx";
import { AnswerHead, Panel } from "../../parts/panel.tsx";
import { Segmented } from "../../parts/segmented.tsx";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { withParameters } from "../../session/place.ts";
import type { AskFailure } from "../../session/server.ts";
import { Figure } from "../job/figure.tsx";
import { jobPlace, LIST_PLACE } from "../job/places.ts";
import type { LifecycleForm, LifecycleProblem } from "./lifecycleForm.ts";
import { questionOf, USUAL_LIFECYCLE } from "./lifecycleForm.ts";
import { SettingInputs } from "./settingInputs.tsx";

interface Planned {
  /** The question as text, to tell whether the plan is of what is filled in. */
  readonly of: string;
  readonly plan: LifecyclePlan;
}

export function NewLifecycle(): VNode {
  const { server, router, announcer, answers } = usePage();
  const form = { ...USUAL_LIFECYCLE, ...usePlace().parameters } as LifecycleForm;
  const [isAsked, setAsked] = useState(false);
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<AskFailure | undefined>(undefined);
  const [planned, setPlanned] = useState<Planned | undefined>(undefined);
  const question = questionOf(form);
  const asText = question.ok ? JSON.stringify(question.value) : "";
  const isOfThis = planned?.of === asText && question.ok;
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
    setAsked(true);
    if (!question.ok || isSending) return;
    const answer = await send<LifecyclePlanAnswer>({ ...question.value, dryRun: true });
    if (answer === undefined) return;
    setPlanned({ of: asText, plan: answer.plan });
    announcer.say("The plan is there.");
  };
  const start = async (): Promise<void> => {
    if (!question.ok || isSending) return;
    const answer = await send<LifecycleAnswer>(question.value);
    if (answer === undefined) return;
    announcer.say(`Lifecycle ${answer.lifecycle.id} was started.`);
    answers.urge("jobs");
    router.go(jobPlace(answer.lifecycle.id));
  };
  return (
    <>
      <p class="small">
        <Link to={LIST_PLACE}>All jobs</Link>
      </p>
      <AnswerHead
        question="Jobs: start a lifecycle"
        answer="Items that age move from a hot container to a warm one. First it is planned, which changes nothing; then you start it."
      />
      <div class="mainAndSide">
        <Form
          form={form}
          problem={isAsked && !question.ok ? question.error : undefined}
          isPlanned={isOfThis}
          onPlan={() => void plan()}
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
            <PlanShown plan={planned.plan} onStart={() => void start()} />
          )}
        </div>
      </div>
    </>
  );
}

interface FormProps {
  readonly form: LifecycleForm;
  readonly problem: LifecycleProblem | undefined;
  readonly isPlanned: boolean;
  readonly onPlan: () => void;
}

function Form({ form, problem, isPlanned, onPlan }: FormProps): VNode {
  const { router } = usePage();
  const set = (name: keyof LifecycleForm) => (value: string) => {
    const changes = { [name]: value === USUAL_LIFECYCLE[name] ? undefined : value };
    router.go(withParameters(router.place.value, changes), { isSameStep: true });
  };
  const problemOf = (name: keyof LifecycleForm): string | undefined =>
    problem?.field === name ? problem.message : undefined;
  const noOrYes = [
    { value: "no", word: "No" },
    { value: "yes", word: "Yes" },
  ] as const;
  return (
    <Panel title="What ages, and where to">
      <form
        class="copyForm stack tight"
        onSubmit={(event) => {
          event.preventDefault();
          onPlan();
        }}
      >
        <TextField
          label="Hot container"
          value={form.hot}
          onInput={set("hot")}
          placeholder="news/current"
          isMono
          help="New items live here; its ttl has to be on."
          problem={problemOf("hot")}
        />
        <TextField
          label="Warm container"
          value={form.warm}
          onInput={set("warm")}
          placeholder="news/history"
          isMono
          help="Old items go here; it has the same partition key."
          problem={problemOf("warm")}
        />
        <Segmented
          label="Make the containers that are not there"
          isLabelShown
          choices={noOrYes}
          value={form.create}
          onChoose={set("create")}
        />
        {form.create === "yes" ? (
          <TextField
            label="Partition key of a new pair"
            value={form.key}
            onInput={set("key")}
            placeholder="/partitionKey"
            isMono
            help="Levels separated by commas. Empty: that of the container that is there."
          />
        ) : null}
        <Segmented
          label="Switch on the ttl of hot if it is off"
          isLabelShown
          choices={noOrYes}
          value={form.enableTtl}
          onChoose={set("enableTtl")}
        />
        <SettingInputs fields={form} set={set} problemOf={problemOf} />
        <p>
          <Button type="submit" kind={isPlanned ? "plain" : "primary"} onPress={() => undefined}>
            Plan the lifecycle
          </Button>
        </p>
      </form>
    </Panel>
  );
}

interface PlanShownProps {
  readonly plan: LifecyclePlan;
  readonly onStart: () => void;
}

function PlanShown({ plan, onStart }: PlanShownProps): VNode {
  const { obstacles, price } = plan;
  const isFree = obstacles.length === 0;
  return (
    <>
      <Panel
        title="The plan"
        beside={
          <Tag
            tone={isFree ? "good" : "bad"}
            word={isFree ? "nothing in the way" : counted(obstacles.length, "obstacle")}
          />
        }
      >
        <div class="stack tight">
          <ul class="gates">
            {plan.checks.map(({ about, isMet, says }) => (
              <li key={about} class={isMet ? "met" : "unmet"}>
                <span aria-hidden="true">{isMet ? "✓" : "✗"}</span>
                <span>
                  <strong>{about}</strong>
                  <span class="unseen">{isMet ? ", as it should be" : ", in the way"}</span>{" "}
                  <span class="small">{says}</span>
                </span>
              </li>
            ))}
          </ul>
          <dl class="figures">
            <Figure name="Due now">
              {countText(plan.dueCount)} of {counted(plan.itemCount, "item")},{" "}
              {bytesText(plan.dueBytes)}
            </Figure>
            <Figure name="Price">
              {countText(price.hotRu)} RU in hot, {countText(price.warmRu)} RU in warm, by a sample
              of {counted(price.sampleCount, "item")}
            </Figure>
            <Figure name="Time">
              {plan.seconds === undefined
                ? "no rate limits it"
                : `about ${durationText(plan.seconds)} at this share`}
            </Figure>
          </dl>
          {plan.setAsideCount === 0 ? null : (
            <Disclosure summary={`Items that would be set aside: ${countText(plan.setAsideCount)}`}>
              <ul class="plainList">
                {plan.setAside.map(({ id, key, reason }) => (
                  <li key={`${id} ${JSON.stringify(key)}`}>
                    <code>{id}</code> of <code>{JSON.stringify(key)}</code>
                    {reason === undefined ? "" : `: ${reason}`}
                  </li>
                ))}
              </ul>
            </Disclosure>
          )}
          <ol class="planSteps">
            {plan.steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </div>
      </Panel>
      <p>
        <Button
          kind="primary"
          onPress={onStart}
          whyNot={isFree ? undefined : "Something is in the way."}
        >
          Start the lifecycle
        </Button>
      </p>
    </>
  );
}
