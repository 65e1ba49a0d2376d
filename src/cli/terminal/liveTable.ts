/**
 * Tables and lines that are drawn again and again in the same place, where somebody looks at a
 * terminal; one after the other where the output is a file or a pipe.
 *
 * In place means: the cursor goes up over what was drawn before, every line is cleared to its end,
 * and so is what is left below. No alternate screen and no hidden cursor, so there is nothing to
 * restore when the program ends, however it does. No line is wider and no drawing higher than the
 * terminal, or else the way up would be too short.
 *
 * Colours come on top of words and numbers, never instead of them, and not at all under NO_COLOR.
 */
import { tableOf } from "./table.ts";

export interface LiveOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  /** A terminal that does not know says 0. */
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

export type Tone = "strong" | "faint" | "warning" | "alarm";

export type Section =
  | { readonly kind: "lines"; readonly lines: readonly string[]; readonly tone?: Tone | undefined }
  | {
      readonly kind: "table";
      readonly rows: readonly LiveRow[];
      /** The columns whose cells are put to the right: numbers, whatever comes behind them. */
      readonly right: readonly string[];
    };

export interface LiveRow {
  /** By the name of their column; the same names in the same order in every row. */
  readonly cells: Readonly<Record<string, string>>;
  readonly tone?: Tone | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

export class LiveTable {
  /** Whether a drawing replaces the one before. */
  readonly isInPlace: boolean;
  readonly #output: LiveOutput;
  readonly #hasColours: boolean;
  #drawn: readonly Line[] = [];

  constructor(output: LiveOutput, environment: Environment) {
    this.#output = output;
    this.isInPlace = output.isTTY === true && environment["TERM"] !== "dumb";
    this.#hasColours = this.isInPlace && !environment["NO_COLOR"];
  }

  /** Instead of what was shown before. */
  show(sections: readonly Section[]): void {
    if (!this.isInPlace) {
      this.print(sections);
      return;
    }
    const width = this.#output.columns || 80;
    const lines = fitted(linesOf(sections, width), this.#output.rows || 24).map(
      ({ text, tone }) => ({ text: cut(text, width), tone }),
    );
    const up = this.#drawn.reduce((sum, line) => sum + heightOf(line, width), 0);
    const drawn = lines.map((line) => `${this.#painted(line)}\x1b[K\n`).join("");
    this.#output.write(`${up === 0 ? "" : `\x1b[${up}A`}\r${drawn}\x1b[J`);
    this.#drawn = lines;
  }

  /** Below what was shown before, and for good. Lines may be longer than the terminal is wide. */
  print(sections: readonly Section[]): void {
    const width = this.#output.isTTY === true ? this.#output.columns || undefined : undefined;
    const lines = linesOf(sections, width).map((line) => `${this.#painted(line)}\n`);
    this.#drawn = [];
    this.#output.write(lines.join(""));
  }

  #painted({ text, tone }: Line): string {
    return tone === undefined || !this.#hasColours ? text : `${PAINT[tone]}${text}\x1b[0m`;
  }
}

const PAINT: Readonly<Record<Tone, string>> = {
  strong: "\x1b[1m",
  faint: "\x1b[2m",
  warning: "\x1b[33m",
  alarm: "\x1b[31m",
};

interface Line {
  readonly text: string;
  readonly tone: Tone | undefined;
}

function linesOf(sections: readonly Section[], width: number | undefined): readonly Line[] {
  return sections.flatMap((section) =>
    section.kind === "lines"
      ? section.lines.map((text) => ({ text: harmless(text), tone: section.tone }))
      : tableLines(section.rows, section.right, width),
  );
}

/** Names come from users and may hold anything; in tables they are escaped already. */
function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD");
}

/** A line of names, a rule, the rows, and what had no room. */
function tableLines(
  rows: readonly LiveRow[],
  right: readonly string[],
  width: number | undefined,
): readonly Line[] {
  if (rows.length === 0) return [];
  let cells = rows.map((row) => row.cells);
  for (const name of right) cells = rightAligned(cells, name);
  const texts = tableOf(cells, width).trimEnd().split("\n");
  const tones: readonly (Tone | undefined)[] = ["strong", "faint", ...rows.map(({ tone }) => tone)];
  return texts.map((text, at) => ({ text, tone: at < tones.length ? tones[at] : "faint" }));
}

/** Blanks in front of the cells of a column and its name, so that all of them end together. */
function rightAligned(rows: readonly LiveRow["cells"][], name: string): LiveRow["cells"][] {
  const cells = rows.map((row) => row[name] ?? "");
  const width = Math.max(name.length, ...cells.map((cell) => cell.length));
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([key, cell]) =>
        key === name ? [key.padStart(width), cell.padStart(width)] : [key, cell],
      ),
    ),
  );
}

/** What does not fit is counted; the line behind the last is where the cursor waits. */
function fitted(lines: readonly Line[], height: number): readonly Line[] {
  if (lines.length < height) return lines;
  const shown = lines.slice(0, Math.max(0, height - 2));
  return [...shown, { text: `… ${lines.length - shown.length} more lines`, tone: "faint" }];
}

/** A terminal that has become narrower since has broken the line. */
function heightOf({ text }: Line, width: number): number {
  return Math.max(1, Math.ceil(widthOf(text) / width));
}

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let used = 0;
  let kept = "";
  for (const unit of text) {
    used += widthOf(unit);
    if (used > width - 1) break;
    kept += unit;
  }
  return `${kept}…`;
}

/** Scripts and pictures of East Asia, as far as they matter for keys: from and to, inclusive. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
];
const MARK = /\p{M}/u;

/** Places on a terminal: letters of East Asia and pictures take two, marks on a letter none. */
function widthOf(text: string): number {
  let width = 0;
  for (const unit of text) width += isWide(unit) ? 2 : MARK.test(unit) ? 0 : 1;
  return width;
}

function isWide(unit: string): boolean {
  const code = unit.codePointAt(0)!;
  return code >= 0x1100 && WIDE.some(([from, to]) => from <= code && code <= to);
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A share from 0 to 1 as a bar of at most `length` places. */
export function barOf(share: number, length: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * length * 8);
  return `${"█".repeat(eighths >> 3)}${EIGHTHS[eighths & 7]}`.padEnd(length);
}

/** With commas between the thousands, and one digit behind the point below ten. */
export function numberText(amount: number): string {
  const rounded = Math.abs(amount) < 10 ? Math.round(amount * 10) / 10 : Math.round(amount);
  return rounded.toLocaleString("en-US");
}

/** A share from 0 to 1 in percent. A little is not nothing, and nearly all is not all. */
export function percentText(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return "<0.1";
  if (percent < 100 && percent > 99.9) return ">99.9";
  return decimal(percent);
}

function decimal(amount: number): string {
  return amount.toFixed(amount < 100 && !Number.isInteger(amount) ? 1 : 0);
}
