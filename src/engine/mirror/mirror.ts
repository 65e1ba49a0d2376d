/**
 * The mirroring of one container: counts its live reads by shape, runs a share of them on the
 * target as well, and keeps what these runs come to.
 *
 * A live read is only looked at after it was served, and nothing that happens here reaches its
 * client: the run comes later, pays from what callers left over, and is dropped where mirroring is
 * behind. The mirror ends by itself when one of the two containers is deleted.
 */
import { millis } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";
import type { JsonValue } from "../../json/value.ts";
import type { Consistency } from "../../model/consistency.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { AskedScope } from "../../model/request/itemScope.ts";
import type { QueryText } from "../../model/request/queryText.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";
import type { ItemOutcome } from "../item/itemCommand.ts";
import type { Container } from "../partition/container.ts";
import type { QueryAnswer } from "../query/queryItems.ts";
import { Allowance } from "./allowance.ts";
import { ClientTexts } from "./clientTexts.ts";
import type { MirroredSide, PairedRead } from "./pairedRead.ts";
import { runPair } from "./pairedRead.ts";
import type { PointQuestion, PointSetting } from "./pointPair.ts";
import { PointPair } from "./pointPair.ts";
import { QueryPair } from "./queryPair.ts";
import type { QueuedRun } from "./runQueue.ts";
import { RunQueue } from "./runQueue.ts";
import type { ShapeReport } from "./shapeTally.ts";
import { ShapeTally } from "./shapeTally.ts";
import { shapeTextOf } from "./shapeText.ts";
import type { AskPage } from "./wholeAnswer.ts";

export interface MirrorTerms {
  readonly source: Container;
  readonly target: Container;
  /** Share of live reads that are run on the target as well. */
  readonly percent: number;
  /** Number of a copy minus that of its original. */
  readonly numberShift: number;
  /** Resolves true when the target has all that the source had at the call; false after a time. */
  caughtUp(timeoutMs: number): Promise<boolean>;
}

interface MirrorSetting {
  readonly store: Pick<PartitionStore, "get" | "itemsByNumber">;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ask: AskPage;
  /** Called when the mirror ends by itself. */
  onEnd(): void;
}

export interface MirroringReport {
  readonly percent: number;
  /** Milliseconds over which live reads were counted. */
  readonly spanMs: number;
  /** Those that cost clients most come first. */
  readonly shapes: readonly ShapeReport[];
  /** Reads of the source that were repeated on the source, and differed all the same. */
  readonly noise: { readonly runCount: number; readonly differedCount: number };
  /** Present if the mirror ended by itself. */
  readonly endedBecause?: string;
}

interface LivePointRead extends PointQuestion {
  readonly outcome: ItemOutcome;
}

/** One request of a client for a page of a query, and its answer. */
interface LiveQueryPage extends QueryText {
  readonly scope: AskedScope;
  readonly continuation: string | undefined;
  readonly queryId: string | undefined;
  readonly consistency: Consistency | undefined;
  readonly answer: QueryAnswer;
}

const POINT_READ = "point read";
const OTHERS = "other queries";
const SHAPE_COUNT_MAX = 200;
const CATCH_UP_MS = 1_000;
/** Longer than the one who waits for the target needs to give up. */
const CATCH_UP_MS_MAX = millis(1_500);
const RUN_MS_MAX = 10_000;
/** Every tenth run asks the source twice. */
const NOISE_EVERY = 10;

export class Mirror {
  readonly #setting: MirrorSetting;
  readonly #source: MirroredSide;
  readonly #target: MirroredSide;
  readonly #texts = new ClientTexts();
  /** By the text of the shape: of reads that came with a partition key, and of those without. */
  readonly #tallies = {
    with: new Map<string, ShapeTally>(),
    without: new Map<string, ShapeTally>(),
  };
  readonly #others = new ShapeTally();
  readonly #runs: RunQueue;
  readonly #beganAt: number;
  readonly #noise = { runCount: 0, differedCount: 0 };
  #terms: MirrorTerms;
  #runCount = 0;
  #isEnded = false;
  #endedBecause: string | undefined;

  constructor(setting: MirrorSetting, terms: MirrorTerms) {
    const { clock } = setting;
    this.#setting = setting;
    this.#terms = terms;
    this.#source = { container: terms.source, allowance: new Allowance(clock, terms.source) };
    this.#target = { container: terms.target, allowance: new Allowance(clock, terms.target) };
    this.#runs = new RunQueue(setting.timer);
    this.#beganAt = clock.now();
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Takes over another share; true if the terms are about the same pair of containers. */
  adopt(terms: MirrorTerms): boolean {
    const { source, target } = this.#terms;
    if (this.#isEnded || terms.source !== source || terms.target !== target) return false;
    this.#terms = terms;
    return true;
  }

  /** Notes a point read that was served. Returns at once, and never throws. */
  noteRead(read: LivePointRead): void {
    this.#safely(() => this.#noteRead(read));
  }

  /** Notes a page of a query that was served. Returns at once, and never throws. */
  noteQuery(page: LiveQueryPage): void {
    this.#safely(() => this.#noteQuery(page));
  }

  /** Notes that a client got this plan for a text, and goes on with the texts of the plan. */
  notePlan(text: string, plan: JsonValue): void {
    this.#safely(() => this.#texts.expect(text, plan));
  }

  report(): MirroringReport {
    const { percent, target } = this.#terms;
    const spanMs = this.#setting.clock.now() - this.#beganAt;
    const terms = { spanMs, targetCount: target.partitions.size };
    const shapes = this.#named()
      .filter(([, { liveRu }]) => liveRu > 0)
      .sort(([, one], [, other]) => other.liveRu - one.liveRu)
      .map(([shape, tally]) => tally.report(shape, terms));
    const endedBecause = this.#endedBecause;
    return {
      percent,
      spanMs,
      shapes,
      noise: { ...this.#noise },
      ...(endedBecause !== undefined && { endedBecause }),
    };
  }

  /** Resolves when nothing is under way any more. */
  end(): Promise<void> {
    this.#isEnded = true;
    return this.#runs.end();
  }

  /** A mistake made here must not reach the client whose read was noted: it ends the mirror. */
  #safely(note: () => void): void {
    try {
      note();
    } catch (defect) {
      this.#endBecause(`mirroring made a mistake: ${wordsOf(defect)}`);
    }
  }

  #noteRead({ outcome, ...question }: LivePointRead): void {
    const tally = this.#tallyOf(POINT_READ, true);
    if (outcome.kind === "refused") {
      // What the source does not have cannot be looked for on the target under its new key.
      if (outcome.refusal.kind === "notFound") tally.noteLive(outcome.charge, 0);
      return;
    }
    if (!tally.noteLive(outcome.charge, this.#terms.percent)) return;
    this.#add(tally, (setting) => new PointPair(setting, question));
  }

  #noteQuery(page: LiveQueryPage): void {
    const { answer, queryId, parameters, consistency } = page;
    const opened = this.#texts.openedAs(queryId);
    if (opened !== undefined) {
      opened.extendLive(answer.charge);
      return;
    }
    const written = this.#texts.writtenAs(page.text);
    const query = written ?? answer.prepared.query;
    const text = written === undefined ? page.text : undefined;
    const key = keyIn(page.scope, this.#terms.source);
    const tally = this.#tallyOf(shapeTextOf(query), key !== undefined);
    if (page.continuation !== undefined) {
      tally.extendLive(answer.charge);
      return;
    }
    this.#texts.open(queryId, tally);
    const isMirrored = tally !== this.#others && key !== "unknown";
    if (!tally.noteLive(answer.charge, isMirrored ? this.#terms.percent : 0)) return;
    if (key === "unknown") return;
    const question = { query, text, parameters, key, consistency };
    this.#add(tally, (setting) => new QueryPair(setting, question));
  }

  /** A query with a key and the same without one are two shapes: their costs differ. */
  #tallyOf(shape: string, isOfKey: boolean): ShapeTally {
    const tallies = isOfKey ? this.#tallies.with : this.#tallies.without;
    const known = tallies.get(shape);
    if (known !== undefined) return known;
    const count = this.#tallies.with.size + this.#tallies.without.size;
    if (count >= SHAPE_COUNT_MAX) return this.#others;
    const tally = new ShapeTally();
    tallies.set(shape, tally);
    return tally;
  }

  /** Every tally with a name of its own. */
  #named(): readonly (readonly [shape: string, tally: ShapeTally])[] {
    const { without } = this.#tallies;
    const ofKeys = [...this.#tallies.with].map(([shape, tally]) => {
      return [without.has(shape) ? `${shape} (with a partition key)` : shape, tally] as const;
    });
    return [...without, ...ofKeys, [OTHERS, this.#others]];
  }

  #add(tally: ShapeTally, make: (setting: PointSetting) => PairedRead): void {
    const run = this.#runOf(tally, make, false);
    if (!this.#runs.add(run)) tally.noteDropped();
  }

  #runOf(
    tally: ShapeTally,
    make: (setting: PointSetting) => PairedRead,
    isLast: boolean,
  ): QueuedRun {
    return async () => {
      if (this.#isOver()) return undefined;
      const hasLeft = this.#source.allowance.hasLeft() && this.#target.allowance.hasLeft();
      if (!hasLeft) {
        tally.noteDropped();
        return undefined;
      }
      try {
        return await this.#run(tally, make, isLast);
      } catch (failure) {
        if (this.#isOver()) return undefined;
        const reason = `failed: ${wordsOf(failure)}`;
        tally.note({ kind: "error", reason, isRefusedByTarget: false });
        return undefined;
      }
    };
  }

  async #run(
    tally: ShapeTally,
    make: (setting: PointSetting) => PairedRead,
    isLast: boolean,
  ): Promise<QueuedRun | undefined> {
    const deadline = this.#setting.clock.now() + RUN_MS_MAX;
    const isOver = (): boolean => this.#isEnded || this.#setting.clock.now() > deadline;
    const { numberShift } = this.#terms;
    const [source, target] = [this.#source, this.#target];
    const read = make({ ...this.#setting, source, target, numberShift, isOver });
    const { verdict, isNoisy } = await runPair(read, {
      caughtUp: () => this.#runs.within(this.#terms.caughtUp(CATCH_UP_MS), CATCH_UP_MS_MAX),
      isNoiseMeasured: this.#runCount++ % NOISE_EVERY === 0,
      isLast,
    });
    if (this.#isOver()) return undefined;
    if (isNoisy !== undefined) this.#noise.runCount += 1;
    if (isNoisy === true) this.#noise.differedCount += 1;
    if (verdict.kind !== "mismatch" || isLast) tally.note(verdict);
    else if (this.#runs.mayPutOff) return this.#runOf(tally, make, true);
    else tally.noteDropped();
    return undefined;
  }

  /** Ends the mirror if one of its containers is gone. */
  #isOver(): boolean {
    const { source, target } = this.#terms;
    if (source.isDeleted) this.#endBecause("the source was deleted");
    else if (target.isDeleted) this.#endBecause("the target was deleted");
    return this.#isEnded;
  }

  #endBecause(reason: string): void {
    if (this.#isEnded) return;
    this.#endedBecause = reason;
    void this.end();
    this.#setting.onEnd();
  }
}

function wordsOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}

/**
 * Returns the key that a query came with. It is unknown where the request only says where the items
 * of its key are.
 */
function keyIn(scope: AskedScope, { definition }: Container): PartitionKey | "unknown" | undefined {
  const isSystemKey = definition.partitionKey.systemKey === true;
  if (scope.kind === "container") return scope.isOfOldProgram && isSystemKey ? [] : undefined;
  if (scope.kind === "rangeId") return undefined;
  if (scope.kind === "bounds" && !scope.isOfKey) return undefined;
  if (scope.key === undefined) return "unknown";
  return scope.key.length === 0 && !isSystemKey ? undefined : scope.key;
}
