/** The one sentence about a shape of reads that is worse off on the target. */

interface WarningFacts {
  /** RU and partitions on average, milliseconds of the middle run. */
  readonly source: SideCost;
  readonly target: SideCost;
  /** Number of runs that both sides answered. */
  readonly runCount: number;
  /** Number of physical partitions of the target. */
  readonly targetCount: number;
  /** Why the target refuses the shape; undefined if it does not. */
  readonly refusal: string | undefined;
}

interface SideCost {
  readonly ru: number;
  readonly ms: number;
  readonly partitionCount: number;
}

/** Number of runs before costs are compared. */
const RUN_COUNT_MIN = 20;
/** A shape costs more when it costs this many times as much, and at least this many RU more. */
const RU_FACTOR_MIN = 1.2;
const RU_DIFFERENCE_MIN = 0.5;
/** Milliseconds of small answers are noise, so only a large difference counts. */
const MS_FACTOR_MIN = 2;
const MS_DIFFERENCE_MIN = 20;

export function warningOf(facts: WarningFacts): string | undefined {
  const { source, target, runCount, refusal } = facts;
  if (refusal !== undefined) return `is refused by the target: ${refusal}`;
  if (runCount < RUN_COUNT_MIN) return undefined;
  const isDearer =
    target.ru >= RU_FACTOR_MIN * source.ru && target.ru - source.ru >= RU_DIFFERENCE_MIN;
  if (isDearer) return dearer(facts);
  const isSlower =
    target.ms >= MS_FACTOR_MIN * source.ms && target.ms - source.ms >= MS_DIFFERENCE_MIN;
  if (!isSlower) return undefined;
  const times = `${shown(target.ms)} ms on the target instead of ${shown(source.ms)}`;
  return `takes ${times}, for about as many RU`;
}

function dearer({ source, target, targetCount }: WarningFacts): string {
  const factor = source.ru === 0 ? "" : ` (${shown(target.ru / source.ru)} times as much)`;
  const charges = `${shown(target.ru)} RU instead of ${shown(source.ru)}${factor}`;
  if (target.partitionCount <= source.partitionCount) {
    return `costs ${charges} on the target, where it visits no more partitions`;
  }
  const visits =
    `visits ${shown(target.partitionCount)} of ${targetCount} partitions on the target, ` +
    `${shown(source.partitionCount)} on the source`;
  return `${visits}; ${charges}: this query fans out under the new key`;
}

/** With one digit behind the point, if that is not a zero. */
function shown(value: number): string {
  return String(Math.round(10 * value) / 10);
}
