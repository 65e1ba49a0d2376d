/** What the plan of a lifecycle found: checks, what is due, price and time; and the start. */
import type { VNode } from "preact";
import { bytesText, counted, countText, durationText } from "../../../base/wording.ts";
import type { LifecyclePlan } from "../../../model/lifecycle.ts";
import { Button } from "../../parts/button.tsx";
import { Disclosure } from "../../parts/disclosure.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Tag } from "../../parts/tag.tsx";
import { Figure } from "../job/figure.tsx";

interface PlanShownProps {
  readonly plan: LifecyclePlan;
  readonly onStart: () => void;
}

export function PlanShown({ plan, onStart }: PlanShownProps): VNode {
  const { obstacles } = plan;
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
        <Found plan={plan} />
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

function Found({ plan }: Pick<PlanShownProps, "plan">): VNode {
  const { price } = plan;
  return (
    <div class="stack tight">
      <Checks plan={plan} />
      <dl class="figures">
        <Figure name="Due now">
          {countText(plan.dueCount)} of {counted(plan.itemCount, "item")},{" "}
          {bytesText(plan.dueBytes)}
        </Figure>
        <Figure name="Price">
          {countText(price.hotRu)} RU in hot, {countText(price.warmRu)} RU in warm (from{" "}
          {counted(price.sampleCount, "item")})
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
  );
}

function Checks({ plan }: Pick<PlanShownProps, "plan">): VNode {
  return (
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
  );
}
