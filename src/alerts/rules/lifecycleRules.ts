/** Rules about lifecycles: one that stands still, a hot container that is too full, an archive. */

import { DAY_SECONDS } from "../../base/units.ts";
import { counted, durationText } from "../../base/wording.ts";
import type { LifecycleReport } from "../../statistics/report.ts";
import {
  absent,
  type ContainerRule,
  containerRule,
  fine,
  guidance,
  type RuleFinding,
} from "./alertRule.ts";

const NO_LIFECYCLE: RuleFinding = absent("The container belongs to no lifecycle.");

const lifecycleStalled = containerRule({
  id: "lifecycleStalled",
  title: "A migration stands still",
  fires:
    "The lifecycle of a hot container stands still by itself, or has neither completed a round " +
    "nor looked at a change for `missedRounds` intervals and `unchangedSeconds`. One that " +
    "somebody paused is not meant.",
  severities: ["warning"],
  window: "now",
  forSeconds: 0,
  clearSeconds: 0,
  thresholds: {
    missedRounds: guidance(4, "rounds", "that were due and did not end"),
    unchangedSeconds: guidance(600, "seconds", "without a round or a change that was looked at"),
  },
  docs: [],
  find({ report }, values) {
    const { lifecycle, at } = report;
    if (lifecycle?.role !== "hot") return NO_LIFECYCLE;
    const { id, isPaused, blockedFor, intervalSeconds, progressedAt } = lifecycle;
    const seconds = Math.max(0, at - progressedAt) / 1000;
    const isLate =
      seconds >= values.missedRounds * intervalSeconds && seconds >= values.unchangedSeconds;
    if (isPaused) return fine(`The lifecycle ${id} was paused.`);
    if (blockedFor === undefined && !isLate) return fine(`The lifecycle ${id} goes on its rounds.`);
    return {
      kind: "trouble",
      severity: "warning",
      says:
        blockedFor === undefined
          ? `The lifecycle ${id} has done nothing for ${durationText(seconds)}, and a round is ` +
            `due every ${durationText(intervalSeconds)}.`
          : `The lifecycle ${id} stands still: ${blockedFor}`,
      todo: [
        `See \`orrery lifecycle status ${id}\` for what is in its way, and what limits it.`,
        "Nothing is lost meanwhile: what was not moved stays in the hot container and does not " +
          "expire.",
      ],
      evidence: evidenceOf({ unchangedSeconds: seconds, intervalSeconds }),
    };
  },
});

const hotOverdue = containerRule({
  id: "hotOverdue",
  title: "A hot container grows past its age",
  fires:
    "Items of a hot container are older than their age and `lateRounds` intervals, by at least " +
    "`lateSeconds`, and not in warm.",
  severities: ["warning"],
  window: "now",
  forSeconds: 60,
  thresholds: {
    lateRounds: guidance(4, "rounds", "in which the items should have been moved"),
    lateSeconds: guidance(600, "seconds", "since they were due"),
  },
  docs: [],
  find({ report }, values) {
    const { lifecycle } = report;
    if (lifecycle?.role !== "hot") return NO_LIFECYCLE;
    const { id, behindSeconds, intervalSeconds, ageSeconds, setAsideCount, isPaused } = lifecycle;
    const isLate =
      behindSeconds >= values.lateRounds * intervalSeconds && behindSeconds >= values.lateSeconds;
    if (!isLate) return fine(`What is older than ${durationText(ageSeconds)} is in warm.`);
    return {
      kind: "trouble",
      severity: "warning",
      says:
        `Items that were due up to ${durationText(behindSeconds)} ago may still be in hot, and ` +
        `not in warm (lifecycle ${id}, age ${durationText(ageSeconds)}).`,
      todo: [
        ...(isPaused ? [`The lifecycle is paused: \`orrery lifecycle resume ${id}\`.`] : []),
        ...(setAsideCount > 0
          ? [
              `${counted(setAsideCount, "item is", "items are")} set aside; ` +
                `\`orrery lifecycle status ${id} --set-aside\` says why.`,
            ]
          : []),
        `Let it spend more (\`orrery lifecycle change ${id} --share 80\`), or give warm a higher ` +
          "rate.",
      ],
      evidence: evidenceOf({ behindSeconds, setAsideCount }),
    };
  },
});

const archiveOverdue = containerRule({
  id: "archiveOverdue",
  title: "An archive is overdue",
  fires:
    "The oldest item of a warm container is older than its lifecycle says that items are to be " +
    "archived, by more than `graceDays`. Only where a lifecycle says so.",
  severities: ["warning"],
  window: "now",
  forSeconds: 0,
  clearSeconds: 0,
  thresholds: {
    graceDays: guidance(7, "days", "for somebody to archive what is due"),
  },
  docs: [],
  find({ report }, values) {
    const { lifecycle, at } = report;
    if (lifecycle?.role !== "warm") return NO_LIFECYCLE;
    const lateSeconds = archiveLateSeconds(lifecycle, at);
    if (lateSeconds === undefined) return absent("Nobody said when items are to be archived.");
    if (lateSeconds <= values.graceDays * DAY_SECONDS) return fine("Nothing is overdue.");
    return {
      kind: "trouble",
      severity: "warning",
      says:
        `The oldest item of warm should have been archived ${durationText(lateSeconds)} ago ` +
        `(lifecycle ${lifecycle.id}).`,
      todo: ["Archive the oldest partitions: `orrery lifecycle archive` (see its --help)."],
      evidence: evidenceOf({ lateSeconds }),
    };
  },
});

/** Below zero while the oldest item may stay; `undefined` if nobody asks for an archive. */
function archiveLateSeconds(
  { archiveAfterSeconds, warmOldestAt }: LifecycleReport,
  at: number,
): number | undefined {
  if (archiveAfterSeconds === undefined) return undefined;
  return warmOldestAt === undefined ? 0 : (at - warmOldestAt) / 1000 - archiveAfterSeconds;
}

function evidenceOf(figures: Readonly<Record<string, number>>): {
  readonly figures: Readonly<Record<string, number>>;
  readonly partitionIds: readonly string[];
  readonly partitionKeys: readonly [];
} {
  return { figures, partitionIds: [], partitionKeys: [] };
}

export const LIFECYCLE_RULES: readonly ContainerRule[] = [
  lifecycleStalled,
  hotOverdue,
  archiveOverdue,
];
