/** All rules, and their descriptions for documents and displays. */
import type {
  AlertWindow,
  ContainerRule,
  Origin,
  RuleTerms,
  ServerRule,
  Severity,
  Unit,
} from "./alertRule.ts";
import type { DocsPage } from "./docsPages.ts";
import { FAULT_RULES } from "./faultRules.ts";
import { LIFECYCLE_RULES } from "./lifecycleRules.ts";
import { LOAD_RULES } from "./loadRules.ts";
import { OPERATION_RULES, SERVER_RULES as RULES_OF_SERVER } from "./operationRules.ts";
import { QUERY_RULES } from "./queryRules.ts";
import { RATE_RULES } from "./rateRules.ts";
import { SATURATION_RULES } from "./saturationRules.ts";
import { SKEW_RULES } from "./skewRules.ts";
import { STORAGE_RULES } from "./storageRules.ts";

export const CONTAINER_RULES: readonly ContainerRule[] = [
  ...LOAD_RULES,
  ...SATURATION_RULES,
  ...STORAGE_RULES,
  ...SKEW_RULES,
  ...QUERY_RULES,
  ...RATE_RULES,
  ...OPERATION_RULES,
  ...LIFECYCLE_RULES,
];

export const SERVER_RULES: readonly ServerRule[] = [...RULES_OF_SERVER, ...FAULT_RULES];

export const ALL_RULES: readonly RuleTerms[] = [...CONTAINER_RULES, ...SERVER_RULES];

export interface RuleDescription {
  readonly id: string;
  readonly title: string;
  /** What the rule is about: every container, or the server. */
  readonly scope: "container" | "server";
  readonly fires: string;
  readonly severities: readonly Severity[];
  readonly window: AlertWindow;
  readonly forSeconds: number;
  readonly clearSeconds: number;
  readonly settings: readonly SettingDescription[];
  readonly docs: readonly DocsPage[];
}

interface SettingDescription {
  readonly name: string;
  /** The default value. */
  readonly value: number;
  readonly unit: Unit;
  readonly meaning: string;
  readonly origin: Origin;
  readonly page?: DocsPage | undefined;
}

export function describeRules(): readonly RuleDescription[] {
  return [
    ...CONTAINER_RULES.map((rule) => descriptionOf(rule, "container")),
    ...SERVER_RULES.map((rule) => descriptionOf(rule, "server")),
  ];
}

function descriptionOf(rule: RuleTerms, scope: RuleDescription["scope"]): RuleDescription {
  const settings = Object.entries(rule.thresholds).map(([name, threshold]) => ({
    name,
    ...threshold,
  }));
  const { id, title, fires, severities, window, forSeconds, clearSeconds, docs } = rule;
  return { id, title, scope, fires, severities, window, forSeconds, clearSeconds, settings, docs };
}
