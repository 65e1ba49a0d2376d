/** How far a command is, on one line of the terminal. */
import type { Environment } from "../connect/serverOptions.ts";

/** One line of standard error that is drawn over again; where nobody looks, nothing is drawn. */
export class DrawnLine {
  readonly #isShown: boolean;
  /** Whoever reads standard error as a program gets a line for each change instead. */
  readonly #isListed: boolean;
  #isDrawn = false;
  #listed = "";

  constructor(environment: Environment) {
    this.#isListed = environment["ORRERY_PROGRESS"] === "lines";
    this.#isShown = process.stderr.isTTY === true && environment["TERM"] !== "dumb";
  }

  show(text: string): void {
    if (this.#isListed && text !== this.#listed) {
      this.#listed = text;
      process.stderr.write(`progress: ${text}\n`);
    }
    if (!this.#isShown) return;
    const width = process.stderr.columns || 80;
    process.stderr.write(`\r${text.slice(0, width - 1)}\x1b[K`);
    this.#isDrawn = true;
  }

  clear(): void {
    if (this.#isDrawn) process.stderr.write("\r\x1b[K");
    this.#isDrawn = false;
  }
}
