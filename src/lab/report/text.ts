/**
 * Advice for people, as lines of text: the verdict in sentences first, then the candidates side by
 * side, why each is where it is, what every operation has to ask under them, and what would change
 * it. All of it is a function of the advice.
 */
import { bytesText } from "../../base/wording.ts";
import type { Limits } from "../../model/limits.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Advice, CandidateAdvice, Reason } from "../advise/advice.ts";
import { keyDanger } from "../drawing/drawnKey.ts";
import {
  cut,
  dayText,
  moneyText,
  NONE,
  numberText,
  percentText,
  routingText,
  visible,
} from "../wording/plain.ts";
import type { TextColumn } from "../wording/textTable.ts";
import { textTable, wrapped } from "../wording/textTable.ts";
import { cheapestMode, nameOf, shownCandidates, verdictText } from "./figures.ts";
import { measuredText } from "./measured.ts";

interface AdviceTextOptions {
  /** Of the terminal; undefined: the output is a file, and tables are as wide as they get. */
  readonly width: number | undefined;
  /** How many candidates, the user's own and the current one not counted. */
  readonly top?: number;
  /** The expression of the key in use. */
  readonly current?: string | undefined;
  /** Those the simulation ran with. */
  readonly limits?: Limits;
}

const TOP_COUNT = 10;
const KEY_WIDTH_MAX = 46;
/** Of a candidate in the table of operations: its rank tells it apart all the same. */
const COLUMN_WIDTH_MAX = 26;
/** Of sentences, where the output has no width of its own. */
const SENTENCE_WIDTH = 100;

export function adviceText(advice: Advice, options: AdviceTextOptions): string {
  const { width, top = TOP_COUNT, current, limits = SERVICE_LIMITS } = options;
  const shown = shownCandidates(advice.candidates, top, current);
  const hidden = advice.candidates.length - shown.length;
  const lines = [
    visible(titleOf(advice)),
    "",
    ...sentences(advice.summary, width),
    "",
    ...textTable(candidateColumns(shown, current, limits), width),
    ...(hidden === 0 ? [] : [`${hidden} more, ranked behind the first: --top shows them.`]),
    "",
    ...shown.flatMap((candidate) => reasonLines(candidate, width)),
    ...titled("Where operations go: keys asked → partitions visited, RU for each", [
      ...textTable(operationColumns(shown), width),
    ]),
    ...titled(
      "What would change it",
      advice.sensitivities.flatMap(({ sentence }) => bullet(sentence, width)),
    ),
    ...titled(
      "Worth considering",
      advice.alternatives.flatMap(({ sentence }) => bullet(sentence, width)),
    ),
    ...titled(
      "What to measure next",
      advice.measureNext === undefined ? [] : bullet(advice.measureNext, width),
    ),
    ...titled(
      "What was assumed",
      advice.remarks.flatMap((remark) => bullet(remark, width)),
    ),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}

function titleOf({ title, workload }: Advice): string {
  return title === "" || title === workload ? workload : `${title} (${workload})`;
}

function sentences(texts: readonly string[], width: number | undefined): readonly string[] {
  return texts.flatMap((text) => wrapped(visible(text), width ?? SENTENCE_WIDTH));
}

function bullet(text: string, width: number | undefined, mark = "  • "): readonly string[] {
  return wrapped(visible(text), width ?? SENTENCE_WIDTH, mark);
}

function titled(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines, ""];
}

function candidateColumns(
  candidates: readonly CandidateAdvice[],
  current: string | undefined,
  limits: Limits,
): readonly TextColumn[] {
  const column = (
    name: string,
    isRight: boolean,
    cellOf: (candidate: CandidateAdvice) => string,
  ): TextColumn => ({ name, isRight, cells: candidates.map(cellOf) });
  return [
    column("#", true, ({ rank }) => String(rank)),
    column("key", false, (candidate) => keyText(candidate, current)),
    column("verdict", false, verdictText),
    column("keys", true, keysText),
    column("largest key", false, (candidate) => largestKeyText(candidate, limits)),
    column("partitions", true, ({ simulation }) => numberText(simulation.partitions.length)),
    column("hottest, of RU/s", true, hottestText),
    column("429s", true, ({ simulation }) => percentText(simulation.throttling.share)),
    column("one-key reads", true, ({ simulation }) => percentText(simulation.fanOut.keyShare)),
    column("$ a month", true, costText),
    column("laid out", true, ({ simulation }) => moneyText(simulation.cost.laidOut)),
    column("transactions", false, ({ simulation }) => {
      const broken = simulation.brokenTransactions;
      return broken.length === 0 ? "kept" : cut(visible(`broken: ${broken.join(", ")}`), 40);
    }),
  ];
}

function keyText(candidate: CandidateAdvice, current: string | undefined): string {
  const name = nameOf(candidate);
  const text = name === undefined ? candidate.expression : `${name}: ${candidate.expression}`;
  const isCurrent = current !== undefined && candidate.expression === current;
  return cut(visible(text), KEY_WIDTH_MAX) + (isCurrent ? " (now)" : "");
}

/** At the end; ~ where the data was not counted for it. */
function keysText({ simulation }: CandidateAdvice): string {
  const isSampled = simulation.measured?.basis.kind === "sample";
  return `${isSampled ? "≈" : ""}${numberText(simulation.keys.count.value)}`;
}

/** Its size at the end, and the day on which it passes a limit, if it does. */
function largestKeyText({ simulation }: CandidateAdvice, limits: Limits): string {
  const { bytesAtEnd, passes15GbOnDay, passes20GbOnDay } = simulation.keys.largest;
  const size = bytesText(bytesAtEnd.value);
  const limit = limits.logicalPartitionBytesMax;
  switch (keyDanger(simulation, limits)) {
    case "none":
      return size;
    case "near":
      return `${size}, over ${bytesText(limit * 0.75)} ${whenText(passes15GbOnDay)}`;
    case "over":
      return `${size}, over ${bytesText(limit)} ${whenText(passes20GbOnDay)}`;
  }
}

function whenText(day: number | undefined): string {
  return day === undefined ? "at the end" : `on ${dayText(day)}`;
}

/** The load of the hottest partition at the peak, of its share of what is provisioned. */
function hottestText({ simulation }: CandidateAdvice): string {
  const { hottestPartition } = simulation.load;
  const hottest = simulation.partitions.find(({ id }) => id === hottestPartition.id);
  const allotment = hottest === undefined ? "" : ` of ${numberText(hottest.allotment)}`;
  return `${numberText(hottestPartition.rate.value)}${allotment}`;
}

function costText({ simulation }: CandidateAdvice): string {
  const mode = cheapestMode(simulation);
  if (mode === undefined) return NONE;
  return `${moneyText(simulation.cost.cheapest.value)} ${mode}`;
}

function reasonLines(candidate: CandidateAdvice, width: number | undefined): readonly string[] {
  const { rank, expression, verdict, reasons, merits } = candidate;
  const { surpassed } = candidate;
  const head = `${rank}. ${visible(expression)}: ${verdict}`;
  return [
    ...wrapped(head, width ?? SENTENCE_WIDTH),
    ...merits.flatMap((merit) => bullet(merit, width, "  + ")),
    ...(surpassed === undefined ? [] : bullet(surpassed, width, "  · ")),
    ...measuredLines(candidate, width),
    ...reasons.flatMap((reason) => reasonText(reason, width)),
    "",
  ];
}

function measuredLines(
  { simulation }: CandidateAdvice,
  width: number | undefined,
): readonly string[] {
  const { measured } = simulation;
  return measured === undefined ? [] : bullet(measuredText(measured), width, "  = ");
}

const WEIGHT_MARK: Readonly<Record<Reason["weight"], string>> = {
  against: "  ✕ ",
  condition: "  △ ",
  remark: "  · ",
};

function reasonText(reason: Reason, width: number | undefined): readonly string[] {
  const { code, weight, sentence, counterExample } = reason;
  const example = counterExample === undefined ? "" : ` For example: ${counterExample}`;
  return bullet(`${sentence}${example} [${code}]`, width, WEIGHT_MARK[weight]);
}

/** Operations down, candidates across: the worst are the first to have no room. */
function operationColumns(candidates: readonly CandidateAdvice[]): readonly TextColumn[] {
  const operations = candidates[0]?.simulation.operations ?? [];
  if (operations.length === 0) return [];
  const names = operations.map(({ id }) => cut(visible(id), KEY_WIDTH_MAX));
  const rates = operations.map(({ ratePerSecond }) => numberText(ratePerSecond));
  return [
    { name: "operation", isRight: false, cells: names },
    { name: "per second", isRight: true, cells: rates },
    ...candidates.map(({ rank, expression, simulation }) => ({
      name: cut(`${rank}. ${visible(expression)}`, COLUMN_WIDTH_MAX),
      isRight: false,
      cells: operations.map(({ id }) => {
        const found = simulation.operations.find((operation) => operation.id === id);
        if (found === undefined) return NONE;
        const { routing, partitionsVisited, ruEach } = found;
        return `${routingText(routing)} → ${numberText(partitionsVisited)}, ${numberText(ruEach)}`;
      }),
    })),
  ];
}
