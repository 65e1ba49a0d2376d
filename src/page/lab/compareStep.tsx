/**
 * Step 5: up to four keys side by side, row by row, on the same scales. The drawings are those of
 * the lab's report. Where there is no room for more, one key is shown, with a switcher.
 */
import type { ComponentChildren, VNode } from "preact";
import { useId } from "preact/hooks";
import { largestKeyByMonth, lorenzCurve } from "../../lab/drawing/keyCharts.ts";
import { heatOverDay, loadByPartition } from "../../lab/drawing/loadCharts.ts";
import type { NumberColumn } from "../../lab/drawing/numberColumns.ts";
import { MONTH_COLUMNS, PARTITION_COLUMNS } from "../../lab/drawing/numberColumns.ts";
import type { Scales } from "../../lab/drawing/scales.ts";
import { scalesOf } from "../../lab/drawing/scales.ts";
import { storageByPartition } from "../../lab/drawing/storageCharts.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { useParameter } from "../control/page.ts";
import { Disclosure } from "../parts/disclosure.tsx";
import { Meter } from "../parts/meter.tsx";
import { Segmented } from "../parts/segmented.tsx";
import { Tag } from "../parts/tag.tsx";
import type { LabAdvice, LabCandidate } from "./advice.ts";
import { COMPARED_MAX, comparedOf, drawnKeyOf } from "./advice.ts";
import type { Said } from "./compareWords.ts";
import {
  costShare,
  costText,
  heavyKeyTexts,
  laidOutText,
  loadText,
  placementText,
  reachText,
  reasonsOf,
  storageText,
  throttledText,
  transactionText,
  verdictTag,
} from "./compareWords.ts";
import { DrawnFigure, HatchPattern } from "./drawnFigure.tsx";
import type { LabState } from "./labState.ts";
import { NoAdvice } from "./noAdvice.tsx";

/** As wide as a column is on a screen of the usual width. */
const DRAWING_WIDTH = 250;

export function CompareStep({ lab }: { readonly lab: LabState }): VNode {
  const { advice } = lab;
  if (advice === undefined) return <NoAdvice lab={lab} />;
  return <Comparison advice={advice} lab={lab} />;
}

interface RowEntry {
  readonly name: string;
  readonly note: string;
  readonly cell: (candidate: LabCandidate) => ComponentChildren;
}

function Comparison({
  advice,
  lab,
}: {
  readonly advice: LabAdvice;
  readonly lab: LabState;
}): VNode {
  const { current } = lab.form;
  const compared = comparedOf(advice.candidates, lab.picked, current);
  const scales = scalesOf(compared.map(drawnKeyOf), SERVICE_LIMITS, DRAWING_WIDTH);
  const [one, setOne] = useParameter("one", "");
  const shown = compared.find(({ rank }) => String(rank) === one) ?? compared[0];
  const columnClass = (candidate: LabCandidate): string => (candidate === shown ? "" : "otherKey");
  return (
    <div class="stack">
      <HatchPattern />
      <Picker advice={advice} lab={lab} compared={compared} />
      <div class="oneKey">
        <Segmented
          label="The key on show"
          choices={compared.map(({ rank, id }) => ({ value: String(rank), word: id }))}
          value={String(shown?.rank ?? "")}
          onChoose={(rank) => setOne(rank)}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so keys must reach it. */}
      <section class="compareBox" aria-label="Comparison" tabIndex={0}>
        <table class="compare">
          <thead>
            <tr>
              <th scope="col">
                Key
                <span class="small">the same scales for all</span>
              </th>
              {compared.map((candidate) => (
                <th scope="col" key={candidate.rank} class={columnClass(candidate)}>
                  <KeyHead candidate={candidate} isInUse={candidate.expression === current} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rowsOf(compared, scales).map(({ name, note, cell }) => (
              <tr key={name}>
                <th scope="row">
                  {name}
                  <span class="small">{note}</span>
                </th>
                {compared.map((candidate) => (
                  <td key={candidate.rank} class={columnClass(candidate)}>
                    {cell(candidate)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Legend />
    </div>
  );
}

function rowsOf(compared: readonly LabCandidate[], scales: Scales): readonly RowEntry[] {
  return [...limitRows(scales), ...priceRows(compared, scales)];
}

/** What limits bound: bytes and load. */
function limitRows(scales: Scales): readonly RowEntry[] {
  return [
    { name: "Verdict", note: "read this first", cell: (one) => <SaidList of={reasonsOf(one)} /> },
    {
      name: "Storage",
      note: "largest logical partition; dashed: 20 GB, a platform limit",
      cell: (one) => (
        <>
          <Sentence of={storageText(one)} />
          <DrawnFigure of={largestKeyByMonth(drawnKeyOf(one), scales)} />
        </>
      ),
    },
    {
      name: "Placement",
      note: "bytes of physical partitions; dashed: 50 GB",
      cell: (one) => (
        <>
          <Sentence of={placementText(one)} />
          <DrawnFigure of={storageByPartition(drawnKeyOf(one), scales)} />
        </>
      ),
    },
    {
      name: "Load",
      note: "busiest beside whole; partitions down, hours across",
      cell: (one) => (
        <>
          <SaidList of={[loadText(one), throttledText(one)]} />
          <DrawnFigure of={loadByPartition(drawnKeyOf(one), scales)} />
          <DrawnFigure of={heatOverDay(drawnKeyOf(one), scales)} />
        </>
      ),
    },
  ];
}

/** What a key costs, and what it breaks. */
function priceRows(compared: readonly LabCandidate[], scales: Scales): readonly RowEntry[] {
  return [
    {
      name: "Reach",
      note: "partitions asked, RU for each",
      cell: (one) => <Reach of={one} compared={compared} />,
    },
    {
      name: "Cost",
      note: "a month, same scale",
      cell: (one) => (
        <>
          <Sentence of={costText(one)} />
          <Meter share={costShare(one, compared)} />
          <p class="small">{laidOutText(one)}</p>
        </>
      ),
    },
    {
      name: "Heavy keys",
      note: "shares of the largest and the busiest",
      cell: (one) => (
        <>
          <SaidList of={heavyKeyTexts(one)} />
          <DrawnFigure of={lorenzCurve(drawnKeyOf(one), scales)} />
        </>
      ),
    },
    {
      name: "Transactions",
      note: "on one logical partition",
      cell: (one) => <Sentence of={transactionText(one)} />,
    },
    {
      name: "Numbers",
      note: "what is drawn, as tables",
      cell: (one) => (
        <Disclosure summary="Months and partitions">
          <NumberTable caption="Month by month" columns={MONTH_COLUMNS} rows={one.months} />
          <NumberTable
            caption="Physical partitions, at the end"
            columns={PARTITION_COLUMNS}
            rows={one.partitions}
          />
        </Disclosure>
      ),
    },
  ];
}

interface KeyHeadProps {
  readonly candidate: LabCandidate;
  readonly isInUse: boolean;
}

function KeyHead({ candidate, isInUse }: KeyHeadProps): VNode {
  const { id, expression, rank } = candidate;
  return (
    <>
      <span class="keyHead">
        <Tag {...verdictTag(candidate)} />
        <span class="small">
          rank {rank}
          {isInUse ? ", in use" : ""}
        </span>
      </span>
      {id === expression ? null : <b>{id}</b>}
      <code>{expression}</code>
    </>
  );
}

function Sentence({ of: { text, isBad } }: { readonly of: Said }): VNode {
  return (
    <p class={isBad === true ? "beyondLimit" : ""}>
      {isBad === true ? <span aria-hidden="true">✕ </span> : null}
      {text}
    </p>
  );
}

function SaidList({ of }: { readonly of: readonly Said[] }): VNode {
  return (
    <>
      {of.map((said) => (
        <Sentence key={said.text} of={said} />
      ))}
    </>
  );
}

interface ReachProps {
  readonly of: LabCandidate;
  readonly compared: readonly LabCandidate[];
}

function Reach({ of, compared }: ReachProps): VNode {
  const ids = compared[0]?.operations.map(({ id }) => id) ?? [];
  return (
    <dl class="reach">
      {ids.map((id) => {
        const operation = of.operations.find((each) => each.id === id);
        const { text, isBad } = reachText(operation, of.figures.limits.partitions);
        return (
          <div key={id}>
            <dt>{id}</dt>
            <dd class={isBad === true ? "beyondLimit" : ""}>
              {isBad === true ? "✕ " : ""}
              {text}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

interface NumberTableProps<T> {
  readonly caption: string;
  readonly columns: readonly NumberColumn<T>[];
  readonly rows: readonly T[];
}

function NumberTable<T>({ caption, columns, rows }: NumberTableProps<T>): VNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so keys must reach it.
    <section class="numberBox" aria-label={caption} tabIndex={0}>
      <table class="table">
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name }) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {columns.map(({ name, text }) => (
                <td key={name}>{text(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface PickerProps {
  readonly advice: LabAdvice;
  readonly lab: LabState;
  readonly compared: readonly LabCandidate[];
}

/** Which of all candidates stand side by side. */
function Picker({ advice, lab, compared }: PickerProps): VNode {
  const id = useId();
  const isFull = compared.length >= COMPARED_MAX;
  const toggle = (candidate: LabCandidate): void => {
    const isIn = compared.includes(candidate);
    if (!isIn && isFull) return;
    const next = isIn ? compared.filter((one) => one !== candidate) : [...compared, candidate];
    if (next.length > 0) lab.set({ compare: next.map(({ rank }) => rank).join(",") });
  };
  return (
    <Disclosure
      summary={`Choose what is compared: ${compared.length} of ${advice.candidates.length} keys`}
    >
      <p class="small" id={id}>
        {isFull ? "Four are the most: take one away to add another." : "Up to four."}
      </p>
      <ul class="pickList">
        {advice.candidates.map((candidate) => (
          <li key={candidate.rank}>
            <label>
              <input
                type="checkbox"
                checked={compared.includes(candidate)}
                disabled={isFull && !compared.includes(candidate)}
                aria-describedby={id}
                onChange={() => toggle(candidate)}
              />{" "}
              {candidate.rank}. <code>{candidate.expression}</code>
            </label>{" "}
            <Tag {...verdictTag(candidate)} />
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}

const SHADES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

function Legend(): VNode {
  return (
    <p class="small labLegend">
      RU/s, share of the allotment: 0{" "}
      <span class="shades" aria-hidden="true">
        {SHADES.map((shade) => (
          <i key={shade} class={`heat h${shade}`} />
        ))}
      </span>{" "}
      100 % <i class="heat beyond" aria-hidden="true" /> more than allotted: throttled. Dashed red:
      a platform limit; red bars are beyond it. Dotted: a warning.
    </p>
  );
}
