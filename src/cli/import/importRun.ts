/**
 * One import from its first byte to its last: records are read, shaped and handed to whoever takes
 * them, and how far each input is gets noted.
 *
 * Invariants
 * - What was read ahead of what was dealt with is bounded, in bytes and in items.
 * - A record is dealt with when its item went in or a complaint was made of it, and not before:
 *   only then does the input count as done up to there.
 * - However a run ends, what was under way has been answered, and what is noted is true.
 */

import type { Clock } from "../../base/world.ts";
import { placeOf } from "../../itemFile/parsedItem.ts";
import type { FoundRecord, RecordPlace } from "../../itemFile/record.ts";
import type { Draw } from "../../keys/component.ts";
import { ItemSource, openedUnlessEmpty, totalBytesOf } from "../input/itemSource.ts";
import type { Complaints } from "./complaints.ts";
import { InputProgress } from "./inputProgress.ts";
import type { ImportOperation, Outcome } from "./operation.ts";
import { operationOf } from "./operation.ts";
import type { ImportOptions } from "./options.ts";
import { epkText, type Placement } from "./placement.ts";
import { type Shaper, shaperOf } from "./shaping.ts";
import { ImportTally, type Sight } from "./tally.ts";

/** Where operations go: a `PartitionWriter`, or whoever only counts them. */
export interface OperationSink {
  readonly hasRoom: boolean;
  readonly heldCount: number;
  readonly counts: { readonly ru: number; readonly throttledCount: number };
  isUnderWay(item: Pick<ImportOperation, "epk" | "id">): boolean;
  add(operation: ImportOperation): void;
  until(isEnough: () => boolean): Promise<void>;
  stop(): Promise<void>;
  wake(): void;
}

interface RunOptions {
  readonly options: ImportOptions;
  readonly placement: Placement;
  readonly complaints: Complaints;
  readonly clock: Clock;
  readonly draw: Draw;
  /** Of each input, where to go on. */
  readonly skippedBytes: readonly number[];
  /** Items may be there already from an earlier run. */
  readonly isResumed: boolean;
}

export type RunEnd = "complete" | "interrupted" | "tooManyErrors" | "limit";

/** Read and not yet dealt with. The bytes of an item hold the chunk that they are a slice of. */
const AHEAD_BYTES_MAX: number = 32 * 1024 * 1024;

export class ImportRun {
  readonly inputs: readonly InputProgress[];
  readonly #run: RunOptions;
  readonly #shaper: Shaper;
  readonly #tally = new ImportTally();
  readonly #totalBytes: number | undefined;
  readonly #startedAt: number;
  /** Inputs that are not dealt with up to where they were read. */
  #behind: InputProgress[] = [];
  #source: ItemSource | undefined;
  #formerBytes = 0;
  #passedBytes = 0;
  #takenCount = 0;
  #isInterrupted = false;
  #onInterrupt: (() => void) | undefined;
  #sink: OperationSink | undefined;

  constructor(run: RunOptions) {
    const { options, placement, draw, skippedBytes } = run;
    this.#run = run;
    this.#shaper = shaperOf(placement, { ...options.shape, draw });
    this.#totalBytes = totalBytesOf(options.files);
    this.#startedAt = run.clock.now();
    this.inputs = options.files.map(
      (name, index) =>
        new InputProgress(name === "-" ? "standard input" : name, skippedBytes[index]!),
    );
  }

  get sight(): Sight {
    const { ru = 0, throttledCount = 0 } = this.#sink?.counts ?? {};
    return {
      tally: this.#tally,
      rejectedCount: this.#run.complaints.count,
      seconds: (this.#run.clock.now() - this.#startedAt) / 1000,
      ru,
      throttledCount,
      totalBytes: this.#totalBytes,
      readBytes: (this.#formerBytes + (this.#source?.readBytes ?? 0)) * this.#doneShare,
      passedBytes: this.#passedBytes,
    };
  }

  /** How much of what was read has been dealt with: the reader may be far ahead. */
  get #doneShare(): number {
    let settled = 0;
    let begun = 0;
    for (const { settledShare } of this.inputs) {
      settled += settledShare.settledBytes;
      begun += settledShare.begunBytes;
    }
    return begun === 0 ? 1 : settled / begun;
  }

  /** Reads nothing more; what is under way is waited for. */
  interrupt(): void {
    this.#isInterrupted = true;
    this.#onInterrupt?.();
    this.#sink?.wake();
  }

  settled(operation: ImportOperation, outcome: Outcome): void {
    const { input, line, column, bytes } = operation;
    if (outcome.kind === "refused") {
      const { reason } = outcome;
      this.#run.complaints.add({ file: input.name, line, column, reason, text: bytes });
    } else this.#tally.add(outcome.kind, bytes.length);
    input.settle(operation);
  }

  async run(sink: OperationSink): Promise<RunEnd> {
    this.#sink = sink;
    try {
      for (const [index, input] of this.inputs.entries()) {
        if (this.#isOver) break;
        await this.#read(this.#run.options.files[index]!, input, sink);
      }
      if (!this.#mustStop) await sink.until(() => this.#mustStop || sink.heldCount === 0);
    } finally {
      await sink.stop();
    }
    if (this.#run.complaints.isTooMany) return "tooManyErrors";
    if (this.#isInterrupted) return "interrupted";
    return this.#isLimited ? "limit" : "complete";
  }

  get #mustStop(): boolean {
    return this.#isInterrupted || this.#run.complaints.isTooMany;
  }

  get #isLimited(): boolean {
    return this.#takenCount >= this.#run.options.countMax;
  }

  get #isOver(): boolean {
    return this.#mustStop || this.#isLimited;
  }

  async #read(file: string, input: InputProgress, sink: OperationSink): Promise<void> {
    const source = new ItemSource(openedUnlessEmpty(file), this.#run.options);
    const records = source.records();
    this.#source = source;
    this.#behind.push(input);
    while (!this.#isOver) {
      const found = await this.#next(records);
      if (found === undefined) break;
      await this.#takeAll(found, input, sink);
      if (input.doneBytes <= input.skippedBytes && input.aheadBytes === 0) {
        this.#passedBytes = this.#formerBytes + source.readBytes;
      }
    }
    // Not waited for: standard input may have nothing to say for ever.
    if (this.#isOver) void records.return();
    this.#formerBytes += source.readBytes;
    this.#source = undefined;
  }

  /** Undefined at the end, or when somebody wants no more. */
  #next(
    records: AsyncGenerator<readonly FoundRecord[], void>,
  ): Promise<readonly FoundRecord[] | undefined> {
    return new Promise((resolve, reject) => {
      this.#onInterrupt = () => resolve(undefined);
      records.next().then(({ done, value }) => {
        resolve(done === true ? undefined : (value as readonly FoundRecord[]));
      }, reject);
    });
  }

  async #takeAll(
    found: readonly FoundRecord[],
    input: InputProgress,
    sink: OperationSink,
  ): Promise<void> {
    for (const record of found) {
      if (record.end <= input.skippedBytes) continue;
      if (this.#isOver) return;
      const operation = this.#operationOf(record, input);
      if (operation === undefined) continue;
      this.#takenCount++;
      if (sink.isUnderWay(operation)) {
        await sink.until(() => this.#mustStop || !sink.isUnderWay(operation));
        if (this.#mustStop) return;
      }
      sink.add(operation);
      if (!this.#hasRoom(sink)) await sink.until(() => this.#mustStop || this.#hasRoom(sink));
    }
  }

  #hasRoom(sink: OperationSink): boolean {
    if (this.#behind.length > 1) {
      this.#behind = this.#behind.filter(
        (input, index) => input.aheadBytes > 0 || index === this.#behind.length - 1,
      );
    }
    const ahead = this.#behind.reduce((sum, input) => sum + input.aheadBytes, 0);
    return sink.hasRoom && ahead < AHEAD_BYTES_MAX;
  }

  /** Undefined when it is none, and the complaint has been made. */
  #operationOf(record: FoundRecord, input: InputProgress): ImportOperation | undefined {
    if (record.kind === "broken") {
      const { reason, atByte } = record;
      const told = atByte === undefined ? reason : `${reason} (at byte ${atByte})`;
      this.#complain(record, input, told, record.bytes);
      return undefined;
    }
    const shaped = this.#shaper(record);
    if (!shaped.ok) {
      const place = { ...placeOf(record, shaped.error), end: record.end };
      this.#complain(place, input, shaped.error.reason, record.bytes);
      return undefined;
    }
    const { placement, isResumed } = this.#run;
    const epk = epkText(placement, shaped.value.key);
    const { line, column, end } = record;
    const operation = operationOf(shaped.value, epk, { input, line, column, end }, isResumed);
    input.begin(operation);
    return operation;
  }

  #complain(
    { line, column, end }: RecordPlace,
    input: InputProgress,
    reason: string,
    text: Buffer | undefined,
  ): void {
    const pending = { end, isSettled: false };
    input.begin(pending);
    this.#run.complaints.add({ file: input.name, line, column, reason, text });
    input.settle(pending);
  }
}
