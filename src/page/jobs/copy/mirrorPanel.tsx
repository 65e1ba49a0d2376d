/** Live reads that are also run on the copy: same answers, other charges, per shape of query. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { counted, countText, threeDigits } from "../../../base/wording.ts";
import type { MirrorReport, MirrorShape } from "../../../model/copyJob.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import type { Column } from "../../parts/grid.tsx";
import { Grid } from "../../parts/grid.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Empty } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import type { JobPanelProps } from "../job/stepTaking.ts";
import { mayTake } from "../job/stepTaking.ts";

function noiseText({ differedCount, runCount }: MirrorReport["noise"]): string {
  const reads = counted(runCount, "read");
  return `Run twice on the source itself, ${differedCount} of ${reads} differed all the same.`;
}

export function MirrorPanel({ job, steps }: JobPanelProps): VNode {
  const { mirror } = job;
  const may = mayTake(job, "mirror");
  const isOn = mirror !== undefined && mirror.percent > 0 && mirror.endedBecause === undefined;
  return (
    <Panel
      title="Mirrored reads: your traffic on the new key"
      isBare
      beside={
        <Tag tone={isOn ? "now" : "none"} word={isOn ? `${mirror.percent} % of reads` : "off"} />
      }
    >
      {mirror === undefined || mirror.shapes.length === 0 ? (
        <Empty title={isOn ? "No read has been mirrored yet." : "No reads are mirrored."}>
          A share of the live reads and queries is run on the copy too; nobody waits for it. It
          shows which query gets dearer under the new key before you cut over.
        </Empty>
      ) : (
        <Shapes mirror={mirror} />
      )}
      {may ? <Percent isOn={isOn} percent={mirror?.percent ?? 0} steps={steps} /> : null}
    </Panel>
  );
}

interface PercentProps extends Pick<JobPanelProps, "steps"> {
  readonly isOn: boolean;
  readonly percent: number;
}

function Percent({ isOn, percent, steps }: PercentProps): VNode {
  const [typed, setTyped] = useState(String(percent === 0 ? 5 : percent));
  const wanted = Number(typed);
  const isFine = typed.trim() !== "" && wanted > 0 && wanted <= 100;
  const mirror = (share: number, said: string): void =>
    void steps.take("mirror", { percent: share }, said);
  return (
    <form
      class="panelTools mirrorTools"
      onSubmit={(event) => {
        event.preventDefault();
        if (isFine) mirror(wanted, `${wanted} % of reads are mirrored.`);
      }}
    >
      <TextField
        label="Percent of reads"
        type="number"
        value={typed}
        onInput={setTyped}
        problem={isFine ? undefined : "More than 0, at most 100."}
      />
      <Button type="submit" onPress={() => undefined}>
        {isOn ? "Change the share" : "Mirror reads"}
      </Button>
      {isOn ? (
        <Button onPress={() => mirror(0, "Reads are no longer mirrored.")}>Stop mirroring</Button>
      ) : null}
    </form>
  );
}

function Shapes({ mirror }: { readonly mirror: MirrorReport }): VNode {
  const { shapes, noise, endedBecause } = mirror;
  return (
    <>
      <p class="panelText">{mirrorText(shapes)}</p>
      {endedBecause === undefined ? null : <p class="panelText">It ended: {endedBecause}</p>}
      {noise.differedCount === 0 ? null : <p class="panelText small">{noiseText(noise)}</p>}
      <Grid
        label="Shapes of queries"
        columns={COLUMNS}
        rows={shapes}
        keyOf={({ shape }) => shape}
        note={noteOf}
      />
    </>
  );
}

/** All shapes in one sentence. */
function mirrorText(shapes: readonly MirrorShape[]): string {
  const sum = (of: (shape: MirrorShape) => number): number =>
    shapes.reduce((total, shape) => total + of(shape), 0);
  const runs = sum(({ runCount }) => runCount);
  const wrong = sum(({ mismatchCount, errorCount }) => mismatchCount + errorCount);
  const [old, copy] = [sum(({ source }) => source.ruPerDay), sum(({ target }) => target.ruPerDay)];
  const answers =
    wrong === 0
      ? `${counted(runs, "read")} compared, no other answer.`
      : `${countText(wrong)} of ${counted(runs, "read")} got another answer or none.`;
  if (old === 0) return answers;
  const percent = Math.round((copy / old - 1) * 100);
  const change =
    percent === 0 ? "as much as" : `${Math.abs(percent)} % ${percent < 0 ? "less" : "more"} than`;
  return `${answers} On the new key this traffic spends ${change} on the old one.`;
}

const COLUMNS: readonly Column<MirrorShape>[] = [
  { id: "shape", title: "Shape", cell: ({ shape }) => <code>{shape}</code> },
  {
    id: "runs",
    title: "Compared",
    isNumber: true,
    cell: ({ runCount }) => countText(runCount),
  },
  {
    id: "same",
    title: "Same answer",
    isNumber: true,
    cell: ({ matchCount, runCount }) => (matchCount === runCount ? "all" : countText(matchCount)),
  },
  {
    id: "ru",
    title: "RU p50, old → new",
    isNumber: true,
    isSecondary: true,
    cell: ({ source, target }) => `${threeDigits(source.ru.p50)} → ${threeDigits(target.ru.p50)}`,
  },
  {
    id: "ms",
    title: "ms p50, old → new",
    isNumber: true,
    isSecondary: true,
    cell: ({ source, target }) => `${threeDigits(source.ms.p50)} → ${threeDigits(target.ms.p50)}`,
  },
  {
    id: "partitions",
    title: "Partitions asked",
    isNumber: true,
    isSecondary: true,
    cell: ({ source, target }) =>
      `${threeDigits(source.partitions)} → ${threeDigits(target.partitions)}`,
  },
];

function noteOf({ warning, mismatches, errors }: MirrorShape): VNode | undefined {
  if (warning === undefined && mismatches.length === 0 && errors.length === 0) return undefined;
  return (
    <>
      {warning === undefined ? null : (
        <>
          <Tag tone="warn" word="warning" /> {warning}{" "}
        </>
      )}
      {mismatches.length === 0 ? null : `Other answers for: ${mismatches.join(", ")}. `}
      {errors.map(({ reason, count }) => `${count} × ${reason} `)}
    </>
  );
}
