/**
 * All alerts: the state of every rule for every container and for the server, and the latest
 * events.
 *
 * The board is given evidence (`observe`), and returns the events that follow from it. It neither
 * asks for reports nor delivers events; `server/alerting.ts` does both. The board forgets
 * everything when the process ends: trouble that lasts is found again after the restart.
 */
import type { ContainerReport } from "../statistics/report.ts";
import type { AlertSettings, RuleSetting } from "./alertSettings.ts";
import {
  type AlertState,
  evaluate,
  isSettled,
  type RuleState,
  type Transition,
  transitionOf,
} from "./evaluate.ts";
import type {
  AlertRule,
  AlertWindow,
  Evidence,
  RuleTerms,
  ServerEvidence,
  Severity,
} from "./rules/alertRule.ts";
import type { RuleDescription } from "./rules/catalogue.ts";
import { CONTAINER_RULES, SERVER_RULES } from "./rules/catalogue.ts";
import type { DocsPage } from "./rules/docsPages.ts";
import { type FollowedJob, followJobs } from "./rules/jobProgress.ts";

/** One rule for one container, or for the server, as it is now. A plain value, fit for JSON. */
export interface Alert {
  /** Stays the same as long as rule and container are the same. */
  readonly id: string;
  readonly rule: string;
  readonly title: string;
  readonly scope: AlertScope;
  readonly state: AlertState;
  /** Present for a firing or pending alert. */
  readonly severity?: Severity | undefined;
  /** When the alert came into its state, in milliseconds since 1970. */
  readonly since: number;
  readonly says: string;
  readonly todo: readonly string[];
  readonly evidence?: AlertEvidence | undefined;
  readonly docs: readonly DocsPage[];
}

type AlertScope =
  | { readonly kind: "server" }
  | {
      readonly kind: "container";
      readonly database: string;
      readonly container: string;
      readonly rid: string;
    };

interface AlertEvidence extends Evidence {
  readonly window: AlertWindow;
  /** The settings that decided the finding. */
  readonly thresholds: Readonly<Record<string, number>>;
  /** When the evidence was observed, in milliseconds since 1970. */
  readonly at: number;
}

export interface AlertEvent {
  readonly event: Transition;
  /** The alert after the event. */
  readonly alert: Alert;
  readonly at: number;
}

/** All that can be told of the alerts: how they are, what happened lately, and by which rules. */
export interface AlertsReport {
  readonly alerts: readonly Alert[];
  /** The latest events, newest first. */
  readonly history: readonly AlertEvent[];
  readonly rules: readonly RuleDescription[];
  /** What is in force, by id of the rule; the rules themselves have what it usually is. */
  readonly settings: Readonly<Record<string, RuleSetting>>;
}

interface AlertBoardOptions {
  readonly settings: AlertSettings;
  /** Reports that are further apart than this do not count as continuous observation. */
  readonly gapMaxMs: number;
  readonly historyCountMax: number;
}

/** The state of a container or of the server. */
interface Watched {
  readonly scope: AlertScope;
  readonly states: ReadonlyMap<string, RuleState>;
  readonly jobs: readonly FollowedJob[];
}

const SERVER_KEY = "server";

export class AlertBoard {
  readonly #options: AlertBoardOptions;
  /** By rid of the container; the server has a name that is no rid. */
  readonly #watched = new Map<string, Watched>();
  /** The latest events, oldest first. */
  readonly #history: AlertEvent[] = [];

  constructor(options: AlertBoardOptions) {
    this.#options = options;
  }

  observe(report: ContainerReport, now: number): readonly AlertEvent[] {
    const { database, container, rid } = report;
    const jobs = followJobs(this.#watched.get(rid)?.jobs ?? [], report.jobs, report.at);
    const scope: AlertScope = { kind: "container", database, container, rid };
    return this.#take(rid, { scope, jobs }, CONTAINER_RULES, { report, jobs }, now);
  }

  observeServer(evidence: ServerEvidence, now: number): readonly AlertEvent[] {
    const watched = { scope: { kind: "server" }, jobs: [] } as const;
    return this.#take(SERVER_KEY, watched, SERVER_RULES, evidence, now);
  }

  /** Forgets containers that no longer exist, and clears the alerts that fired for them. */
  keepOnly(rids: ReadonlySet<string>, now: number): readonly AlertEvent[] {
    const events: AlertEvent[] = [];
    for (const [rid, { scope, states }] of this.#watched) {
      if (scope.kind === "server" || rids.has(rid)) continue;
      for (const rule of CONTAINER_RULES) {
        if (states.get(rule.id)?.state !== "firing") continue;
        const says = "The container was deleted.";
        const gone = { ...blankAlert(rule, scope), state: "noData", since: now, says } as const;
        events.push({ event: "cleared", alert: gone, at: now });
      }
      this.#watched.delete(rid);
    }
    this.#remember(events);
    return events;
  }

  /**
   * Firing alerts come first, the most severe of them at the top; then pending, noData and normal.
   */
  alerts(): readonly Alert[] {
    const all = [...this.#watched.values()].flatMap(({ scope, states }) => {
      const rules = scope.kind === "server" ? SERVER_RULES : CONTAINER_RULES;
      return (rules as readonly RuleTerms[]).flatMap((rule) => {
        const state = states.get(rule.id);
        return state === undefined ? [] : [this.#alertOf(rule, scope, state)];
      });
    });
    return all.toSorted((one, other) => urgencyOf(other) - urgencyOf(one));
  }

  /** The settings in force, by id of the rule. */
  settings(): Readonly<Record<string, RuleSetting>> {
    return Object.fromEntries(this.#options.settings);
  }

  /** The latest events, newest first. */
  history(): readonly AlertEvent[] {
    return this.#history.toReversed();
  }

  /**
   * True when no alert is about to be raised or cleared: the same evidence would change nothing.
   */
  isSettled(): boolean {
    return [...this.#watched.values()].every(({ states }) => [...states.values()].every(isSettled));
  }

  #take<E>(
    key: string,
    watched: Pick<Watched, "scope" | "jobs">,
    rules: readonly AlertRule<E>[],
    evidence: E,
    now: number,
  ): readonly AlertEvent[] {
    const { settings, gapMaxMs } = this.#options;
    const before = this.#watched.get(key)?.states;
    const states = new Map<string, RuleState>();
    const events: AlertEvent[] = [];
    for (const rule of rules) {
      const setting = settings.get(rule.id);
      if (setting?.isEnabled !== true) continue;
      const former = before?.get(rule.id);
      const state = evaluate(rule, setting, evidence, former, { now, gapMaxMs });
      const event = transitionOf(former, state);
      states.set(rule.id, state);
      if (event === undefined) continue;
      events.push({ event, alert: this.#alertOf(rule, watched.scope, state), at: now });
    }
    this.#watched.set(key, { ...watched, states });
    this.#remember(events);
    return events;
  }

  #alertOf(rule: RuleTerms, scope: AlertScope, state: RuleState): Alert {
    const blank = blankAlert(rule, scope);
    const common = { ...blank, state: state.state, since: state.since, severity: state.severity };
    if (state.trouble === undefined) return { ...common, says: state.finding.says };
    const { trouble, at } = state.trouble;
    const thresholds = this.#options.settings.get(rule.id)?.values ?? {};
    return {
      ...common,
      says: trouble.says,
      todo: trouble.todo,
      evidence: { ...trouble.evidence, window: rule.window, thresholds, at },
    };
  }

  #remember(events: readonly AlertEvent[]): void {
    this.#history.push(...events);
    const excess = this.#history.length - this.#options.historyCountMax;
    if (excess > 0) this.#history.splice(0, excess);
  }
}

function blankAlert(rule: RuleTerms, scope: AlertScope): Omit<Alert, "state" | "since" | "says"> {
  const owner = scope.kind === "server" ? SERVER_KEY : scope.rid;
  const { id, title, docs } = rule;
  return { id: `${id}:${owner}`, rule: id, title, scope, todo: [], docs };
}

const URGENCY_OF_STATE: Readonly<Record<AlertState, number>> = {
  normal: 0,
  noData: 10,
  pending: 20,
  firing: 30,
};
const URGENCY_OF_SEVERITY: Readonly<Record<Severity, number>> = {
  info: 1,
  warning: 2,
  critical: 3,
};

function urgencyOf({ state, severity }: Alert): number {
  return URGENCY_OF_STATE[state] + (severity === undefined ? 0 : URGENCY_OF_SEVERITY[severity]);
}
