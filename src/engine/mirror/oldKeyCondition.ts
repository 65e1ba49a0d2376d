/**
 * A query that came with a partition key of the source, in the words in which the target can be
 * asked: there the key means nothing, so the values at its paths become a condition.
 *
 * The values are parameters, not literals: the text stays the same from key to key, and the target
 * prepares it once.
 */
import { carryDigits } from "../../json/digits.ts";
import type { JsonValue } from "../../json/value.ts";
import type { PartitionKey, PartitionKeyDefinition } from "../../model/partitionKey.ts";
import { parseKeyPath } from "../../partition/partitionKeyOf.ts";
import type { Collection, Expression, FromSource, Query, Span } from "../../query/language/ast.ts";
import { sourcesOf } from "../../query/language/visitor.ts";

/** A query as a tree, with the values of its parameters. */
export interface ParsedQuestion {
  readonly query: Query;
  /** The text of the tree as it came, if it did: what is prepared for it need not be made again. */
  readonly text?: string | undefined;
  readonly parameters: ReadonlyMap<string, JsonValue>;
}

const NOWHERE: Span = { start: 0, end: 0 };
const PREFIX = "@keyOfSource";

/** Returns undefined when FROM leaves no name for the item that the condition could be about. */
export function withOldKey(
  question: ParsedQuestion,
  definition: PartitionKeyDefinition,
  key: PartitionKey,
): ParsedQuestion | undefined {
  const { parameters } = question;
  // Without FROM no item is looked at, whatever its key.
  if (question.query.from === undefined) return question;
  const named = withItemName(question.query);
  if (named === undefined) return undefined;
  const { query, item } = named;
  const values = new Map(parameters);
  carryDigits(parameters, values);
  let where = query.where;
  for (const [level, path] of definition.paths.entries()) {
    // A container from before there were keys calls its items without one `[]`.
    const isNone = key.length === 0 && definition.systemKey === true;
    if (level >= key.length && !isNone) break;
    const place = placeOf(item, parseKeyPath(path)!);
    const component = key[level];
    const condition =
      component === undefined ? isMissing(place) : isEqual(place, freeName(values, component));
    where = where === undefined ? condition : and(where, condition);
  }
  return { query: where === undefined ? query : { ...query, where }, parameters: values };
}

interface NamedItem {
  readonly query: Query;
  /** What the query calls the whole item. */
  readonly item: string;
}

/**
 * Returns the query with a name for the whole item. `FROM c` has one; `FROM x IN c.list` is the
 * same as `FROM c JOIN x IN c.list`. `FROM c.a` and subqueries leave none.
 */
function withItemName(query: Query): NamedItem | undefined {
  const first = sourcesOf(query.from)[0];
  if (first?.collection.kind !== "path") return undefined;
  const { root, steps } = first.collection;
  if (first.kind === "collection") {
    return steps.length > 0 ? undefined : { query, item: first.alias ?? root };
  }
  const selection = query.select.selection;
  const element: Expression = { kind: "identifier", span: NOWHERE, name: first.alias };
  const select =
    selection.kind === "star"
      ? { ...query.select, selection: { ...VALUE, expression: element } }
      : query.select;
  return { query: { ...query, select, from: joined(query.from!) }, item: ITEM };
}

const ITEM = "itemOfSource";
const VALUE = { kind: "value", span: NOWHERE } as const;

/** Puts the whole item before the first source, which is about a list in the item. */
function joined(from: FromSource): FromSource {
  if (from.kind === "join") return { ...from, left: joined(from.left) };
  if (from.collection.kind !== "path") return from;
  const whole: Collection = { kind: "path", span: NOWHERE, root: ITEM, steps: [] };
  const left: FromSource = { kind: "collection", span: NOWHERE, collection: whole };
  const right = { ...from, collection: { ...from.collection, root: ITEM } };
  return { kind: "join", span: NOWHERE, left, right };
}

function placeOf(item: string, segments: readonly string[]): Expression {
  const root: Expression = { kind: "identifier", span: NOWHERE, name: item };
  return segments.reduce<Expression>(
    (object, name) => ({ kind: "member", span: NOWHERE, object, name }),
    root,
  );
}

/** Adds a value under a name that no parameter has yet, and returns the name. */
function freeName(values: Map<string, JsonValue>, value: JsonValue): string {
  let at = 1;
  while (values.has(`${PREFIX}${at}`)) at++;
  values.set(`${PREFIX}${at}`, value);
  return `${PREFIX}${at}`;
}

function isEqual(place: Expression, name: string): Expression {
  const right: Expression = { kind: "parameter", span: NOWHERE, name };
  return { kind: "binary", span: NOWHERE, operator: "=", left: place, right };
}

/** An item with an object or an array at the place of its key counts as one without a key. */
function isMissing(place: Expression): Expression {
  const operand: Expression = {
    kind: "call",
    span: NOWHERE,
    name: "IS_PRIMITIVE",
    nameSpan: NOWHERE,
    isUdf: false,
    args: [place],
  };
  return { kind: "unary", span: NOWHERE, operator: "NOT", operand };
}

function and(left: Expression, right: Expression): Expression {
  return { kind: "binary", span: NOWHERE, operator: "AND", left, right };
}
