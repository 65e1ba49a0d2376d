/**
 * What did not go in: told with its place and the reason, counted, and written down for whoever
 * wants to mend it. The first few are told one by one; all of them are in the file of rejects.
 *
 * A line of that file is JSON: the place, the reason, and the text as it stood in the input, unless
 * there was too much of it to hold.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { CommandFailure } from "../terminal/failure.ts";

interface Complaint {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly reason: string;
  readonly text: Buffer | undefined;
}

const TOLD_MAX = 10;

export class Complaints {
  readonly #countMax: number;
  readonly #tell: (text: string) => void;
  readonly #file: number | undefined;
  #count = 0;

  /** A run that goes on with an earlier one keeps what that has rejected. */
  constructor(options: {
    readonly countMax: number;
    readonly rejects: string | undefined;
    readonly isResumed: boolean;
    readonly tell: (text: string) => void;
  }) {
    this.#countMax = options.countMax;
    this.#tell = options.tell;
    if (options.rejects === undefined) return;
    try {
      this.#file = openSync(options.rejects, options.isResumed ? "a" : "w");
    } catch (error) {
      throw new CommandFailure(`--rejects cannot be written: ${(error as Error).message}.`);
    }
  }

  get count(): number {
    return this.#count;
  }

  get isTooMany(): boolean {
    return this.#count > this.#countMax;
  }

  add({ file, line, column, reason, text }: Complaint): void {
    this.#count++;
    if (this.#count <= TOLD_MAX) this.#tell(harmless(`${file}:${line}:${column}: ${reason}`));
    if (this.#count === TOLD_MAX + 1) this.#tell("more of them are counted and not told here");
    if (this.#file === undefined) return;
    const place = { file, line, column, reason };
    const row = text === undefined ? place : { ...place, text: text.toString("utf8") };
    try {
      writeSync(this.#file, `${JSON.stringify(row)}\n`);
    } catch (error) {
      throw new CommandFailure(`--rejects cannot be written: ${(error as Error).message}.`);
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

/** Reasons quote what stands in files and what servers say. */
function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD");
}
