/** How far a command is, on one line of the terminal. */
import type { Environment } from "../connect/serverOptions.ts";

/** One line of standard error that is drawn over again; where nobody looks, nothing is drawn. */
export class DrawnLine {
  readonly #isShown: boolean;
  #isDrawn = false;

  constructor(environment: Environment) {
    this.#isShown = process.stderr.isTTY === true && environment["TERM"] !== "dumb";
  }

  show(text: string): void {
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
