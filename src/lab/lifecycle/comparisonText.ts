/** The four approaches after a run, as people read it. */
import { bytesText, daysText } from "../../base/wording.ts";
import { moneyText, NONE, numberText, percentText, plural, visible } from "../wording/plain.ts";
import { type TextColumn, textTable, wrapped } from "../wording/textTable.ts";
import { SHORT, toldOnce } from "./adviceText.ts";
import { agreementText } from "./agreement.ts";
import { ASPECTS, type Aspect, approachOf } from "./approach.ts";
import { type ApproachComparison, type ComparedApproach, placesBy } from "./comparison.ts";

const SENTENCE_WIDTH = 100;

export function comparisonText(comparison: ApproachComparison, width: number | undefined): string {
  const say = (text: string, mark = ""): readonly string[] =>
    wrapped(visible(text), width ?? SENTENCE_WIDTH, mark);
  const { rows, agreement } = comparison;
  const sections: readonly (readonly string[])[] = [
    [
      "Four ways of keeping data that ages, each run on the engine",
      ...say(scaleText(comparison), "  "),
    ],
    [
      "What each comes to, at the real rates with the RU measured here",
      ...textTable(costColumns(rows), width),
    ],
    [
      "RU of each pattern, measured; containers/physical partitions visited; in brackets the RU " +
        "predicted at full size",
      ...textTable(patternColumns(rows), width),
    ],
    ["Their containers", ...textTable(containerColumns(rows), width)],
    [
      "Moving",
      ...[...movingLines(comparison), ...waitingLines(comparison)].flatMap((text) =>
        say(text, "  "),
      ),
    ],
    ["The guides' words, and the places measured here", ...textTable(guideColumns(rows), width)],
    [
      "Where the two differ",
      ...say(agreementText(agreement), "  • "),
      ...toldOnce(agreement.disagreements).flatMap(({ sentence }) => say(sentence, "  • ")),
    ],
    ["Remarks", ...comparison.remarks.flatMap((text) => say(text, "  • "))],
  ];
  return `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function scaleText({ plan, rows }: ApproachComparison): string {
  const { size, aged, input, live } = plan;
  const day = new Date(plan.nowMillis).toISOString().slice(0, 10);
  const lost = rows.filter(
    ({ outcome: { measured } }) => measured.foundCount !== measured.itemCount,
  );
  return (
    `${numberText(size.items)} items stand for ${numberText(aged.itemCount)}, of the same size ` +
    `and over the same ${daysText(aged.keptDays)}, a scale of 1 to ${numberText(plan.itemFold)}. ` +
    `${plural(live.length, "item")} came while it ran, the last on ${day}; items are moved at ` +
    `${daysText(input.settings.hotDays)}. Each of ${numberText(size.reads)} reads of a kind was ` +
    "asked alone. " +
    (lost.length === 0
      ? "In the end every item was found once under each approach."
      : lost
          .map(
            ({ run, outcome: { measured } }) =>
              `Under ${approachOf(run.id).title} ${measured.foundCount} of ` +
              `${measured.itemCount} items were found!`,
          )
          .join(" "))
  );
}

type Row = ComparedApproach;

function column(
  rows: readonly Row[],
  name: string,
  cell: (row: Row) => string,
  isRight = true,
): TextColumn {
  return { name, isRight, cells: rows.map(cell) };
}

function titleColumn(rows: readonly Row[]): TextColumn {
  return column(rows, "approach", ({ run }) => approachOf(run.id).title, false);
}

function costColumns(rows: readonly Row[]): readonly TextColumn[] {
  return [
    titleColumn(rows),
    column(rows, "$/month", ({ outcome }) => moneyText(outcome.cost)),
    column(rows, "predicted", ({ run }) => moneyText(run.real.cost)),
    column(rows, "RU/s", ({ outcome }) => numberText(outcome.manualRate)),
    column(rows, "reads RU/s", ({ outcome }) => numberText(outcome.readLoad)),
    column(rows, "busiest partition", ({ outcome: { containers } }) => {
      const [worst] = containers.toSorted((a, b) => b.busiestOverMean - a.busiestOverMean);
      const over = numberText(worst!.busiestOverMean);
      return `${percentText(worst!.busiestShare)} of ${worst!.name}, ${over}× even`;
    }),
    column(rows, "429", ({ outcome: { measured } }) => {
      if (measured.paced === undefined) return NONE;
      const { throttledCount, answerCount } = measured.paced;
      return `${throttledCount} of ${numberText(answerCount)}`;
    }),
    column(rows, "moving RU/day", ({ outcome }) => numberText(outcome.movingRuPerDay)),
    column(rows, "containers", ({ run }) => String(run.containers.length)),
    column(rows, "jobs", ({ run }) => String(run.real.upkeep.jobs.length)),
  ];
}

function patternColumns(rows: readonly Row[]): readonly TextColumn[] {
  const { patterns } = rows[0]!.outcome.measured;
  return [
    { name: "pattern", isRight: false, cells: patterns.map(({ id }) => visible(id)) },
    { name: "asked", isRight: true, cells: patterns.map(({ count }) => String(count)) },
    ...rows.map(({ run, outcome }) => ({
      name: SHORT[run.id],
      isRight: true,
      cells: outcome.measured.patterns.map(({ id, ruEach, ...visited }) => {
        const real = run.real.patterns.find((each) => each.id === id)!;
        const { containersVisited: containers, partitionsVisited: partitions } = visited;
        return (
          `${numberText(ruEach)} RU, ${numberText(containers)}/${numberText(partitions)} ` +
          `(${numberText(real.ruEach)})`
        );
      }),
    })),
  ];
}

function containerColumns(rows: readonly Row[]): readonly TextColumn[] {
  const all = rows.flatMap(({ run, outcome }) =>
    run.containers.map((planned, at) => ({
      id: run.id,
      planned,
      measured: outcome.measured.containers[at]!,
      outcome: outcome.containers[at]!,
    })),
  );
  const cells = (
    name: string,
    cell: (each: (typeof all)[number]) => string,
    isRight = true,
  ): TextColumn => ({ name, isRight, cells: all.map(cell) });
  return [
    cells("approach", ({ id }) => SHORT[id], false),
    cells("container", ({ planned }) => planned.name, false),
    cells("items", ({ measured }) => numberText(measured.itemCount)),
    cells("stored", ({ measured }) => bytesText(measured.bytes)),
    cells("real bytes", ({ planned }) => bytesText(planned.real.bytes)),
    cells("partitions", ({ planned }) => String(planned.partitionCount)),
    cells("real ones", ({ planned }) => String(planned.real.partitionCount)),
    cells("needs RU/s", ({ outcome }) => numberText(outcome.neededRate)),
    cells("manual", ({ outcome }) => `${numberText(outcome.manualRate)} RU/s`),
    cells("$/month", ({ outcome }) => moneyText(outcome.cost)),
    cells("busiest", ({ outcome }) => percentText(outcome.busiestShare)),
  ];
}

function movingLines({ rows, plan }: ApproachComparison): readonly string[] {
  const { itemsPerDay } = plan.aged;
  if (rows.every(({ outcome }) => outcome.measured.moving === undefined)) {
    return ["Nothing is ever old enough to be moved: hot and warm are a single container."];
  }
  return rows.flatMap(({ run, outcome: { measured } }) => {
    const { moving } = measured;
    if (moving === undefined) return [];
    const { settings } = plan.input;
    const everyDays = run.moveEveryDays === 0 ? settings.stepDays : run.moveEveryDays!;
    const perStep = itemsPerDay * everyDays;
    return [
      `${approachOf(run.id).title}: ${plural(moving.movedCount, "item")} in ` +
        `${plural(moving.stepCount, "step")}, at most ${moving.stepItemsMax} in one. Each took ` +
        `${numberText(moving.itemRu)} RU, and a look that finds nothing ` +
        `${numberText(moving.lookRu)} RU. The real thing moves ${numberText(perStep)} items in ` +
        `one step, which takes ${numberText(perStep * moving.itemRu)} RU.`,
    ];
  });
}

/** What a mover pays that asks for everything old that has no mark, as the guides' does. */
function waitingLines({ rows, plan }: ApproachComparison): readonly string[] {
  const [moving] = rows.flatMap(({ outcome }) => outcome.measured.moving ?? []);
  if (moving === undefined || moving.waitingRu === 0) return [];
  const waiting = plan.aged.itemsPerDay * plan.input.settings.graceDays;
  return [
    "A look goes over what was moved and waits for its time to live, at " +
      `${moving.waitingRu.toFixed(3)} RU an item: with ${numberText(waiting)} of them, ` +
      `${numberText(moving.waitingRu * waiting)} RU a look. ` +
      "That is not in the cost: a mover should remember how far it came.",
  ];
}

/** Beside a word of the guides, the place that was measured, where there is a number for it. */
function guideColumns(rows: readonly Row[]): readonly TextColumn[] {
  const places: Readonly<Partial<Record<Aspect, ReturnType<typeof placesBy>>>> = {
    performance: placesBy(rows, ({ outcome }) => outcome.readLoad),
    cost: placesBy(rows, ({ outcome }) => outcome.cost),
    maintenance: placesBy(
      rows,
      ({ run: { real } }) => real.upkeep.containerCount + real.upkeep.jobs.length,
    ),
  };
  return [
    titleColumn(rows),
    column(rows, "verdict", ({ run }) => approachOf(run.id).guide.verdict, false),
    ...ASPECTS.map((aspect) =>
      column(
        rows,
        aspect,
        ({ run }) => {
          const word = approachOf(run.id).guide.aspects[aspect];
          const place = places[aspect]?.get(run.id);
          return place === undefined ? word : `${word}; place ${place}`;
        },
        false,
      ),
    ),
  ];
}
