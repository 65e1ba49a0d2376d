/**
 * A live read once more on the source (the control), then on the target (the candidate), and
 * whether the two answers say the same.
 *
 * The target follows the source a moment later, so the candidate waits for what the source had at
 * the control. What is written after that can still make the two differ. So a difference is only
 * believed the second time, and if the source agrees with itself: a difference that the source has
 * with itself is none of the target's.
 */
import type { Result } from "../../base/result.ts";
import type { Clock } from "../../base/world.ts";
import type { Container } from "../partition/container.ts";
import type { Allowance } from "./allowance.ts";
import type { RowComparison } from "./rowComparison.ts";
import type { RunVerdict } from "./shapeTally.ts";
import type { AskPage, SideAnswer } from "./wholeAnswer.ts";

/** Why a side gave no answer. */
interface NoAnswer {
  /**
   * Refused: the side would do so each time. Moved: what was read changed meanwhile. Failed: all
   * else.
   */
  readonly kind: "refused" | "moved" | "failed";
  readonly reason: string;
}

export type SideResult = Result<SideAnswer, NoAnswer>;

/** One of the two containers, and what may be spent on it. */
export interface MirroredSide {
  readonly container: Container;
  readonly allowance: Allowance;
}

export interface PairSetting {
  readonly clock: Clock;
  readonly ask: AskPage;
  readonly source: MirroredSide;
  readonly target: MirroredSide;
  /** True once the answers are not wanted any more. */
  readonly isOver: () => boolean;
}

export interface PairedRead {
  control(): Promise<SideResult>;
  /** Only after the control has answered. */
  candidate(): Promise<SideResult>;
  compare(source: SideAnswer, target: SideAnswer): Promise<RowComparison>;
  /** Whether the source, asked again, says something else. */
  isMoved(control: SideAnswer, again: SideAnswer): boolean;
}

interface PairTerms {
  /** Resolves false if the target does not have in time what the source has now. */
  caughtUp(): Promise<boolean>;
  /** Ask the source twice, to see whether it agrees with itself. */
  readonly isNoiseMeasured: boolean;
  /** A difference is final: no further run will look at it. */
  readonly isLast: boolean;
}

interface PairOutcome {
  readonly verdict: RunVerdict;
  /** Present if noise was measured: did the two answers of the source differ? */
  readonly isNoisy?: boolean;
}

const LAGGING: RunVerdict = { kind: "lagging" };

export async function runPair(read: PairedRead, terms: PairTerms): Promise<PairOutcome> {
  const control = await read.control();
  if (!control.ok) return { verdict: failure("source", control.error) };
  const source = control.value;
  const isNoisy = terms.isNoiseMeasured ? await hasMoved(read, source) : undefined;
  const noise = isNoisy === undefined ? {} : { isNoisy };
  if (!(await terms.caughtUp())) return { verdict: LAGGING, ...noise };
  const candidate = await read.candidate();
  if (!candidate.ok) return { verdict: failure("target", candidate.error), ...noise };
  const target = candidate.value;
  const { kind, names } = await read.compare(source, target);
  if (kind === "same") return { verdict: { kind: "match", source, target }, ...noise };
  if (terms.isLast && (await hasMoved(read, source)) !== false) {
    return { verdict: LAGGING, ...noise };
  }
  return { verdict: { kind: "mismatch", names, source, target }, ...noise };
}

/** Undefined if the source does not answer any more. */
async function hasMoved(read: PairedRead, control: SideAnswer): Promise<boolean | undefined> {
  const again = await read.control();
  return again.ok ? read.isMoved(control, again.value) : undefined;
}

function failure(side: "source" | "target", { kind, reason }: NoAnswer): RunVerdict {
  if (kind === "moved") return LAGGING;
  const isRefusedByTarget = side === "target" && kind === "refused";
  const text = isRefusedByTarget ? reason : `on the ${side}: ${reason}`;
  return { kind: "error", reason: text, isRefusedByTarget };
}
