/**
 * How a demo talks: paragraphs and tables that stay, and tables that are drawn again and again
 * while something goes on. Where nobody looks at a terminal, only what stays is printed; a story
 * that was asked for as JSON prints nothing, but remembers what it would have said.
 */
import type { LiveOutput, LiveRow, Section, Tone } from "../terminal/liveTable.ts";
import { LiveTable } from "../terminal/liveTable.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Lines of text are not longer, however wide the terminal is. */
const TEXT_COLUMNS_MAX = 96;

export class Story {
  /** Every paragraph so far. */
  readonly said: string[] = [];
  /** Whether there is somebody to draw for. */
  readonly isLive: boolean;
  readonly #table: LiveTable | undefined;
  readonly #output: LiveOutput;

  constructor(output: LiveOutput, environment: Environment, isSilent: boolean) {
    this.#output = output;
    this.#table = isSilent ? undefined : new LiveTable(output, environment);
    this.isLive = this.#table?.isInPlace === true;
  }

  title(text: string): void {
    this.#print([{ kind: "lines", lines: ["", text], tone: "strong" }]);
  }

  /** A paragraph. */
  say(text: string, tone?: Tone): void {
    this.said.push(text);
    const columns = Math.min(this.#output.columns || TEXT_COLUMNS_MAX, TEXT_COLUMNS_MAX);
    this.#print([{ kind: "lines", lines: ["", ...wrapped(text, columns)], tone }]);
  }

  table(rows: readonly LiveRow[], right: readonly string[]): void {
    this.show([{ kind: "table", rows, right }]);
  }

  show(sections: readonly Section[]): void {
    this.#print([{ kind: "lines", lines: [""] }, ...sections]);
  }

  /** Instead of what was drawn before, until something is printed. */
  draw(sections: readonly Section[]): void {
    if (this.isLive) this.#table?.show([{ kind: "lines", lines: [""] }, ...sections]);
  }

  /** What was drawn goes, so that what is printed next takes its place. */
  wipe(): void {
    if (this.isLive) this.#table?.show([]);
  }

  #print(sections: readonly Section[]): void {
    this.#table?.print(sections);
  }
}

/** Between an amount and its unit no line ends. */
const BREAK = / (?!(?:%|RU|RU\/s|MB|KB|ms|s)(?!\w))/;

/** At blanks; a word that is too long gets a line of its own. */
export function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(BREAK)) {
    if (line !== "" && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
