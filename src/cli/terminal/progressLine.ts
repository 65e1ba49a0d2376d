/** A line that says how far a command is: drawn anew in place, or now and then where it stays. */
import { realClock } from "../../server/surroundings/realWorld.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { LiveTable } from "./liveTable.ts";

const IN_PLACE_MS = 200;
/** Where every line stays, fewer are more. */
const PLAIN_MS = 5_000;

export class ProgressLine {
  readonly #table: LiveTable;
  readonly #everyMs: number;
  #toldAt: number;

  constructor(environment: Environment) {
    this.#table = new LiveTable(process.stderr, environment);
    this.#everyMs = this.#table.isInPlace ? IN_PLACE_MS : PLAIN_MS;
    this.#toldAt = realClock.now();
  }

  /** `text` is made only when it is shown. */
  show(text: () => string): void {
    const now = realClock.now();
    if (now - this.#toldAt < this.#everyMs) return;
    this.#toldAt = now;
    this.#table.show([{ kind: "lines", lines: [text()] }]);
  }

  /** Takes the line away, where that can be done. */
  clear(): void {
    if (this.#table.isInPlace) this.#table.show([]);
  }
}
