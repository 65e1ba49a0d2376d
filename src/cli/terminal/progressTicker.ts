/**
 * How far something is, told again and again: on one line that is drawn over where somebody looks,
 * on a line of its own every few seconds elsewhere. What else is said meanwhile stands above it.
 */
import { millis } from "../../base/units.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { DrawnLine } from "./drawnLine.ts";

const DRAWN_MS = 200;
const TOLD_MS = 5000;

export class ProgressTicker {
  readonly #line: DrawnLine;
  readonly #isDrawn: boolean;
  readonly #text: (isDrawn: boolean) => string;
  #cancel: (() => void) | undefined;
  #isTold = false;

  constructor(environment: Environment, text: (isDrawn: boolean) => string) {
    this.#line = new DrawnLine(environment);
    this.#isDrawn = process.stderr.isTTY === true && environment["TERM"] !== "dumb";
    this.#text = text;
  }

  start(): void {
    this.#cancel = realTimer.after(millis(this.#isDrawn ? DRAWN_MS : TOLD_MS), () => {
      if (this.#isDrawn) this.#line.show(this.#text(true));
      else this.#write();
      this.start();
    });
  }

  tell(text: string): void {
    this.#line.clear();
    process.stderr.write(`${text}\n`);
  }

  stop(): void {
    this.#cancel?.();
    this.#line.clear();
  }

  /** Whoever was told how far it was is told how far it came. */
  tellLast(): void {
    if (this.#isTold) this.#write();
  }

  #write(): void {
    this.#isTold = true;
    process.stderr.write(`${this.#text(false)}\n`);
  }
}
