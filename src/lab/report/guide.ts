/**
 * What the guides say of a worked case beside what was computed: where they agree, where they do
 * not, and where a guide errs.
 */
import type { JsonObject } from "../../json/value.ts";
import type { Advice, ReasonCode, Verdict } from "../advise/advice.ts";
import type { Expectation } from "../scenario/scenario.ts";
import { NONE, visible } from "../wording/plain.ts";
import { textTable, wrapped } from "../wording/textTable.ts";
import { VERDICT_MARK } from "./figures.ts";

export interface GuideRow {
  readonly id: string;
  /** Any of these is what the guides say. */
  readonly accepted: readonly Verdict[];
  readonly says: string;
  /** A document gave it; otherwise it was worked out here. */
  readonly isGiven: boolean;
  /** Undefined: it was not among the candidates. */
  readonly computed: Verdict | undefined;
  /** Reasons of the guides that were not found. */
  readonly missing: readonly ReasonCode[];
  readonly agrees: boolean;
}

export interface GuideComparison {
  readonly sentence: string;
  /** Of a variant no document speaks. */
  readonly isOfGuides: boolean;
  /** Any of them; none: all are bad. */
  readonly bestSaid: readonly string[];
  /** The best of the keys that the guides weigh. */
  readonly bestComputed: string | undefined;
  readonly agrees: boolean;
  readonly rows: readonly GuideRow[];
  readonly errata: readonly string[];
}

export function compareWithGuide(
  advice: Advice,
  { sentence, best, verdicts }: Expectation,
  errata: readonly string[],
  isVariant = false,
): GuideComparison {
  const found = new Map(
    advice.candidates.map((candidate) => [candidate.simulation.candidate.id, candidate]),
  );
  const rows = [...verdicts].map(([id, { accepted, reasons, says, isGiven: isSaid }]): GuideRow => {
    const isGiven = isSaid && !isVariant;
    const candidate = found.get(id);
    const given = new Set(candidate?.reasons.map(({ code }) => code));
    const missing = reasons.filter((code) => !given.has(code));
    const computed = candidate?.verdict;
    const isSame = computed !== undefined && accepted.some((said) => isAlike(said, computed));
    const agrees = isSame && missing.length === 0;
    return { id, accepted, says, isGiven, computed, missing, agrees };
  });
  const bestComputed = advice.candidates.find(
    ({ simulation, verdict }) => verdict !== "bad" && verdicts.has(simulation.candidate.id),
  )?.simulation.candidate.id;
  const isBestSame = bestComputed === undefined ? best.length === 0 : best.includes(bestComputed);
  return {
    sentence,
    isOfGuides: !isVariant,
    bestSaid: best,
    bestComputed,
    agrees: isBestSame && rows.every(({ agrees }) => agrees),
    rows,
    errata,
  };
}

/** Only one can be the best, and a key that no guide thought of may be. */
function isAlike(said: Verdict, computed: Verdict): boolean {
  const plain = (verdict: Verdict): Verdict => (verdict === "best" ? "workable" : verdict);
  return plain(said) === plain(computed);
}

export function bestSentence(comparison: GuideComparison): string {
  const { bestSaid, bestComputed, agrees, isOfGuides } = comparison;
  const said = bestSaid.length === 0 ? "none of them" : bestSaid.join(" or ");
  const computed = bestComputed ?? "none of them";
  const who = isOfGuides
    ? `The guides find ${said} best, the calculation ${computed}. `
    : `No document speaks of this variant; ${said} was expected to be best, and the calculation ` +
      `finds ${computed}. `;
  return who + (agrees ? "All verdicts agree." : "Not all verdicts agree.");
}

/** What a document says of a key, or that none does. */
function saidText({ isGiven, accepted }: GuideRow): string {
  if (!isGiven) return "not weighed";
  return accepted.map(verdictText).join(" or ");
}

/** What stands behind a verdict that no document gave. */
export function saysText({ isGiven, says }: GuideRow): string {
  return isGiven ? says : `No document weighs it; worked out here: ${says}`;
}

/** Whether a row agrees, and what was not found. */
export function agreementText({ agrees, missing, isGiven }: GuideRow): string {
  if (agrees) return isGiven ? "agrees" : "as expected";
  return missing.length === 0 ? "differs" : `not found: ${missing.join(", ")}`;
}

export function guideText(comparison: GuideComparison, width: number | undefined): string {
  const { rows, errata, sentence } = comparison;
  const cells = (name: string, cell: (row: GuideRow) => string): Cells => ({
    name,
    isRight: false,
    cells: rows.map(cell),
  });
  const lines = [
    comparison.isOfGuides ? "What the guides say" : "What was expected",
    ...wrapped(visible(sentence), width),
    "",
    ...textTable(
      [
        cells("key", ({ id }) => visible(id)),
        cells("the guides say", saidText),
        cells("computed", ({ computed }) => verdictText(computed)),
        cells("", agreementText),
      ],
      width,
    ),
    "",
    ...rows.flatMap((row) => wrapped(visible(`${row.id}: ${saysText(row)}`), width, "  • ")),
    "",
    ...wrapped(visible(bestSentence(comparison)), width),
    ...(errata.length === 0 ? [] : ["", "Where a guide errs"]),
    ...errata.flatMap((text) => wrapped(visible(text), width, "  • ")),
  ];
  return `${lines.join("\n")}\n`;
}

type Cells = Parameters<typeof textTable>[0][number];

function verdictText(verdict: Verdict | undefined): string {
  return verdict === undefined ? NONE : `${VERDICT_MARK[verdict]} ${verdict}`;
}

export function guideJson(comparison: GuideComparison): JsonObject {
  const { sentence, bestSaid, bestComputed, agrees, rows, errata } = comparison;
  return {
    sentence,
    best: {
      said: comparison.isOfGuides ? bestSaid : [],
      expected: bestSaid,
      computed: bestComputed ?? null,
    },
    agrees,
    candidates: rows.map((row) => ({
      id: row.id,
      said: row.isGiven ? row.accepted : [],
      expected: row.accepted,
      says: row.says,
      computed: row.computed ?? null,
      missingReasons: row.missing,
      agrees: row.agrees,
    })),
    errata,
  };
}
