/**
 * Computes the state of an alert (normal, pending, firing, noData) from its findings, with the time
 * since when it holds.
 *
 * Each severity is a level that is on or off. It goes on when trouble of at least that severity was
 * found without a break for `forSeconds`, and off when none was found for `clearSeconds`. So
 * neither the alert nor its severity flaps, and the same few lines decide both.
 *
 * Invariants:
 *
 * - A severe level is never on without the milder ones.
 * - A firing alert has the trouble it was last seen with, until it is cleared.
 * - Missing evidence never counts as trouble, and never makes a state normal.
 *
 * Time without observation does not count: after a gap, waiting begins again.
 */

import type { RuleSetting } from "./alertSettings.ts";
import {
  type AlertRule,
  type AlertTrouble,
  type RuleFinding,
  SEVERITIES,
  type Severity,
} from "./rules/alertRule.ts";

export type AlertState = "normal" | "pending" | "firing" | "noData";

export interface RuleState {
  readonly state: AlertState;
  /** When the alert came into its state. All times are milliseconds since 1970. */
  readonly since: number;
  /** The severity of a firing alert, or the one that a pending alert is about to have. */
  readonly severity?: Severity | undefined;
  readonly finding: RuleFinding;
  /** The last trouble, and when it was seen; kept as long as the alert fires. */
  readonly trouble?: SeenTrouble | undefined;
  readonly observedAt: number;
  /** One level for each severity, mildest first. */
  readonly levels: readonly Level[];
}

interface SeenTrouble {
  readonly trouble: AlertTrouble;
  readonly at: number;
}

interface Level {
  readonly isOn: boolean;
  /** Since when findings have asked for the opposite of `isOn`. */
  readonly turningSince?: number | undefined;
}

interface Moment {
  readonly now: number;
  /** Findings that are further apart than this are not "without a break". */
  readonly gapMaxMs: number;
}

export type Transition = "raised" | "changed" | "cleared";

export function evaluate<E>(
  rule: AlertRule<E>,
  setting: RuleSetting,
  evidence: E,
  former: RuleState | undefined,
  moment: Moment,
): RuleState {
  return advance(setting, rule.find(evidence, setting.values), former, moment);
}

/** Returns the state after one more finding. */
export function advance(
  setting: RuleSetting,
  finding: RuleFinding,
  former: RuleState | undefined,
  moment: Moment,
): RuleState {
  const { now } = moment;
  const reached = finding.kind === "trouble" ? SEVERITIES.indexOf(finding.severity) : -1;
  const isGap = former !== undefined && isUnwatched(former.observedAt, moment);
  const levels = SEVERITIES.map((_, rank) => {
    const level = former?.levels[rank] ?? { isOn: false };
    return turned(isGap ? { isOn: level.isOn } : level, reached >= rank, setting, now);
  });
  const firing = SEVERITIES[levels.findLastIndex(({ isOn }) => isOn)];
  const state = stateOf(firing, finding);
  const severity = firing ?? (finding.kind === "trouble" ? finding.severity : undefined);
  const seen = finding.kind === "trouble" ? { trouble: finding, at: now } : former?.trouble;
  return {
    state,
    since: former?.state === state ? former.since : now,
    severity,
    finding,
    trouble: severity === undefined ? undefined : seen,
    observedAt: now,
    levels,
  };
}

/** Returns the event that follows from a change of state, if there is one. */
export function transitionOf(
  before: RuleState | undefined,
  after: RuleState,
): Transition | undefined {
  const wasFiring = before?.state === "firing";
  const isFiring = after.state === "firing";
  if (wasFiring !== isFiring) return isFiring ? "raised" : "cleared";
  return isFiring && before?.severity !== after.severity ? "changed" : undefined;
}

/** True when the state will not change by waiting alone. */
export function isSettled({ levels }: RuleState): boolean {
  return levels.every(({ turningSince }) => turningSince === undefined);
}

function turned(level: Level, isReached: boolean, setting: RuleSetting, now: number): Level {
  if (isReached === level.isOn) return { isOn: level.isOn };
  const turningSince = level.turningSince ?? now;
  const delaySeconds = isReached ? setting.forSeconds : setting.clearSeconds;
  if (now - turningSince >= delaySeconds * 1000) return { isOn: isReached };
  return { isOn: level.isOn, turningSince };
}

function stateOf(firing: Severity | undefined, finding: RuleFinding): AlertState {
  if (firing !== undefined) return "firing";
  if (finding.kind === "trouble") return "pending";
  return finding.kind === "absent" ? "noData" : "normal";
}

/**
 * True when the time since the last finding is too long or, because the clock was set back,
 * unknown.
 */
function isUnwatched(observedAt: number, { now, gapMaxMs }: Moment): boolean {
  return now < observedAt || now - observedAt > gapMaxMs;
}
