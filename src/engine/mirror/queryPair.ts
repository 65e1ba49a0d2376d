/**
 * A query on both sides, each run to its end: pages are cut in different places, so only whole
 * answers can be compared.
 */
import { no } from "../../base/result.ts";
import type { JsonValue } from "../../json/value.ts";
import type { Consistency } from "../../model/consistency.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { ItemScope } from "../../model/request/itemScope.ts";
import { WHOLE_CONTAINER } from "../../model/request/itemScope.ts";
import { rangeOfKey, WHOLE_RANGE } from "../../partition/epkRange.ts";
import type { Counts } from "../../query/clientPlan/planRewrite.ts";
import { hasAggregate, selectedBy } from "../../query/keyRanges/aggregates.ts";
import { keyRangesOf } from "../../query/keyRanges/keyRanges.ts";
import type { Count, Query } from "../../query/language/ast.ts";
import type { Container } from "../partition/container.ts";
import { keySettingOf } from "../query/queryRanges.ts";
import type { ParsedQuestion } from "./oldKeyCondition.ts";
import { withOldKey } from "./oldKeyCondition.ts";
import type { PairedRead, PairSetting, SideResult } from "./pairedRead.ts";
import type { ComparisonTerms, RowComparison } from "./rowComparison.ts";
import { compareRows } from "./rowComparison.ts";
import { areSameButForTies, withOrderValues } from "./tieGroups.ts";
import type { SideAnswer, SideQuestion } from "./wholeAnswer.ts";
import { wholeAnswer } from "./wholeAnswer.ts";

interface QueryQuestion extends ParsedQuestion {
  /** The partition key of the source, or the beginning of one, that the query came with. */
  readonly key: PartitionKey | undefined;
  readonly consistency: Consistency | undefined;
}

/** Unlike a query that names no scope, one about a range is answered whatever it has to merge. */
const EVERYWHERE: ItemScope = { kind: "bounds", range: WHOLE_RANGE };

export class QueryPair implements PairedRead {
  readonly #setting: PairSetting;
  readonly #source: SideQuestion;
  /** Undefined if the target cannot be asked. */
  readonly #target: SideQuestion | undefined;
  readonly #counts: Counts;
  readonly #terms: ComparisonTerms;

  constructor(setting: PairSetting, question: QueryQuestion) {
    const { query, parameters, text, key, consistency } = question;
    const { container } = setting.source;
    this.#setting = setting;
    this.#source = {
      query,
      text,
      parameters,
      consistency,
      scope: key === undefined ? EVERYWHERE : scopeOf(container, key),
    };
    const asked = key === undefined ? question : askedWithoutKey(container, question, key);
    // Where the source was asked for one key, a client of the target names no scope.
    const scope = key === undefined ? EVERYWHERE : WHOLE_CONTAINER;
    this.#target = asked && { ...asked, consistency, scope };
    this.#counts = countsOf(query, parameters);
    this.#terms = termsOf(query, this.#counts);
  }

  control(): Promise<SideResult> {
    return wholeAnswer(this.#setting, this.#setting.source, this.#source);
  }

  async candidate(): Promise<SideResult> {
    if (this.#target === undefined) return no({ kind: "failed", reason: NO_ITEM_NAME });
    return wholeAnswer(this.#setting, this.#setting.target, this.#target);
  }

  async compare(source: SideAnswer, target: SideAnswer): Promise<RowComparison> {
    const compared = compareRows(source.rows, target.rows, this.#terms);
    if (compared.kind !== "reordered") return compared;
    return (await this.#isSameButForTies()) ? { kind: "same", names: [] } : OTHER_ORDER;
  }

  isMoved(control: SideAnswer, again: SideAnswer): boolean {
    return compareRows(control.rows, again.rows, this.#terms).kind !== "same";
  }

  async #isSameButForTies(): Promise<boolean> {
    const ours = this.#withOrderValues(this.#source);
    const theirs = this.#target && this.#withOrderValues(this.#target);
    // Groups and distinct rows have no order values of their own, and the same rows will do.
    if (ours === undefined || theirs === undefined) return true;
    const source = await wholeAnswer(this.#setting, this.#setting.source, ours);
    const target = await wholeAnswer(this.#setting, this.#setting.target, theirs);
    if (!source.ok || !target.ok) return true;
    const { top, offset = 0, limit } = this.#counts;
    const cutAt = limit === undefined ? top : Math.min(top ?? limit, limit) + offset;
    return areSameButForTies(source.value.rows, target.value.rows, cutAt);
  }

  #withOrderValues(question: SideQuestion): SideQuestion | undefined {
    const query = withOrderValues(question.query, this.#counts);
    return query && { ...question, query, text: undefined };
  }
}

const NO_ITEM_NAME =
  "the query came with a partition key, and its FROM names no item that could have that key";
const OTHER_ORDER: RowComparison = { kind: "different", names: ["the same rows in another order"] };

function scopeOf({ definition }: Container, key: PartitionKey): ItemScope {
  return { kind: "key", range: rangeOfKey(definition.partitionKey, key) };
}

/** A filter that names the key already needs no condition, which would only be paid twice. */
function askedWithoutKey(
  container: Container,
  question: ParsedQuestion,
  key: PartitionKey,
): ParsedQuestion | undefined {
  const { partitionKey } = container.definition;
  const named = keyRangesOf(question.query, keySettingOf(container, question.parameters));
  const { min, max } = rangeOfKey(partitionKey, key);
  const isNamed =
    typeof named !== "string" &&
    named.every(({ range, key: filtered }) => {
      return filtered !== undefined && range.min >= min && range.max <= max;
    });
  return isNamed ? question : withOldKey(question, partitionKey, key);
}

function termsOf(query: Query, { top, offset = 0, limit }: Counts): ComparisonTerms {
  const cut = Math.min(top ?? Number.POSITIVE_INFINITY, limit ?? Number.POSITIVE_INFINITY);
  return {
    isOrdered: query.orderBy !== undefined,
    isAggregating:
      query.groupBy !== undefined || selectedBy(query.select.selection).some(hasAggregate),
    cutAt: offset > 0 ? 0 : Number.isFinite(cut) ? cut : undefined,
  };
}

function countsOf(
  { select, offsetLimit }: Query,
  parameters: ReadonlyMap<string, JsonValue>,
): Counts {
  const numberOf = (count: Count): number =>
    count.kind === "number" ? count.value : Number(parameters.get(count.name));
  return {
    ...(select.top && { top: numberOf(select.top) }),
    ...(offsetLimit && {
      offset: numberOf(offsetLimit.offset),
      limit: numberOf(offsetLimit.limit),
    }),
  };
}
