/** What the look at all items found before the first write: what is in the way, price and time. */
import type { VNode } from "preact";
import { bytesText, counted, countText, durationText } from "../../../base/wording.ts";
import type { CopyPlan, FullKey, ItemExample } from "../../../model/copyJob.ts";
import { Disclosure } from "../../parts/disclosure.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Tag } from "../../parts/tag.tsx";

interface PlanPanelProps {
  readonly plan: CopyPlan;
  /** True for a copy that is under way: then the plan is for who wants it. */
  readonly isClosed?: boolean | undefined;
}

export function PlanPanel({ plan, isClosed = false }: PlanPanelProps): VNode {
  const { obstacles } = plan;
  const tag =
    obstacles.length === 0 ? (
      <Tag tone="good" word="nothing in the way" />
    ) : (
      <Tag tone="bad" word={counted(obstacles.length, "obstacle")} />
    );
  return (
    <Panel title="The plan" beside={tag}>
      {isClosed ? (
        <Disclosure summary="What the look at all items found">
          <Found plan={plan} />
        </Disclosure>
      ) : (
        <Found plan={plan} />
      )}
    </Panel>
  );
}

function largestText({ newKey, bytes }: FullKey): string {
  return `, the largest ${JSON.stringify(newKey)} with ${bytesText(bytes)}`;
}

function Obstacles({ obstacles }: Pick<CopyPlan, "obstacles">): VNode | null {
  if (obstacles.length === 0) return null;
  return (
    <ul class="plainList obstacles">
      {obstacles.map((obstacle) => (
        <li key={obstacle}>{obstacle}</li>
      ))}
    </ul>
  );
}

function Found({ plan }: { readonly plan: CopyPlan }): VNode {
  const { price, obstacles, steps, largestKey } = plan;
  return (
    <div class="stack tight">
      <Obstacles obstacles={obstacles} />
      <dl class="figures">
        <div>
          <dt class="small">Items</dt>
          <dd>
            {countText(plan.copiedCount)} of {counted(plan.itemCount, "item")},{" "}
            {bytesText(plan.copiedBytes)}
          </dd>
        </div>
        <div>
          <dt class="small">Logical partitions</dt>
          <dd>
            {countText(plan.logicalPartitionCount)}
            {largestKey === undefined ? "" : largestText(largestKey)}
          </dd>
        </div>
        <div>
          <dt class="small">Price</dt>
          <dd>
            {countText(price.readRu)} RU on reading, {countText(price.writeRu)} RU on writing, give
            or take {countText(price.errorRu)}
          </dd>
        </div>
        <div>
          <dt class="small">Time</dt>
          <dd>
            {plan.seconds === undefined
              ? "no rate limits it"
              : `about ${durationText(plan.seconds)} at this share`}
          </dd>
        </div>
      </dl>
      <Examples
        title="Items that share new key and id"
        count={plan.clashCount}
        items={plan.clashes}
      />
      <Examples
        title="Items without the key"
        count={plan.missingKeyCount}
        items={plan.missingKeys}
      />
      <Examples title="Items that do not fit" count={plan.unfitCount} items={plan.unfit} />
      <ol class="planSteps">
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </div>
  );
}

interface ExamplesProps {
  readonly title: string;
  readonly count: number;
  readonly items: readonly ItemExample[];
}

function Examples({ title, count, items }: ExamplesProps): VNode | null {
  if (count === 0) return null;
  return (
    <Disclosure summary={`${title}: ${countText(count)}`}>
      <ul class="plainList">
        {items.map(({ id, key, newKey, reason }) => (
          <li key={`${id} ${JSON.stringify(key)}`}>
            <code>{id}</code> of <code>{JSON.stringify(key)}</code>
            {newKey === undefined ? null : (
              <>
                {" "}
                → <code>{JSON.stringify(newKey)}</code>
              </>
            )}
            {reason === undefined ? "" : `: ${reason}`}
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}
