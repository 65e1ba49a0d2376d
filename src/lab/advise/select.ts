/**
 * The guides' strategy selector, rule by rule: what each asks of the data, whether it holds here,
 * which key it would take, and what the lab thinks of that key. The first rule that holds decides,
 * as in the guides; the others are looked at all the same.
 *
 *   more than a million items, read by time      the month
 *   several tenants, fewer than a thousand       the tenant
 *   many writes, read alike                      a hash of the id, in a hundred buckets
 *   otherwise                                    a default, which the guides leave open: the id
 */
import type { KeyExpression, KeyLevels, PathPart } from "../../keys/expression.ts";
import { printKeyLevels } from "../../keys/expressionText.ts";
import type { DataFacts } from "../data/facts.ts";
import { stepsOfPath } from "../profile/pathSteps.ts";
import { numberText, percentText } from "../wording/plain.ts";
import { accessOf } from "../workload/access.ts";
import { totalItems } from "../workload/totalItems.ts";
import type { Workload } from "../workload/workload.ts";
import type { Advice, CandidateAdvice } from "./advice.ts";
import { isRead, rateOf, ratio } from "./ground.ts";

export interface SelectorRule {
  readonly number: number;
  /** As the guides put it, in words. */
  readonly asks: string;
  readonly holds: boolean;
  /** The figures that decide. */
  readonly because: string;
  /** Undefined: there is no property that it could be made of. */
  readonly levels: KeyLevels | undefined;
}

/** The guides' own numbers. */
const VOLUME_MIN = 1_000_000;
const TENANTS_MAX = 1000;
const BUCKETS = 100;
/** Heuristic, as the guides leave open what "high" and "uniform" are. */
const TEMPORAL_READS = 0.5;
const WRITES_PER_SECOND = 100;
const UNIFORM_SHARE = 0.01;

export function selectorRules(workload: Workload, facts: DataFacts): readonly SelectorRule[] {
  return [byMonth(workload, facts), byTenant(facts), byHash(workload, facts), byDefault()];
}

function byMonth(workload: Workload, facts: DataFacts): SelectorRule {
  const items = totalItems(workload.growth, workload.horizonMonths);
  const times = [...facts.properties.values()].filter(({ time }) => time !== undefined);
  const isTime = (path: string): boolean => times.some((each) => each.path === path);
  const reads = workload.operations.filter(isRead);
  const temporal = reads.filter((one) => {
    const { ranges, order } = accessOf(one);
    return ranges.some(({ path }) => isTime(path)) || (order !== undefined && isTime(order.path));
  });
  const share = ratio(rateOf(temporal), rateOf(reads));
  const [time] = times;
  return {
    number: 1,
    asks: "more than a million items, read by time",
    holds: items > VOLUME_MIN && share >= TEMPORAL_READS && time !== undefined,
    because: `${numberText(items)} items at most; ${percentText(share)} of the reads are by time`,
    levels: time && [{ kind: "period", grain: "month", of: pathPart(time.path) }],
  };
}

/** A property that is called one. */
function byTenant(facts: DataFacts): SelectorRule {
  const tenant = [...facts.properties.values()].find(
    ({ path, isScalar }) => isScalar && /tenant|organi[sz]ation|workspace/i.test(path),
  );
  const count = tenant?.distinct.value ?? 0;
  return {
    number: 2,
    asks: "several tenants, fewer than a thousand",
    holds: tenant !== undefined && count > 1 && count < TENANTS_MAX,
    because:
      tenant === undefined
        ? "no property is called a tenant"
        : `${tenant.path} has ${numberText(count)} values`,
    levels: tenant && [pathPart(tenant.path)],
  };
}

function byHash(workload: Workload, facts: DataFacts): SelectorRule {
  const writes = rateOf(workload.operations.filter((one) => !isRead(one)));
  const asked = workload.operations
    .filter(isRead)
    .flatMap((one) => [...accessOf(one).equal.keys()]);
  const heaviest = asked.reduce((most, path) => {
    const isUsable = facts.properties.get(path)?.time === undefined;
    const rows = isUsable ? facts.populationOf([path]).rows : [];
    return rows.reduce((each, row) => Math.max(each, row.requestShare / row.keyCount), most);
  }, 0);
  return {
    number: 3,
    asks: "many writes, read alike",
    holds: writes >= WRITES_PER_SECOND && heaviest <= UNIFORM_SHARE,
    because:
      `${numberText(writes)} writes a second; the value that is asked for most gets ` +
      `${percentText(heaviest)} of the requests for it`,
    levels: [hashed()],
  };
}

function byDefault(): SelectorRule {
  return {
    number: 4,
    asks: "anything else",
    holds: true,
    because: "the guides do not say what their default is; the id is the plainest",
    levels: [pathPart("/id")],
  };
}

function hashed(): KeyExpression {
  const text = { kind: "text", text: "bucket_" } as const;
  return { kind: "concat", parts: [text, { kind: "hash", of: pathPart("/id"), count: BUCKETS }] };
}

function pathPart(path: string): PathPart {
  return { kind: "path", steps: stepsOfPath(path) };
}

/** What the lab thinks of a rule's key, in a sentence with its reason. */
export function opinionOf({ levels }: SelectorRule, advice: Advice): string {
  const found = levels && candidateWith(levels, advice);
  if (found === undefined) return "There is nothing here that its key could be made of.";
  const { best } = advice;
  const [reason] = found.reasons;
  const why = reason === undefined ? (found.merits[0] ?? "") : reason.sentence;
  if (found === best) return `The lab finds nothing better. ${why}`.trim();
  const instead = best === undefined ? "nor any other" : `${best.expression} is the best`;
  return `The lab calls it ${found.verdict}; ${instead}. ${why}`.trim();
}

export function candidateWith(levels: KeyLevels, advice: Advice): CandidateAdvice | undefined {
  const text = printKeyLevels(levels);
  return advice.candidates.find(({ expression }) => expression === text);
}
