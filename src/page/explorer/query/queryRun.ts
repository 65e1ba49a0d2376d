/**
 * A query as it was run: its pages, which are kept, and what they cost together. Sums are of
 * hundredths of RU, as headers have them, so they are exact.
 */
import type { AskFailure } from "../../session/server.ts";
import type { ChargeShare, Explained } from "./explained.ts";

export interface FetchedPage {
  /** Each row as the server wrote it, and as a value. */
  readonly texts: readonly string[];
  readonly rows: readonly unknown[];
  /** RU, as the header says it. */
  readonly charge: number;
  readonly explained: Explained | undefined;
  readonly continuation: string | undefined;
}

export interface QueryRun {
  readonly text: string;
  /** `capped`: there is more, and the limit of RU is reached. `paused`: there is more. */
  readonly state: "running" | "paused" | "capped" | "done" | "failed" | "cancelled";
  readonly pages: readonly FetchedPage[];
  readonly requestCount: number;
  readonly failure?: AskFailure | undefined;
  /** Charges of requests that brought no page of their own: empty pages and refusals. */
  readonly chargeBeside: number;
  /** When it came to rest, for one that is shown again. Milliseconds since 1970. */
  readonly keptAt?: number | undefined;
}

export function chargeOf({ pages, chargeBeside }: QueryRun): number {
  return sumOfRu([chargeBeside, ...pages.map(({ charge }) => charge)]);
}

export function sumOfRu(charges: readonly number[]): number {
  return charges.reduce((sum, charge) => sum + Math.round(charge * 100), 0) / 100;
}

export interface CostRow {
  readonly name: string;
  readonly ru: number;
  readonly items: number;
  readonly misses: number;
  readonly rows: number;
  /** Milliseconds in the index and on loading items. */
  readonly ms: number;
  /** Of the charge of all. */
  readonly share: number;
}

/** What each physical partition did over all pages, the dearest first. */
export function costRows(pages: readonly FetchedPage[]): readonly CostRow[] {
  const sums = new Map<string, ChargeShare[]>();
  for (const { explained } of pages) {
    for (const share of explained?.charge.partitions ?? []) {
      const name = share.id ?? `${share.others} others`;
      sums.set(name, [...(sums.get(name) ?? []), share]);
    }
  }
  const total = sumOfRu([...sums.values()].flat().map(({ ru }) => ru));
  return [...sums]
    .map(([name, shares]) => {
      const ru = sumOfRu(shares.map((share) => share.ru));
      return {
        name,
        ru,
        items: sum(shares, ({ items }) => items),
        misses: sum(shares, ({ misses }) => misses),
        rows: sum(shares, ({ rows }) => rows),
        ms: sum(shares, ({ ms }) => ms),
        share: total === 0 ? 0 : ru / total,
      };
    })
    .toSorted((one, other) => other.ru - one.ru);
}

export function workOf(pages: readonly FetchedPage[]): {
  readonly items: number;
  readonly rows: number;
  readonly misses: number;
  readonly totalMs: number;
  readonly indexMs: number;
  readonly loadMs: number;
} {
  const works = pages.flatMap(({ explained }) => (explained === undefined ? [] : [explained.work]));
  return {
    items: sum(works, ({ items }) => items),
    rows: sum(pages, ({ rows }) => rows.length),
    misses: sum(works, ({ misses }) => misses),
    totalMs: sum(works, ({ totalMs }) => totalMs),
    indexMs: sum(works, ({ indexMs }) => indexMs),
    loadMs: sum(works, ({ loadMs }) => loadMs),
  };
}

/** How much was read for what was given, in words. */
export function readToReturned(items: number, rows: number): string {
  const read = items === 1 ? "1 item" : `${items.toLocaleString("en")} items`;
  const given = rows === 1 ? "1 row" : `${rows.toLocaleString("en")} rows`;
  if (items === 0) return `Read no item; the index had the answer: ${given}.`;
  if (rows === 0) return `Read ${read} and returned none.`;
  const ratio = items / rows;
  const verdict =
    ratio <= 1.2
      ? "nothing in vain"
      : `${ratio < 10 ? ratio.toFixed(1) : Math.round(ratio)} for each row`;
  return `Read ${read} to return ${given}: ${verdict}.`;
}

function sum<T>(list: readonly T[], of: (each: T) => number): number {
  return list.reduce((total, each) => total + of(each), 0);
}
