/**
 * Whether a container is what it should be as the copy of another one, while both are being
 * written.
 *
 * A *whole* run reads both sides once, by number, and compares them row by row. Then, like every
 * later run, it looks at what the logs name as changed since its position. So a later run reads a
 * fraction; because what was booked proves nothing about bytes on disk, it also reads the next
 * hundredth of all rows again, whether they have changed or not, and comes to all of them in turn.
 * Rows that seem to differ are looked at again when the target has caught up (`doubts.ts`).
 *
 * Every run takes its positions before it reads, so an item that changes while the run reads is
 * looked at again by that run or by the next. Results are held in memory; what a run needs to go on
 * after a restart is small, and is given to whoever keeps it (`remembered`). The sums begin anew
 * with a whole run. Memory is bounded: see `standingVerdicts.ts` and `doubts.ts`, at most 64 MB
 * together.
 *
 * Not here: how copies are made, when to compare, and who pays.
 */
import type { Container } from "../partition/container.ts";
import { Imprinter } from "./bucketSums.ts";
import type { ComparedPair, RunTerms } from "./comparedPair.ts";
import { Doubts } from "./doubts.ts";
import { changesSince, endOfLogs, isSwept } from "./logChanges.ts";
import type { ComparisonSetting } from "./rowReader.ts";
import { BEGINNING, RowReader } from "./rowReader.ts";
import type { ReadPositions } from "./staleness.ts";
import { distanceOf, STALE_SHARE, stateOf } from "./staleness.ts";
import type { ComparedRange, ListedDifference } from "./standingVerdicts.ts";
import { StandingVerdicts } from "./standingVerdicts.ts";
import type { ComparedRow, Deviation, RowVerdict } from "./verdict.ts";
import { Judge } from "./verdict.ts";

/** Shaped like the verification report of the admin API; the last four members go beyond it. */
export interface ComparisonReport {
  readonly state: "none" | "running" | "fresh" | "stale" | "differs";
  /** When the last run ended, in milliseconds since 1970. */
  readonly at?: number | undefined;
  readonly seconds?: number | undefined;
  /** How many copies there should be, as far as the runs have come. */
  readonly comparedCount?: number | undefined;
  /** How many rows the last run read from both sides. */
  readonly readCount?: number | undefined;
  readonly missingCount?: number | undefined;
  readonly extraCount?: number | undefined;
  readonly differingCount?: number | undefined;
  readonly differences?: readonly ListedDifference[] | undefined;
  readonly share?: number | undefined;
  /** The content sum of all copies as they should be. */
  readonly sum?: string | undefined;
  /** The content sum of the target; the same as `sum` when nothing differs. */
  readonly targetSum?: string | undefined;
  /** Items that changed at every look, and of which nothing can be said yet. */
  readonly inMotionCount?: number | undefined;
  /** Why the last run read everything; absent when it read what had changed. */
  readonly wholeBecause?: string | undefined;
}

const SCRUB_SHARE = 0.01;
const SCRUB_ROWS_MIN = 16;
/** After so many rounds of changes writers are faster than the comparison. */
const ROUNDS_MAX = 3;
/** With more items that differ the first run after a restart reads everything. */
const UNSETTLED_KEPT_MAX = 1000;
const SWEPT = "deletions have left a log";
/** Numbers of changed items that are gathered before they are looked at; 8 MB. */
const CHANGED_COUNT_MAX = 131_072;

/**
 * From where the next run goes on: verdicts about all items, and the positions up to which they
 * hold. A run that is cut short may have renewed some verdicts, but leaves the positions.
 */
interface Base {
  readonly standing: StandingVerdicts;
  readonly positions: ReadPositions;
}

/** The figures of the last run that came to its end. */
export type ComparedFigures = Omit<ComparisonReport, "state" | "share"> & {
  readonly at: number;
  readonly comparedCount: number;
};

/** What outlives a restart: the verdict, and from where the next run goes on. */
export interface RememberedComparison {
  readonly figures: ComparedFigures;
  readonly positions: ReadPositions;
  /** Numbers of items that differ, or that changed at every look. */
  readonly unsettled: readonly number[];
}

/** A run while it goes on. */
interface Running {
  readonly reader: RowReader;
  readonly standing: StandingVerdicts;
  readonly doubts: Doubts;
  /** How many rows the run expects to read. */
  expectedCount: number;
  /** True when deletions left a log before the run had read them. */
  hasMissed: boolean;
}

export class ContainerComparison {
  readonly #setting: ComparisonSetting;
  readonly #pair: ComparedPair;
  readonly #imprinter: Imprinter;
  readonly #judge: Judge;
  #base: Base | undefined;
  /** False when deletions left a log while everything was read. */
  #isComplete = false;
  #figures: ComparedFigures | undefined;
  #running: Running | undefined;
  #run: Promise<void> | undefined;
  /** The number after which the next run reads unchanged rows again. */
  #scrubbedThrough = BEGINNING;

  constructor(setting: ComparisonSetting, pair: ComparedPair, remembered?: RememberedComparison) {
    this.#setting = setting;
    this.#pair = pair;
    if (remembered !== undefined) {
      const { figures, positions, unsettled } = remembered;
      this.#figures = figures;
      this.#base = { standing: StandingVerdicts.ofUnsettled(unsettled), positions };
      this.#isComplete = true;
    }
    this.#imprinter = new Imprinter(pair.target.definition.partitionKey, pair.target.rid);
    this.#judge = new Judge(pair, this.#imprinter);
  }

  /**
   * Compares once; a call while a run goes on waits for that run. Resolves early, and leaves the
   * figures of the run before, when told to stop, when one of the containers is deleted, or when
   * the target does not catch up. Rejects when the store does.
   */
  run(terms: RunTerms): Promise<void> {
    this.#run ??= this.#compare(terms).finally(() => {
      this.#run = undefined;
      this.#running = undefined;
    });
    return this.#run;
  }

  get report(): ComparisonReport {
    const figures = this.#figures;
    if (this.#running !== undefined) {
      const { reader, expectedCount } = this.#running;
      const share = Math.min(0.99, reader.rowCount / Math.max(1, expectedCount));
      return { ...figures, state: "running", share };
    }
    return figures === undefined ? { state: "none" } : { ...figures, state: this.#state(figures) };
  }

  /** Undefined where the next run has to read everything. */
  get remembered(): RememberedComparison | undefined {
    const figures = this.#figures;
    if (figures === undefined || this.#base === undefined || !this.#isComplete) return undefined;
    const { standing, positions } = this.#base;
    const { unsettled, canGoOn } = standing;
    if (!canGoOn || unsettled.length > UNSETTLED_KEPT_MAX) return undefined;
    return { figures, positions, unsettled };
  }

  /** False when so much has changed, or was lost, that the next run reads everything. */
  get canGoOn(): boolean {
    if (this.#base === undefined || !this.#isComplete) return false;
    return this.#base.standing.canGoOn && !this.#hasMostChanged(this.#base.positions);
  }

  /** Counts, bytes and sums of both sides by key range of the target, as far as runs have come. */
  get ranges(): readonly ComparedRange[] {
    return this.#base?.standing.rangesOf(this.#imprinter.ranges) ?? [];
  }

  async #compare(terms: RunTerms): Promise<void> {
    const startedAt = this.#setting.clock.now();
    const reader = new RowReader(this.#setting, this.#pair, terms);
    let wholeBecause = await this.#wholeReason(terms);
    if (wholeBecause === undefined && !(await this.#goOn(reader))) {
      if (reader.isStopped || this.#base !== undefined) return;
      wholeBecause = SWEPT;
    }
    if (wholeBecause !== undefined && !(await this.#beginAnew(reader))) return;
    const seconds = (this.#setting.clock.now() - startedAt) / 1000;
    this.#figures = this.#figuresOf({ seconds, readCount: reader.rowCount, wholeBecause });
  }

  /** Why everything has to be read; undefined if what changed is enough. */
  async #wholeReason({ isWhole }: RunTerms): Promise<string | undefined> {
    if (this.#figures === undefined) return "nothing was compared before";
    if (this.#base === undefined) return "the whole run before came to no end";
    if (isWhole === true) return "it was asked for";
    if (!this.#isComplete) return SWEPT;
    const { positions, standing } = this.#base;
    if (!standing.canGoOn) return "too many items differed to remember them all";
    if (await this.#isForgotten(positions)) return SWEPT;
    return this.#hasMostChanged(positions) ? "most items have changed" : undefined;
  }

  #hasMostChanged(positions: ReadPositions): boolean {
    return distanceOf(this.#pair, positions) * 2 > itemCountOf(this.#pair.source);
  }

  /** Reads everything. False when the run was cut short. */
  async #beginAnew(reader: RowReader): Promise<boolean> {
    const { source, target } = this.#pair;
    // Released first, so that there is one standing in memory and not two.
    this.#base = undefined;
    // Taken before anything is read, so that no change falls between two runs.
    const start = { source: endOfLogs(source), target: endOfLogs(target) };
    const running = this.#begin(reader, new StandingVerdicts());
    running.expectedCount = Math.max(itemCountOf(source), itemCountOf(target));
    if (!(await this.#readAll(running))) return false;
    const positions = await this.#follow(running, start);
    if (positions === undefined) return false;
    this.#scrubbedThrough = BEGINNING;
    this.#base = { standing: running.standing, positions };
    // Without the deletions nobody can tell what the run missed: the next one is whole, too.
    this.#isComplete = !running.hasMissed;
    return true;
  }

  /** Reads what changed, and some of the rest. False when cut short, or, without base, swept. */
  async #goOn(reader: RowReader): Promise<boolean> {
    const { standing, positions: since } = this.#base!;
    const running = this.#begin(reader, standing);
    const scrubCount = Math.ceil(itemCountOf(this.#pair.source) * SCRUB_SHARE);
    running.expectedCount = distanceOf(this.#pair, since) + scrubCount;
    const scrubbed = await this.#scrub(running, Math.max(SCRUB_ROWS_MIN, scrubCount));
    if (scrubbed === undefined) return false;
    const positions = await this.#follow(running, since);
    if (positions === undefined) return false;
    if (running.hasMissed) {
      this.#base = undefined;
      return false;
    }
    this.#scrubbedThrough = scrubbed;
    this.#base = { standing, positions };
    return true;
  }

  #begin(reader: RowReader, standing: StandingVerdicts): Running {
    const judge = (row: ComparedRow): RowVerdict => this.#judgeNow(row);
    const doubts = new Doubts({ pair: this.#pair, reader, standing, judge });
    const running = { reader, standing, doubts, expectedCount: 0, hasMissed: false };
    this.#running = running;
    return running;
  }

  async #readAll({ reader, standing, doubts }: Running): Promise<boolean> {
    const takeRow = (row: ComparedRow): void => {
      const verdict = this.#judgeNow(row);
      if (isInOrder(verdict)) standing.enterFirst(row.number, verdict);
      else doubts.note(row);
    };
    const makeRoom = (): Promise<boolean> =>
      doubts.isFull ? doubts.resolve() : Promise.resolve(true);
    const through = await reader.scan(BEGINNING, Number.POSITIVE_INFINITY, takeRow, makeRoom);
    return through !== undefined;
  }

  /**
   * Looks at what changed since the positions, and again at what changed meanwhile, until that is
   * little: a copier that was waited for may have written much. Leaves no doubts. Resolves with the
   * positions up to which it has read, or with undefined when the run was cut short.
   */
  async #follow(running: Running, since: ReadPositions): Promise<ReadPositions | undefined> {
    let positions = since;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const next = await this.#readChanges(running, positions);
      // Looked at after the logs were read: a sweep may have come before a log was.
      running.hasMissed ||= await this.#isForgotten(positions);
      if (next === undefined || !(await running.doubts.resolve())) return undefined;
      positions = next;
      if (distanceOf(this.#pair, positions) <= itemCountOf(this.#pair.source) * STALE_SHARE) break;
    }
    return positions;
  }

  /** Looks at what changed since the positions; resolves with those up to which it has read. */
  async #readChanges(running: Running, since: ReadPositions): Promise<ReadPositions | undefined> {
    const { source, target, numberShift } = this.#pair;
    const numbers = new Set(running.standing.unsettled);
    const take = async (number: number): Promise<boolean> => {
      numbers.add(number);
      return numbers.size < CHANGED_COUNT_MAX || (await this.#lookAt(running, numbers));
    };
    const takeCopy = (number: number): Promise<boolean> => take(number - numberShift);
    const sourceEnd = await changesSince(this.#setting, source, since.source, take);
    if (sourceEnd === undefined) return undefined;
    const targetEnd = await changesSince(this.#setting, target, since.target, takeCopy);
    if (targetEnd === undefined || !(await this.#lookAt(running, numbers))) return undefined;
    return { source: sourceEnd, target: targetEnd };
  }

  async #lookAt(running: Running, numbers: Set<number>): Promise<boolean> {
    const { reader, doubts } = running;
    running.expectedCount = Math.max(running.expectedCount, reader.rowCount + numbers.size);
    if (!(await reader.look(numbers, (row) => this.#enterOrDoubt(running, row)))) return false;
    numbers.clear();
    return doubts.isFull ? doubts.resolve() : true;
  }

  /** Reads the next rows again, in the order of numbers; undefined when told to stop. */
  #scrub(running: Running, rowCount: number): Promise<number | undefined> {
    const takeRow = (row: ComparedRow): void => this.#enterOrDoubt(running, row);
    return running.reader.scan(this.#scrubbedThrough, rowCount, takeRow);
  }

  #enterOrDoubt({ standing, doubts }: Running, row: ComparedRow): void {
    const verdict = this.#judgeNow(row);
    if (!isInOrder(verdict)) {
      doubts.note(row);
      return;
    }
    standing.enter(row.number, verdict);
    doubts.drop(row.number);
  }

  #judgeNow(row: ComparedRow): RowVerdict {
    return this.#judge.judge(row, this.#setting.clock.wallNow());
  }

  #figuresOf(
    run: Required<Pick<ComparisonReport, "seconds" | "readCount" | "wholeBecause">>,
  ): ComparedFigures {
    const { standing } = this.#base!;
    return {
      ...run,
      at: this.#setting.clock.wallNow(),
      comparedCount: standing.expected?.itemCount ?? itemCountOf(this.#pair.source),
      missingCount: standing.countOf("missing"),
      extraCount: standing.countOf("extra"),
      differingCount: standing.countOf("differs"),
      differences: standing.listed,
      sum: standing.expected?.sum,
      targetSum: standing.found?.sum,
      inMotionCount: standing.inMotionCount,
    };
  }

  #state(figures: ComparedFigures): ComparisonReport["state"] {
    const changedCount =
      this.#base === undefined || !this.#isComplete
        ? undefined
        : distanceOf(this.#pair, this.#base.positions);
    return stateOf(figures, changedCount, this.#setting.clock.wallNow());
  }

  async #isForgotten({ source, target }: ReadPositions): Promise<boolean> {
    const isForgotten = await isSwept(this.#setting, this.#pair.source, source);
    return isForgotten || isSwept(this.#setting, this.#pair.target, target);
  }
}

function isInOrder(verdict: RowVerdict): verdict is Exclude<RowVerdict, Deviation> {
  return verdict.kind === "nothing" || verdict.kind === "equal";
}

function itemCountOf({ partitions }: Container): number {
  let count = 0;
  for (const { head } of partitions.values()) count += head.itemCount;
  return count;
}
