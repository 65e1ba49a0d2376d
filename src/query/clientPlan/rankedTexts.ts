/**
 * The texts of a rank in the plan for clients: what each text is searched for, the query that
 * counts the terms in one range, and the score that a range computes once the counts of all ranges
 * are known.
 */

import { DEFAULT_LANGUAGE } from "../../text/language.ts";
import { rankFunctionOf } from "../bind/ranked.ts";
import { parseSearchTerm } from "../functions/fullText.ts";
import { constantOf } from "../keyRanges/constants.ts";
import type { Call, Expression, Query } from "../language/ast.ts";
import { walkExpression } from "../language/visitor.ts";
import type { PlanSetting } from "./clientPlan.ts";
import {
  array,
  call,
  identifier,
  named,
  nowhere,
  number,
  object,
  selectList,
} from "./planRewrite.ts";

const PLACEHOLDER = "documentdb-formattablehybridsearchquery";

interface RankedText {
  readonly path: Expression;
  readonly terms: readonly Expression[];
  /** True when all terms can be searched for. */
  readonly isFine: boolean;
}

export function isText(component: Call): boolean {
  return rankFunctionOf(component) === "FULLTEXTSCORE";
}

/**
 * Returns a text with its terms, which may be written one by one or as a list; the list may be a
 * parameter.
 */
export function textOf(
  { args: [path, ...written] }: Call,
  { parameters }: PlanSetting,
): RankedText {
  const terms = written.flatMap((term): readonly Expression[] => {
    if (term.kind === "array") return term.elements;
    const value = term.kind === "parameter" ? parameters.get(term.name) : undefined;
    if (!Array.isArray(value)) return [term];
    return value.map((_, at) => ({
      kind: "index",
      span: nowhere(),
      object: term,
      index: number(at),
    }));
  });
  return { path: path!, terms, isFine: written.every((term) => isFine(term, parameters)) };
}

/**
 * True when the terms can be searched for. A term must not be read from an item: all items are
 * searched for the same terms.
 */
function isFine(written: Expression, parameters: PlanSetting["parameters"]): boolean {
  if (written.kind === "array") return written.elements.every((term) => isFine(term, parameters));
  const constant = constantOf(written, parameters);
  if (constant === undefined) return !isOfItem(written);
  const values = Array.isArray(constant.value) ? constant.value : [constant.value];
  return values.every((value) => parseSearchTerm(value, DEFAULT_LANGUAGE) !== undefined);
}

function isOfItem(written: Expression): boolean {
  let isFound = false;
  walkExpression(written, ({ kind }) => {
    isFound ||= kind === "identifier";
  });
  return isFound;
}

export function statisticsQuery({ from }: Query, texts: readonly RankedText[]): Query {
  const statistics = texts.map(({ path, terms }) =>
    object([
      ["totalWordCount", call("SUM", call("_FullTextWordCount", path))],
      [
        "hitCounts",
        array(terms.map((term) => call("COUNTIF", call("FullTextContains", path, term)))),
      ],
    ]),
  );
  const span = nowhere();
  const select = selectList({ span, isDistinct: false, selection: { kind: "star", span } }, [
    named("documentCount", call("COUNT", number(1))),
    named("fullTextStatistics", array(statistics)),
  ]);
  return { span, select, ...(from && { from }) };
}

export function textScore({ path, terms }: RankedText, index: number): Expression {
  const placeholder = (name: string): Expression => identifier(`{${PLACEHOLDER}-${name}}`);
  return call(
    "_FullTextScore",
    path,
    array(terms),
    placeholder("totaldocumentcount"),
    placeholder(`totalwordcount-${index}`),
    placeholder(`hitcountsarray-${index}`),
  );
}
