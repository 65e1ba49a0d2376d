/**
 * What users may say about rules: which are on, how long trouble has to last, and the thresholds.
 *
 *     { "hotPartition": { "sharePercent": 70, "forSeconds": 300 },
 *       "unevenKeys": { "enabled": false } }
 *
 * Whatever is not said stays as the catalogue has it, so parsed settings are complete. A name that
 * nobody knows is a complaint: a misspelt threshold must not go unnoticed.
 */
import { no, ok, type Result } from "../base/result.ts";
import { isObject, type JsonObject, type JsonValue } from "../json/value.ts";
import type { RuleTerms, ThresholdValues, Unit } from "./rules/alertRule.ts";
import { ALL_RULES } from "./rules/catalogue.ts";

export interface RuleSetting {
  readonly isEnabled: boolean;
  readonly forSeconds: number;
  readonly clearSeconds: number;
  readonly values: ThresholdValues;
}

/** The settings by id of the rule; every rule has one. */
export type AlertSettings = ReadonlyMap<string, RuleSetting>;

/** Returns all complaints at once, each a sentence. */
export function parseAlertSettings(json: JsonValue): Result<AlertSettings, readonly string[]> {
  if (!isObject(json)) return no(["Alert settings must be an object with a member for each rule."]);
  const complaints: string[] = [];
  for (const id of Object.keys(json)) {
    if (!ALL_RULES.some((rule) => rule.id === id)) {
      complaints.push(`There is no rule '${id}'. The rules are ${namesOf(ALL_RULES)}.`);
    }
  }
  const settings = new Map<string, RuleSetting>();
  for (const rule of ALL_RULES) {
    const given = Object.hasOwn(json, rule.id) ? json[rule.id]! : {};
    if (isObject(given)) settings.set(rule.id, settingOf(rule, given, complaints));
    else complaints.push(`The settings of '${rule.id}' must be an object.`);
  }
  return complaints.length > 0 ? no(complaints) : ok(settings);
}

export function defaultAlertSettings(): AlertSettings {
  return new Map(ALL_RULES.map((rule) => [rule.id, settingOf(rule, {}, [])]));
}

const DELAYS = ["forSeconds", "clearSeconds"] as const;

function settingOf(rule: RuleTerms, given: JsonObject, complaints: string[]): RuleSetting {
  const complain = (name: string, must: string): void => {
    complaints.push(`The setting '${name}' of '${rule.id}' must be ${must}.`);
  };
  const names = ["enabled", ...DELAYS, ...Object.keys(rule.thresholds)];
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    complaints.push(`'${rule.id}' has no setting '${name}'. Its settings are ${names.join(", ")}.`);
  }
  const numberNamed = (name: string, usual: number, unit: Unit): number => {
    if (!Object.hasOwn(given, name)) return usual;
    const value = given[name];
    const max = MAX_OF_UNIT[unit];
    if (typeof value === "number" && value >= 0 && value <= max) return value;
    const range = max === Number.MAX_VALUE ? "not below 0" : `from 0 to ${max}`;
    complain(name, `a number ${range} (${unit})`);
    return usual;
  };
  const enabled = Object.hasOwn(given, "enabled") ? given["enabled"] : true;
  if (typeof enabled !== "boolean") complain("enabled", "true or false");
  const values = Object.fromEntries(
    Object.entries(rule.thresholds).map(([name, { value, unit }]) => [
      name,
      numberNamed(name, value, unit),
    ]),
  );
  checkOrder(rule, values, complaints);
  return {
    isEnabled: enabled !== false,
    forSeconds: numberNamed("forSeconds", rule.forSeconds, "seconds"),
    clearSeconds: numberNamed("clearSeconds", rule.clearSeconds, "seconds"),
    values,
  };
}

/** Complains about a severe level whose threshold is below that of a milder one. */
function checkOrder(rule: RuleTerms, values: ThresholdValues, complaints: string[]): void {
  const names = rule.ascending ?? [];
  names.slice(1).forEach((name, index) => {
    const before = names[index]!;
    if (values[before]! <= values[name]!) return;
    complaints.push(
      `The setting '${before}' of '${rule.id}' is ${values[before]}; it must not be above ` +
        `'${name}', which is ${values[name]}.`,
    );
  });
}

const MAX_OF_UNIT: Readonly<Record<Unit, number>> = {
  percent: 100,
  fraction: 1,
  hours: 24,
  days: 36_500,
  seconds: 31_536_000,
  requests: Number.MAX_VALUE,
  queries: Number.MAX_VALUE,
  "logical partitions": Number.MAX_VALUE,
  "physical partitions": Number.MAX_VALUE,
  "RU/s": Number.MAX_VALUE,
  GiB: Number.MAX_VALUE,
  rounds: Number.MAX_VALUE,
};

function namesOf(rules: readonly RuleTerms[]): string {
  return rules.map(({ id }) => id).join(", ");
}
