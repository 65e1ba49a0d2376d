/**
 * A rule: a question to the evidence, with thresholds that are settings.
 *
 * A rule answers with a finding and nothing else: it has no memory and no clock. How long trouble
 * has to last before an alert is raised is decided in `evaluate.ts`, from the rule's delays.
 *
 * Missing evidence is a finding of its own (`absent`). A rule answers `fine` only if it had
 * evidence.
 */
import type { JsonValue } from "../../json/value.ts";
import type { ContainerReport } from "../../statistics/report.ts";
import type { DocsPage } from "./docsPages.ts";
import type { FollowedJob } from "./jobProgress.ts";
import type { StorageReport } from "./storageReport.ts";

export type Severity = "info" | "warning" | "critical";

/** The severities, mildest first. */
export const SEVERITIES: readonly Severity[] = ["info", "warning", "critical"];

/**
 * The span of time that a rule looks at; `now` for what is stored and jobs under way, `history` for
 * all the time that statistics reach back.
 */
export type AlertWindow = "now" | "lastMinute" | "lastFiveMinutes" | "lastDay" | "history";

export type Unit =
  | "percent"
  | "fraction"
  | "requests"
  | "queries"
  | "logical partitions"
  | "physical partitions"
  | "RU/s"
  | "GiB"
  | "seconds"
  | "hours"
  | "days"
  | "rounds";

/** A threshold is either a limit of the service, or a recommendation. */
export type Origin = "platformLimit" | "guidance";

/** A number that decides, and that users may set. */
export interface Threshold {
  readonly value: number;
  readonly unit: Unit;
  readonly meaning: string;
  readonly origin: Origin;
  /** Where the threshold is documented; absent for recommendations of our own. */
  readonly page?: DocsPage | undefined;
}

export type ThresholdValues = Readonly<Record<string, number>>;

export type RuleFinding =
  | { readonly kind: "absent"; readonly says: string }
  | { readonly kind: "fine"; readonly says: string }
  | AlertTrouble;

export interface AlertTrouble {
  readonly kind: "trouble";
  readonly severity: Severity;
  /** What is wrong, with its numbers, in sentences. */
  readonly says: string;
  /** What can be done about the trouble, a sentence or two each, best first. */
  readonly todo: readonly string[];
  readonly evidence: Evidence;
}

/** What a finding rests on. */
export interface Evidence {
  /** Numbers by names that end in their unit. */
  readonly figures: Readonly<Record<string, number>>;
  /** Range ids of the physical partitions that the finding is about, the worst first. */
  readonly partitionIds: readonly string[];
  /** Keys of the logical partitions that the finding is about, the worst first. */
  readonly partitionKeys: readonly (readonly JsonValue[])[];
}

export interface AlertRule<E> extends RuleTerms {
  find(evidence: E, values: ThresholdValues): RuleFinding;
}

/** Everything about a rule except the function that finds trouble. */
export interface RuleTerms {
  readonly id: string;
  readonly title: string;
  /** The condition under which there is trouble, and how severe it is, in sentences. */
  readonly fires: string;
  readonly severities: readonly Severity[];
  readonly window: AlertWindow;
  /** How long trouble must last without a break before the alert is raised. */
  readonly forSeconds: number;
  /** How long there must be no trouble before the alert is cleared. */
  readonly clearSeconds: number;
  readonly thresholds: Readonly<Record<string, Threshold>>;
  /** Thresholds that must not decrease in this order: a milder level comes before a worse one. */
  readonly ascending?: readonly string[] | undefined;
  readonly docs: readonly DocsPage[];
}

/** The evidence for rules about a container. */
export interface ContainerEvidence {
  readonly report: ContainerReport;
  readonly jobs: readonly FollowedJob[];
}

/** The evidence for rules about the server itself. */
export interface ServerEvidence {
  /** Absent when nothing is kept on disk. */
  readonly disk?: DiskReport | undefined;
  /** Absent when nothing is kept on disk. */
  readonly storage?: StorageReport | undefined;
}

/** The file system that the data directory is on. */
export interface DiskReport {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export type ContainerRule = AlertRule<ContainerEvidence>;
export type ServerRule = AlertRule<ServerEvidence>;

/** A rule as it is written down: `find` gets exactly the thresholds that it declares. */
interface RuleDefinition<E, T extends Readonly<Record<string, Threshold>>>
  extends Omit<RuleTerms, "clearSeconds" | "ascending"> {
  readonly thresholds: T;
  readonly clearSeconds?: number | undefined;
  readonly ascending?: readonly (keyof T & string)[] | undefined;
  find(evidence: E, values: { readonly [Name in keyof T]: number }): RuleFinding;
}

const CLEAR_SECONDS = 60;

export function containerRule<const T extends Readonly<Record<string, Threshold>>>(
  definition: RuleDefinition<ContainerEvidence, T>,
): ContainerRule {
  return ruleOf(definition);
}

export function serverRule<const T extends Readonly<Record<string, Threshold>>>(
  definition: RuleDefinition<ServerEvidence, T>,
): ServerRule {
  return ruleOf(definition);
}

function ruleOf<E, const T extends Readonly<Record<string, Threshold>>>(
  definition: RuleDefinition<E, T>,
): AlertRule<E> {
  return {
    ...definition,
    clearSeconds: definition.clearSeconds ?? CLEAR_SECONDS,
    // Settings are complete: `parseAlertSettings` gives every declared threshold a number.
    find: (evidence, values) =>
      definition.find(evidence, values as { readonly [Name in keyof T]: number }),
  };
}

export const absent = (says: string): RuleFinding => ({ kind: "absent", says });
export const fine = (says: string): RuleFinding => ({ kind: "fine", says });

export function guidance(value: number, unit: Unit, meaning: string, page?: DocsPage): Threshold {
  return { value, unit, meaning, origin: "guidance", page };
}

export function platformLimit(
  value: number,
  unit: Unit,
  meaning: string,
  page: DocsPage,
): Threshold {
  return { value, unit, meaning, origin: "platformLimit", page };
}
