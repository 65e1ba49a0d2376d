/**
 * Reads what a report claims, as a reader would, and holds it against the numbers of the same
 * report: the text form against the JSON form. Returns what does not hold.
 */
import { bytesText } from "../../base/wording.ts";
import type { Advice } from "../advise/advice.ts";
import { moneyText, percentText } from "../wording/plain.ts";
import { adviceJson } from "./json.ts";
import { adviceText } from "./text.ts";

interface Row {
  readonly id: string;
  readonly expression: string;
  readonly verdict: string;
  readonly rank: number;
  readonly merits: readonly string[];
  readonly surpassed: string | null;
  readonly behind: string | null;
  readonly reasons: readonly { readonly code: string; readonly sentence: string }[];
  readonly figures: {
    readonly keys: { readonly largest: { readonly bytes: { readonly value: number } } };
    readonly load: { readonly peakRate: number };
    readonly throttling: { readonly share: number };
    readonly routing: { readonly oneKeyShare: number };
    readonly cost: { readonly cheapest: { readonly value: number }; readonly laidOut: number };
  };
}

interface Report {
  readonly summary: readonly string[];
  readonly candidates: readonly Row[];
  readonly sensitivities: readonly { readonly sentence: string }[];
  readonly measureNext: string | null;
}

const NAMELESS = /~\d|\bown-\d|-0000\d\d/;
/** Differences below this decide nothing, and the report says so by leaving them out. */
const DOLLARS_ALIKE = 100;

export function brokenClaims(advice: Advice, isAllRead = false): readonly string[] {
  const report = JSON.parse(JSON.stringify(adviceJson(advice))) as Report;
  const text = adviceText(advice, { width: undefined, top: 100 });
  const fit = report.candidates.filter(({ verdict }) => verdict !== "bad");
  return [
    ...fit.flatMap((row) => costClaims(row, fit)),
    ...report.candidates.flatMap((row) => surpassedClaims(row, report.candidates)),
    ...report.candidates.flatMap(keyClaims),
    ...summaryClaims(report),
    ...sensitivityClaims(report),
    ...starClaims(text),
    ...(NAMELESS.test(withoutIds(text, report)) ? [`a made-up value: ${lineOf(text)}`] : []),
    ...(isAllRead && /over more items/.test(text) ? ["all was read, and more is asked for"] : []),
    ...(/as good or better in everything/.test(text) ? ["nobody says which other"] : []),
    ...(/between (\S+) and \1 /.test(text) ? ["a range of nothing"] : []),
  ];
}

/** What users named may look like anything. */
function withoutIds(text: string, { candidates }: Report): string {
  return candidates.reduce((left, { id, expression }) => {
    return left.replaceAll(id, "").replaceAll(expression, "");
  }, text);
}

function lineOf(text: string): string {
  return text.split("\n").find((line) => NAMELESS.test(line)) ?? "";
}

const laidOut = ({ figures }: Row): number => figures.cost.laidOut ?? Number.POSITIVE_INFINITY;
const now = ({ figures }: Row): number => figures.cost.cheapest.value ?? Number.POSITIVE_INFINITY;

/** What is printed as the same amount is the same amount. */
function isCheaper(left: number, right: number): boolean {
  return left < right && moneyText(left) !== moneyText(right);
}

function costClaims(row: Row, fit: readonly Row[]): readonly string[] {
  const broken: string[] = [];
  for (const merit of row.merits) {
    const [, isLater, amount] =
      /^Nothing that works costs less( once .*? is)?: (\S+) a month/.exec(merit) ?? [];
    if (amount !== undefined) {
      if (amount !== moneyText(laidOut(row))) broken.push(`${row.id}: ${merit}`);
      const less = fit.filter(
        (other) =>
          isCheaper(laidOut(other), laidOut(row)) ||
          (isLater === undefined && isCheaper(now(other), now(row))),
      );
      for (const other of less) broken.push(`${row.id}: ${merit} But ${other.id} does.`);
    }
    const least = Math.min(...fit.map(laidOut));
    if (/within 10 % of the least/.test(merit) && laidOut(row) > 1.1 * least) {
      broken.push(`${row.id}: ${merit}`);
    }
    const named = /until then the least is (\S+)\./.exec(merit)?.[1];
    if (named !== undefined && named !== moneyText(Math.min(...fit.map(now)))) {
      broken.push(`${row.id}: ${merit}`);
    }
  }
  return broken;
}

function surpassedClaims(row: Row, rows: readonly Row[]): readonly string[] {
  const { surpassed } = row;
  if (surpassed === null) return [];
  if (row.verdict === "bad") return [`${row.id} is bad: there is nothing to surpass`];
  const other = rows.find(({ id }) => surpassed.startsWith(`${id} surpasses it: `));
  if (other === undefined) return [`nobody surpasses ${row.id}`];
  const broken: string[] = [];
  if (other.verdict === "bad") broken.push(`${other.id} is bad and surpasses ${row.id}`);
  if (laidOut(other) >= laidOut(row) + DOLLARS_ALIKE) broken.push(`${row.id}: dearer`);
  if (/it costs less/.test(surpassed) && !isCheaper(laidOut(other), laidOut(row))) {
    broken.push(`${row.id}: ${surpassed}`);
  }
  const isBest = row.rank < other.rank;
  if (isBest && !surpassed.includes("comes after this one all the same")) {
    broken.push(`${row.id} stands before what surpasses it, and nobody says why`);
  }
  return broken;
}

/** What is said of one logical partition cannot be more than the largest has. */
function keyClaims({ id, figures, reasons, merits }: Row): readonly string[] {
  const largest = figures.keys.largest.bytes.value;
  const broken: string[] = [];
  for (const { code, sentence } of reasons) {
    const enough = /where ([\d.,]+(?: million)?) RU\/s would do/.exec(sentence)?.[1];
    if (enough !== undefined && rateIn(enough) < figures.load.peakRate * 0.99) {
      broken.push(`${id}: ${sentence} But ${figures.load.peakRate} are asked for.`);
    }
    const shared = /share one logical partition: (.+?) \(/.exec(sentence)?.[1];
    if (code === "null-concentration" && shared !== undefined && shared !== bytesText(largest)) {
      if (bytesOf(shared) > largest * 1.05) broken.push(`${id}: ${sentence}`);
    }
  }
  for (const merit of merits) {
    const size = /^The largest logical partition ends at (.+?) of/.exec(merit)?.[1];
    if (size !== undefined && size !== bytesText(largest)) broken.push(`${id}: ${merit}`);
    const one = /reads name their keys, (.+?) just one/.exec(merit)?.[1];
    const inTable = percentText(figures.routing.oneKeyShare);
    if (one !== undefined && one !== inTable) broken.push(`${id}: ${merit} But it is ${inTable}.`);
  }
  return broken;
}

function rateIn(text: string): number {
  return Number(text.replace(/,| million/g, "")) * (text.endsWith("million") ? 1e6 : 1);
}

function bytesOf(text: string): number {
  const [, amount, unit] = /^([\d.,]+) (\w+)$/.exec(text) ?? [];
  const power = ["bytes", "KB", "MB", "GB", "TB", "PB"].indexOf(unit ?? "");
  return Number((amount ?? "").replaceAll(",", "")) * 1024 ** power;
}

function summaryClaims({ summary, candidates }: Report): readonly string[] {
  const [best, ...others] = candidates;
  const next = others.find(({ verdict }) => verdict !== "bad");
  const broken: string[] = [];
  for (const sentence of summary) {
    const opening = /is the best key, for (\S+) a month/.exec(sentence)?.[1];
    if (opening !== undefined && opening !== moneyText(laidOut(best!))) broken.push(sentence);
    if (sentence.startsWith("Next is ") && next !== undefined) {
      const share = laidOut(next) / laidOut(best!) - 1;
      const said = / (the same|not to be compared|([<\d.]+ %|[\d,]+ %) (more|less))[,.]/.exec(
        sentence,
      );
      if (said === null) broken.push(sentence);
      else if (said[1] === "the same" && moneyText(laidOut(next)) !== moneyText(laidOut(best!))) {
        broken.push(sentence);
      } else if (said[2] !== undefined && said[2] !== percentText(Math.abs(share))) {
        broken.push(sentence);
      } else if (said[3] !== undefined && (said[3] === "more") !== share > 0) broken.push(sentence);
      const but = /, but (.*)\.$/.exec(sentence)?.[1];
      const figure = but && /[\d.,]+ %/.exec(but)?.[0];
      // A difference has to be one: what is said of the next may not be true of the best, too.
      const alike = best!.reasons.some(({ sentence: own }) => but !== undefined && own === but);
      const isSame =
        figure !== undefined &&
        /of the reads ask every/.test(but ?? "") &&
        best!.reasons.some(
          ({ code, sentence: own }) => code === "fan-out" && own.startsWith(`${figure} of the`),
        );
      if (alike || isSame) broken.push(sentence);
      if (but === undefined && share < 0 && said?.[1] !== "the same") {
        broken.push(`${sentence} Nobody says why it is not first.`);
      }
    }
    if (/no other key works without any/.test(sentence)) {
      if (candidates.some(({ verdict }) => verdict === "workable")) broken.push(sentence);
    }
    if (sentence.startsWith("Ruled out: ")) {
      const fine = candidates.filter(({ verdict }) => verdict !== "bad");
      for (const { id } of fine) {
        if (sentence.includes(`: ${id} (`) || sentence.includes(`, ${id} (`)) broken.push(sentence);
      }
    }
  }
  return broken;
}

function sensitivityClaims({ sensitivities }: Report): readonly string[] {
  return sensitivities.flatMap(({ sentence }) => {
    const costs = /would be best: (\S+) a month; .* would cost (\S+?)(, but .*)?\.$/.exec(sentence);
    const [, own, other, but] = costs ?? [];
    if (own === undefined || other === undefined || but !== undefined) return [];
    return dollarsOf(own) > dollarsOf(other) ? [sentence] : [];
  });
}

function dollarsOf(text: string): number {
  return Number(text.replace(/[<$,]/g, ""));
}

/** The table's own line: a star, and no refusals worth the name behind it. */
function starClaims(text: string): readonly string[] {
  const lines = text.split("\n").filter((line) => line.includes("★"));
  return lines.filter((line) => {
    const shares = [...line.matchAll(/([\d.]+) %/g)].map(([, share]) => Number(share));
    return (shares[0] ?? 0) > 5;
  });
}
