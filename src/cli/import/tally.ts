/** How many items came to what, and how that is told: while it goes on, and in the end. */
import { shortBytesText, shortDurationText } from "../../base/wording.ts";
import { barOf, numberText } from "../terminal/liveTable.ts";
import type { Outcome } from "./operation.ts";

export class ImportTally {
  created = 0;
  replaced = 0;
  skipped = 0;
  /** Were there from an earlier try, with the same content. */
  present = 0;
  /** Bytes of items that went in. */
  bytes = 0;

  add(kind: Exclude<Outcome["kind"], "refused">, bytes: number): void {
    this[kind]++;
    if (kind !== "skipped") this.bytes += bytes;
  }

  get itemCount(): number {
    return this.created + this.replaced + this.skipped + this.present;
  }
}

/** What there is to see of an import at one moment. */
export interface Sight {
  readonly tally: ImportTally;
  readonly rejectedCount: number;
  readonly seconds: number;
  readonly ru: number;
  readonly throttledCount: number;
  /** Of the inputs as they lie on disk; undefined when nobody knows. */
  readonly totalBytes: number | undefined;
  readonly readBytes: number;
  /** Those that were read only to pass over them. */
  readonly passedBytes: number;
}

/** The bar is for those who look. */
export function progressText(sight: Sight, hasBar: boolean): string {
  const { tally, seconds, ru, throttledCount, rejectedCount, totalBytes, readBytes } = sight;
  const rate = seconds > 0 ? tally.itemCount / seconds : 0;
  const parts = [
    `${numberText(tally.itemCount)} items`,
    shortBytesText(tally.bytes),
    `${numberText(rate)} items/s`,
    `${numberText(ru)} RU`,
    ...(throttledCount > 0 ? [`${numberText(throttledCount)} times 429`] : []),
    ...(rejectedCount > 0 ? [`${numberText(rejectedCount)} rejected`] : []),
  ];
  if (totalBytes === undefined || totalBytes === 0) return parts.join(", ");
  const done = readBytes - sight.passedBytes;
  const left = done > 0 ? (seconds * (totalBytes - readBytes)) / done : undefined;
  const eta = left === undefined ? "" : `, ${shortDurationText(left)} to go`;
  const percent = `${Math.floor((100 * readBytes) / totalBytes)} %`;
  const bar = hasBar ? `${barOf(readBytes / totalBytes, 16)} ` : "";
  return `${bar}${percent}, ${parts.join(", ")}${eta}`;
}

export function summaryLines(sight: Sight, mode: string): readonly string[] {
  const { tally, rejectedCount, seconds, ru, throttledCount } = sight;
  const rows: readonly [string, number, string][] = [
    ["created", tally.created, ""],
    ["replaced", tally.replaced, ""],
    ["skipped", tally.skipped, " (there already, and let be)"],
    ["present", tally.present, " (there already from an earlier try, with the same content)"],
    ["rejected", rejectedCount, ""],
  ];
  const shown = rows.filter(
    ([name, count]) => count > 0 || (name === "created" && mode !== "upsert"),
  );
  const rate = seconds > 0 ? tally.itemCount / seconds : 0;
  return [
    ...shown.map(([name, count, remark]) => `${name.padEnd(9)} ${numberText(count)}${remark}`),
    `${"charge".padEnd(9)} ${ru.toFixed(2)} RU, ${numberText(throttledCount)} times 429`,
    `${"time".padEnd(9)} ${seconds.toFixed(2)} s, ${numberText(rate)} items/s, ` +
      `${shortBytesText(tally.bytes)} of items`,
  ];
}

/** Of a run that sent nothing. */
export function dryLines({ tally, rejectedCount, seconds }: Sight): readonly string[] {
  return [
    "This was a dry run: nothing was sent.",
    `${"fine".padEnd(9)} ${numberText(tally.itemCount)}, ${shortBytesText(tally.bytes)} of items`,
    `${"rejected".padEnd(9)} ${numberText(rejectedCount)}`,
    `${"time".padEnd(9)} ${seconds.toFixed(2)} s`,
  ];
}
