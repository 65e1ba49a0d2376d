/**
 * A worked case of the guides: a workload, the keys they weigh for it, and what they say of each.
 * Nothing of what is expected goes into the calculation; it stands beside what comes out.
 */
import { assert } from "../../base/assert.ts";
import type { ReasonCode, Verdict } from "../advise/advice.ts";
import type { Workload } from "../workload/workload.ts";
import { readWorkload } from "../workload/workloadText.ts";

export interface Scenario {
  readonly name: string;
  readonly title: string;
  /** YAML, as docs/lab/workload.md describes it. */
  readonly workloadText: string;
  readonly expected: Expectation;
  readonly variants: readonly ScenarioVariant[];
  /** Where a guide errs in what concerns this case, and what is right. */
  readonly errata: readonly string[];
}

/** The same case with something changed, most often its scale. */
export interface ScenarioVariant {
  readonly name: string;
  readonly title: string;
  readonly change: (workload: Workload) => Workload;
  readonly expected: Expectation;
}

export interface Expectation {
  /** The case as a whole, in a sentence or two. */
  readonly sentence: string;
  /** Ids of the candidates any of which may come out best; none: all of them are bad. */
  readonly best: readonly string[];
  /** By id of the candidate. */
  readonly verdicts: ReadonlyMap<string, ExpectedVerdict>;
}

interface ExpectedVerdict {
  /** Any of these; "best" counts as "workable" too, as only one can be the best. */
  readonly accepted: readonly Verdict[];
  /** Each must be among the reasons that are given. */
  readonly reasons: readonly ReasonCode[];
  /** What the guides say of the key, or what follows from what they say. */
  readonly says: string;
  /** A document gave this verdict; otherwise it was worked out here, and is shown as that. */
  readonly isGiven: boolean;
}

/** The case as a workload, or one of its variants. */
export function scenarioWorkload(scenario: Scenario, variant?: ScenarioVariant): Workload {
  const read = readWorkload(scenario.workloadText, "yaml", scenario.name);
  assert(read.ok, `the workload of ${scenario.name} has problems`);
  return variant === undefined ? read.value : variant.change(read.value);
}

const NOT_WEIGHED = /^Not weighed; (.)/;

/**
 * Verdicts as a table: id, what is accepted, what the guides say, reasons. What begins with "Not
 * weighed" no document says.
 */
export function verdicts(
  ...rows: readonly (readonly [
    id: string,
    accepted: Verdict | readonly Verdict[],
    says: string,
    ...reasons: readonly ReasonCode[],
  ])[]
): ReadonlyMap<string, ExpectedVerdict> {
  return new Map(
    rows.map(([id, accepted, says, ...reasons]) => [
      id,
      {
        accepted: typeof accepted === "string" ? [accepted] : accepted,
        says: says.replace(NOT_WEIGHED, (_, first: string) => first.toUpperCase()),
        reasons,
        isGiven: !says.startsWith("Not weighed"),
      },
    ]),
  );
}
