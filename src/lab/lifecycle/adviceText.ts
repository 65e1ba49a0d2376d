/** The advice on ageing data as people read it. Every number in it is in the JSON as well. */
import { bytesText, daysText } from "../../base/wording.ts";
import { moneyText, NONE, numberText, percentText, rateText, visible } from "../wording/plain.ts";
import { type TextColumn, textTable, wrapped } from "../wording/textTable.ts";
import type { LifecycleAdvice } from "./advice.ts";
import { agreementOf, agreementText, type Disagreement } from "./agreement.ts";
import { ASPECTS, approachOf, TIERS } from "./approach.ts";
import type { Branch } from "./decision.ts";
import type { ApproachOutcome, ContainerOutcome } from "./outcome.ts";
import { standingsOf } from "./standings.ts";

/** Where nobody knows how wide the paper is. */
const SENTENCE_WIDTH = 100;

export function adviceText(advice: LifecycleAdvice, width: number | undefined): string {
  const say = (text: string, mark = ""): readonly string[] =>
    wrapped(visible(text), width ?? SENTENCE_WIDTH, mark);
  const { outcomes } = advice;
  const sections: readonly (readonly string[])[] = [
    ["What there is", ...say(whatThereIs(advice), "  ")],
    [
      "The guides' framework, question by question",
      ...advice.decision.steps.flatMap(({ question, answer, because }, at) => [
        ...say(`${at + 1}. ${question} ${answer}.`, "  "),
        ...say(because, "     "),
      ]),
      ...say(verdictOf(advice), "→ "),
      ...say(highLoadText(advice), "  "),
    ],
    ["What would change the verdict", ...changesOf(advice).flatMap((text) => say(text, "  • "))],
    ["The four approaches", ...textTable(overview(outcomes), width)],
    [
      "RU of each pattern, and the containers and physical partitions it visits",
      ...textTable(patternColumns(outcomes), width),
    ],
    ["Their containers", ...textTable(containerColumns(outcomes), width)],
    ["What the guides say of each", ...textTable(guideColumns(outcomes), width)],
    [
      "Their tiers",
      ...TIERS.flatMap((tier) => say(`${tier.tier}, ${tier.title}: ${tier.about}`, "  ")),
    ],
    [
      "Where the figures and the guides differ",
      ...differences(advice).flatMap((text) => say(text, "  • ")),
    ],
    ...(advice.remarks.length === 0
      ? []
      : [["Remarks", ...advice.remarks.flatMap((text) => say(text, "  • "))]]),
  ];
  return `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function whatThereIs(advice: LifecycleAdvice): string {
  const { figures, settings } = advice;
  return (
    `${bytesText(figures.volumeBytes)} in the end: ${numberText(advice.itemsPerDay)} items a ` +
    `day, kept for ${daysText(advice.keptDays)}, ${numberText(advice.itemCount)} in all; ` +
    `${numberText(advice.readsPerSecond)} reads a second, ${percentText(figures.recentShare)} of ` +
    `them about the last ${daysText(settings.hotDays)}. The key is ${advice.key}, and age is ` +
    `told by ${advice.agePath}.`
  );
}

const BRANCHES: Readonly<Record<Branch, string>> = {
  hotWarm: "Hot and warm, with a time to live",
  nearRealTime: "Hot and warm, moved in near real time",
  single: "A single container",
  perPeriod: "A container for each period; think twice, the guides advise against it as a rule",
  reconsider:
    "None of these: the guides only say to reconsider hot and warm, or a single container",
};

function verdictOf({ decision, recommended, outcomes, cheapest }: LifecycleAdvice): string {
  const approach = approachOf(recommended);
  const costOf = (id: string | undefined): string =>
    moneyText(outcomes.find((outcome) => outcome.approach.id === id)?.cost);
  const chosen =
    decision.branch === "reconsider" ? ` Of what is left, ${approach.title} costs least.` : "";
  const tier = TIERS.find(({ tier: number }) => number === approach.tier)!;
  const own =
    cheapest === undefined || costOf(cheapest) === costOf(recommended)
      ? "Nothing here is cheaper."
      : `The cheapest here is ${approachOf(cheapest).title}, ${costOf(cheapest)} a month.`;
  return (
    `${BRANCHES[decision.branch]}.${chosen} That is tier ${approach.tier}, ${tier.title}; it ` +
    `comes to ${costOf(recommended)} a month. ${own}`
  );
}

function highLoadText({ figures, isHighLoadComputed }: LifecycleAdvice): string {
  return isHighLoadComputed
    ? `A query load is called high from ${rateText(figures.highLoad)} on: what so much data must ` +
        "be provisioned with in any case. Below it nothing is saved by moving reads elsewhere. " +
        "--high-load sets another threshold."
    : `A query load is called high from ${rateText(figures.highLoad)} on, as --high-load says.`;
}

function changesOf({ changes }: LifecycleAdvice): readonly string[] {
  if (changes.length === 0) return ["Nothing that the framework asks for, taken alone."];
  return changes.map(({ change, branch, factor, isNear }) => {
    const far = factor === undefined ? "" : ` (${numberText(factor)} times what it is)`;
    const near = isNear ? " That is near." : "";
    return `${change.replace(/,$/, "")}${far}: ${lowered(BRANCHES[branch])}.${near}`;
  });
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function differences(advice: LifecycleAdvice): readonly string[] {
  const agreement = agreementOf(standingsOf(advice.outcomes, advice.grown));
  return [
    agreementText(agreement),
    ...toldOnce(agreement.disagreements).map(({ sentence }) => sentence),
  ];
}

/** Hot and warm are twice in the table: what differs in the same way is said of one of them. */
export function toldOnce(disagreements: readonly Disagreement[]): readonly Disagreement[] {
  const isTwin = ({ aspect, praised, blamed }: Disagreement): boolean =>
    praised === "nearRealTime" &&
    disagreements.some(
      (each) => each.praised === "hotWarm" && each.aspect === aspect && each.blamed === blamed,
    );
  return disagreements.filter((each) => !isTwin(each));
}

type Row = ApproachOutcome;

function column(
  rows: readonly Row[],
  name: string,
  cell: (row: Row) => string,
  isRight = true,
): TextColumn {
  return { name, isRight, cells: rows.map(cell) };
}

function overview(rows: readonly Row[]): readonly TextColumn[] {
  const sumOf = (row: Row, of: (container: ContainerOutcome) => number): number =>
    row.containers.reduce((sum, container) => sum + of(container), 0);
  return [
    column(rows, "approach", ({ approach }) => approach.title, false),
    column(rows, "tier", ({ approach }) => String(approach.tier)),
    column(rows, "$/month", ({ cost }) => moneyText(cost)),
    column(rows, "RU/s", ({ manualRate }) =>
      manualRate === undefined ? NONE : numberText(manualRate),
    ),
    column(rows, "stored", (row) => bytesText(sumOf(row, ({ bytes }) => bytes))),
    column(rows, "moving RU/day", ({ movingRuPerDay }) => numberText(movingRuPerDay)),
    column(rows, "busiest partition", (row) => busiestText(row)),
    column(rows, "largest key", ({ keyFill }) => `${percentText(keyFill)} of its limit`),
    column(rows, "containers", ({ upkeep }) => String(upkeep.containerCount)),
    column(
      rows,
      "jobs",
      ({ upkeep }) => (upkeep.jobs.length === 0 ? "none" : upkeep.jobs.join("; ")),
      false,
    ),
  ];
}

/** Of the container in which it is furthest above an even share. */
function busiestText({ containers }: Row): string {
  const [worst] = containers.toSorted((a, b) => b.busiestOverMean - a.busiestOverMean);
  return `${numberText(worst!.busiestOverMean)}× even in ${worst!.name}`;
}

function patternColumns(rows: readonly Row[]): readonly TextColumn[] {
  const { patterns } = rows[0]!;
  return [
    { name: "pattern", isRight: false, cells: patterns.map(({ id }) => visible(id)) },
    {
      name: "a second",
      isRight: true,
      cells: patterns.map((each) => numberText(each.ratePerSecond)),
    },
    ...rows.map(({ approach, patterns: own }) => ({
      name: SHORT[approach.id],
      isRight: true,
      cells: own.map(
        ({ ruEach, containersVisited: containers, partitionsVisited: partitions }) =>
          `${numberText(ruEach)} RU, ${numberText(containers)}/${numberText(partitions)}`,
      ),
    })),
  ];
}

/** For heads of columns. */
export const SHORT: Readonly<Record<ApproachOutcome["approach"]["id"], string>> = {
  hotWarm: "hot/warm, runs",
  nearRealTime: "hot/warm, near real time",
  single: "single",
  perYear: "by year",
};

function containerColumns(rows: readonly Row[]): readonly TextColumn[] {
  const all = rows.flatMap(({ approach, containers }) =>
    containers.map((container) => ({ approach, container })),
  );
  const cells = (
    name: string,
    cell: (container: ContainerOutcome) => string,
    isRight = true,
  ): TextColumn => ({ name, isRight, cells: all.map(({ container }) => cell(container)) });
  return [
    { name: "approach", isRight: false, cells: all.map(({ approach }) => SHORT[approach.id]) },
    cells("container", ({ name }) => name, false),
    cells(
      "items of age",
      ({ ages }) => `${numberText(ages.fromDays)} to ${numberText(ages.toDays)} days`,
    ),
    cells("stored", ({ bytes }) => bytesText(bytes)),
    cells("partitions", ({ partitionCount }) => String(partitionCount)),
    cells("needs RU/s", ({ neededRate }) =>
      neededRate === undefined ? NONE : numberText(neededRate),
    ),
    cells("manual", ({ manual }) => rateAndCost(manual)),
    cells("autoscale up to", ({ autoscale }) => rateAndCost(autoscale)),
    cells("storage", ({ storageCost }) => moneyText(storageCost)),
    cells("$/month", ({ cost }) => (Number.isFinite(cost) ? moneyText(cost) : NONE)),
  ];
}

function rateAndCost(provisioned: ContainerOutcome["manual"]): string {
  if (provisioned === undefined) return NONE;
  return `${numberText(provisioned.ratePerSecond)} RU/s, ${moneyText(provisioned.cost)}`;
}

function guideColumns(rows: readonly Row[]): readonly TextColumn[] {
  return [
    column(rows, "approach", ({ approach }) => approach.title, false),
    column(rows, "verdict", ({ approach }) => approach.guide.verdict, false),
    ...ASPECTS.map((aspect) =>
      column(rows, aspect, ({ approach }) => approach.guide.aspects[aspect], false),
    ),
  ];
}
