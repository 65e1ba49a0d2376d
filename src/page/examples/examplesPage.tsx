/**
 * Every part that pages are made of, in use: for those who build pages, and for tests that try the
 * parts by keyboard. It is in no menu but the palette.
 */
import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { heatStepOf } from "../chart/heatStep.ts";
import { ticksUpTo } from "../chart/scale.ts";
import { usePage } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { Grid } from "../parts/grid.tsx";
import { Meter } from "../parts/meter.tsx";
import { Notice } from "../parts/notice.tsx";
import { AnswerHead, Panel } from "../parts/panel.tsx";
import { Splitter } from "../parts/splitter.tsx";
import { Empty, Failed, Loading, NoData, Old, Partial } from "../parts/states.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { Tag, type TagTone } from "../parts/tag.tsx";
import { VirtualList } from "../parts/virtualList.tsx";

export function ExamplesPage(): VNode {
  return (
    <>
      <AnswerHead
        question="Examples: what are pages made of?"
        answer="Nothing is ever blank: a panel says what it lacks, and offers the next step."
      />
      <div class="examples">
        <States />
        <Controls />
        <Words />
        <ViewsOfOneThing />
        <Panes />
        <LongList />
        <LongTable />
      </div>
    </>
  );
}

function States(): ComponentChildren {
  const { clock } = usePage();
  const failure = { kind: "unreachable", message: "The server does not answer." } as const;
  const refused = {
    kind: "refused",
    message: "Syntax error near FRM, line 2, column 1 (SC1001).",
    charge: 2.81,
  } as const;
  return (
    <>
      <Panel title="Loading">
        <Loading what="Reading the last 6 hours of shop/orders." />
      </Panel>
      <Panel title="Empty">
        <Empty
          title="No alert has fired."
          action={<Button onPress={() => undefined}>See the rules</Button>}
        >
          17 rules look at every container once it has requests.
        </Empty>
      </Panel>
      <Panel title="No data">
        <NoData>No requests since 10:48, so there is no load to judge. This is not zero.</NoData>
      </Panel>
      <Panel title="Partial">
        <Partial>Loads are those of 3 of 4 physical partitions.</Partial>
      </Panel>
      <Panel title="Old">
        <Old of={{ at: clock.wallNow(), failure }} onRetry={() => undefined} />
      </Panel>
      <Panel title="Failed">
        <Failed failure={refused} onRetry={() => undefined} />
      </Panel>
      <Panel title="Not allowed">
        <Failed failure={{ kind: "notAllowed", message: "This session only reads." }} />
      </Panel>
    </>
  );
}

function Controls(): VNode {
  const { announcer } = usePage();
  const [text, setText] = useState("");
  const [isAsking, setAsking] = useState(false);
  return (
    <Panel title="Controls">
      <div class="stack tight">
        <p class="tools">
          <Button kind="primary" onPress={() => announcer.say("Done.")}>
            Primary
          </Button>
          <Button onPress={() => announcer.warn("That failed.")}>Plain</Button>
          <Button kind="quiet" onPress={() => undefined}>
            Quiet
          </Button>
          <Button kind="danger" onPress={() => setAsking(true)}>
            Delete 12 items…
          </Button>
          <Button onPress={() => undefined} whyNot="Needs a key that may write.">
            Not now
          </Button>
        </p>
        <TextField
          label="Name"
          value={text}
          onInput={setText}
          help="Letters, digits and hyphens."
          problem={/^[\w-]*$/.test(text) ? undefined : "That is no letter, digit or hyphen."}
        />
      </div>
      {isAsking ? (
        <Confirm
          title="Delete 12 items of shop/orders?"
          action="Delete 12 items"
          isDangerous
          onConfirm={() => {
            setAsking(false);
            announcer.say("12 items deleted.");
          }}
          onClose={() => setAsking(false)}
        >
          <p>They can be put back until 14:20; then their versions are let go.</p>
        </Confirm>
      ) : null}
    </Panel>
  );
}

const TONES: readonly (readonly [TagTone, string])[] = [
  ["good", "fine"],
  ["info", "advice"],
  ["warn", "warning"],
  ["bad", "critical"],
  ["now", "running"],
  ["none", "no data"],
];

function Words(): VNode {
  return (
    <Panel title="Words for a state, and heat">
      <div class="stack tight">
        <p class="tools">
          {TONES.map(([tone, word]) => (
            <Tag key={word} tone={tone} word={word} />
          ))}
        </p>
        <Meter share={0.64} second={0.38} />
        <Meter share={1.2} />
        <div class="heatRow" role="img" aria-label="Heat from nothing to beyond the limit">
          {[0, ...ticksUpTo(1, 10), 1.2].map((share, index) => {
            const { step, isBeyond } = heatStepOf(share);
            return <span key={index} class={`heat h${step} ${isBeyond ? "beyond" : ""}`} />;
          })}
        </div>
        <Notice tone="warn" word="warning" title="Growth reaches a limit soon" beside="shop/orders">
          <p>20 GB on 27 November, in 12 days.</p>
        </Notice>
      </div>
    </Panel>
  );
}

function ViewsOfOneThing(): VNode {
  const [picked, setPicked] = useState<"table" | "tree" | "json">("table");
  return (
    <Panel title="Tabs">
      <Tabs
        label="Results"
        tabs={[
          { id: "table", title: "Table" },
          { id: "tree", title: "Tree" },
          { id: "json", title: "JSON" },
        ]}
        picked={picked}
        onPick={setPicked}
      >
        <p>Results as {picked}.</p>
      </Tabs>
    </Panel>
  );
}

function Panes(): VNode {
  return (
    <Panel title="Splitter">
      <Splitter
        name="example"
        label="Width of the first pane"
        direction="row"
        usual={120}
        min={60}
        max={200}
        first={<p>First</p>}
        second={<p>Second</p>}
      />
    </Panel>
  );
}

const MANY = Array.from({ length: 10_000 }, (_, index) => ({ id: `item-${index}`, index }));

function LongList(): VNode {
  return (
    <Panel title="A long list">
      <VirtualList label="Items" rows={MANY} keyOf={({ id }) => id} rowHeight={28}>
        {({ id }) => id}
      </VirtualList>
    </Panel>
  );
}

function LongTable(): VNode {
  const [sort, setSort] = useState("square");
  return (
    <Panel title="A long table" isBare>
      <Grid
        label="Numbers"
        rows={MANY}
        keyOf={({ id }) => id}
        sort={sort}
        onSort={setSort}
        windowRows={8}
        columns={[
          { id: "id", title: "Id", cell: ({ id }) => id, sortBy: ({ id }) => id },
          {
            id: "square",
            title: "Square",
            isNumber: true,
            cell: ({ index }) => index ** 2,
            sortBy: ({ index }) => index,
          },
        ]}
      />
    </Panel>
  );
}
