/**
 * Items that seemed to differ once. While both sides are being written, most of these are only on
 * their way; a doubt is resolved by looking again when the target has caught up.
 *
 * A difference is certain in two cases. The original is the same as before the target caught up, so
 * the target has had every chance to have its copy. Or the copy is the same as before, while it
 * differed from an original that the target has caught up with since. (Where copies have stamps of
 * their own, a copy may rightly stay the same while its original changes to and fro, and only the
 * first case counts.) An item of which both sides are new at every look is *in motion*.
 *
 * Not here: what becomes of certain verdicts (`standingVerdicts.ts`).
 */
import type { ComparedPair } from "./comparedPair.ts";
import type { RowReader } from "./rowReader.ts";
import type { StandingVerdicts } from "./standingVerdicts.ts";
import type { ComparedRow, RowVerdict } from "./verdict.ts";

/** The versions that a look at a row found: LSNs, or one of these. */
interface Sighting {
  readonly originalLsn: number;
  readonly copyLsn: number;
}

const ABSENT = -1;
/** A scan may have read the copy after the original, and so a later version of it. */
const UNKNOWN = -2;

const ROUNDS_MAX = 3;
/** About 100 bytes each. */
const DOUBT_COUNT_MAX = 65_536;

interface DoubtsSetting {
  readonly pair: ComparedPair;
  readonly reader: RowReader;
  readonly standing: StandingVerdicts;
  judge(row: ComparedRow): RowVerdict;
}

export class Doubts {
  readonly #setting: DoubtsSetting;
  readonly #sightings = new Map<number, Sighting>();

  constructor(setting: DoubtsSetting) {
    this.#setting = setting;
  }

  /** True when the doubts have to be resolved before there is room for more. */
  get isFull(): boolean {
    return this.#sightings.size >= DOUBT_COUNT_MAX;
  }

  /** Notes a row that seemed to differ. Its copy may have been read after its original. */
  note({ number, original }: ComparedRow): void {
    this.#sightings.set(number, { originalLsn: original?.lsn ?? ABSENT, copyLsn: UNKNOWN });
  }

  /** Forgets a doubt about a row that was found in order by a later look. */
  drop(number: number): void {
    this.#sightings.delete(number);
  }

  /** Resolves all doubts. False when told to stop, or when the target does not catch up. */
  async resolve(): Promise<boolean> {
    const { pair, reader, standing } = this.#setting;
    for (let round = 0; round < ROUNDS_MAX && this.#sightings.size > 0; round++) {
      if (reader.isStopped || !(await pair.caughtUp())) return false;
      const numbers = [...this.#sightings.keys()];
      if (!(await reader.look(numbers, (row) => this.#lookAgain(row)))) return false;
    }
    for (const number of this.#sightings.keys()) standing.enterMoving(number);
    this.#sightings.clear();
    return !reader.isStopped;
  }

  #lookAgain(row: ComparedRow): void {
    const { standing, judge } = this.#setting;
    const { number } = row;
    const verdict = judge(row);
    const isSettled = verdict.kind === "nothing" || verdict.kind === "equal";
    if (isSettled || this.#isCertain(row, this.#sightings.get(number)!)) {
      standing.enter(number, verdict);
      this.#sightings.delete(number);
      return;
    }
    const { original, copies } = row;
    const copyLsn = copies.length > 1 ? UNKNOWN : (copies[0]?.lsn ?? ABSENT);
    this.#sightings.set(number, { originalLsn: original?.lsn ?? ABSENT, copyLsn });
  }

  #isCertain({ original, copies }: ComparedRow, before: Sighting): boolean {
    if ((original?.lsn ?? ABSENT) === before.originalLsn) return true;
    const [copy, ...others] = copies;
    // A copy that was absent twice may have been there in between, as a filter lets it.
    if (copy === undefined || others.length > 0) return false;
    return this.#setting.pair.keepsStamps && copy.lsn === before.copyLsn;
  }
}
