/**
 * Prints a tree as text, in the canonical form of the service's planner: keywords in capitals, a
 * line for each clause, parentheses around every operator with two sides or more, strings in double
 * quotes.
 *
 * The text of a parsed tree gives that tree again when it is parsed, apart from its spans. Names
 * are written as they are: an identifier that is not valid, such as a placeholder for a client to
 * fill in, is the business of the code that made the tree.
 */
import type {
  Binary,
  Collection,
  Expression,
  FromSource,
  OrderBy,
  Query,
  SelectItem,
  Selection,
  Subquery,
  Unary,
} from "./ast.ts";
import { isPlainName } from "./token.ts";

export function printQuery(query: Query): string {
  const { select, from, where, groupBy, orderBy, offsetLimit } = query;
  const distinct = select.isDistinct ? "DISTINCT " : "";
  const top = select.top === undefined ? "" : `TOP ${printExpression(select.top)} `;
  const clauses = [`SELECT ${distinct}${top}${printSelection(select.selection)}`];
  if (from !== undefined) clauses.push(`FROM ${printSource(from)}`);
  if (where !== undefined) clauses.push(`WHERE ${printExpression(where)}`);
  if (groupBy !== undefined) clauses.push(`GROUP BY ${printList(groupBy)}`);
  if (orderBy !== undefined) clauses.push(`ORDER BY ${printOrderBy(orderBy)}`);
  if (offsetLimit !== undefined) {
    const { offset, limit } = offsetLimit;
    clauses.push(`OFFSET ${printExpression(offset)} LIMIT ${printExpression(limit)}`);
  }
  return clauses.join("\n");
}

export function printExpression(expression: Expression): string {
  switch (expression.kind) {
    case "number":
      return Object.is(expression.value, -0) ? "-0" : String(expression.value);
    case "string":
      return JSON.stringify(expression.value);
    case "word":
      return String(expression.value);
    case "parameter":
    case "identifier":
      return expression.name;
    case "member":
      return `${printObject(expression.object)}${printStep(expression.name)}`;
    case "index":
      return `${printObject(expression.object)}[${printExpression(expression.index)}]`;
    case "array":
      return `[${printList(expression.elements)}]`;
    case "object": {
      const members = expression.members.map(
        ({ name, value }) => `${JSON.stringify(name)}: ${printExpression(value)}`,
      );
      return `{${members.join(", ")}}`;
    }
    case "unary":
      return printUnary(expression);
    case "call": {
      const name = expression.isUdf ? `udf.${expression.name}` : expression.name;
      return `${name}(${printList(expression.args)})`;
    }
    case "subquery":
      return printSubquery(expression);
    default:
      return `(${printOperator(expression)})`;
  }
}

/** Prints what stands in parentheses, without them. */
function printOperator(
  expression: Extract<
    Expression,
    { kind: "binary" | "conditional" | "between" | "in" | "like" | "let" }
  >,
): string {
  const print = printExpression;
  const not = "isNegated" in expression && expression.isNegated ? "NOT " : "";
  switch (expression.kind) {
    case "binary":
      return printChain(expression);
    case "conditional": {
      const { condition, whenTrue, otherwise } = expression;
      return `${print(condition)} ? ${print(whenTrue)} : ${print(otherwise)}`;
    }
    case "between": {
      const { operand, low, high } = expression;
      return `${print(operand)} ${not}BETWEEN ${print(low)} AND ${print(high)}`;
    }
    case "in":
      return `${print(expression.needle)} ${not}IN (${printList(expression.list)})`;
    case "like": {
      const { text, pattern, escape: character } = expression;
      const escaping = character === undefined ? "" : ` ESCAPE ${JSON.stringify(character)}`;
      return `${print(text)} ${not}LIKE ${print(pattern)}${escaping}`;
    }
    case "let":
      return `LET ${expression.name} = ${print(expression.value)} IN ${print(expression.body)}`;
  }
}

/**
 * Prints a chain of operators. The loop goes down to the first operand, because a chain may be
 * thousands long.
 */
function printChain(binary: Binary): string {
  const chain: Binary[] = [binary];
  let { left } = binary;
  for (; left.kind === "binary"; left = left.left) chain.push(left);
  const printed = chain.reduceRight(
    (text, { operator, right }) => `(${text} ${operator} ${printExpression(right)})`,
    printExpression(left),
  );
  return printed.slice(1, -1);
}

/** Prints a unary operator. Two signs in a row are kept apart, because `--` begins a comment. */
function printUnary({ operator, operand }: Unary): string {
  const printed = printExpression(operand);
  const needsBlank = operator === "NOT" || /^[-+]/.test(printed);
  return `${operator}${needsBlank ? " " : ""}${printed}`;
}

/**
 * Prints what a member is accessed of. A sign needs parentheses, because member access binds
 * tighter; so does a number, because a dot after digits would be part of it.
 */
function printObject(object: Expression): string {
  const printed = printExpression(object);
  return object.kind === "unary" || object.kind === "number" ? `(${printed})` : printed;
}

const printStep = (name: string): string =>
  isPlainName(name) ? `.${name}` : `[${JSON.stringify(name)}]`;

const printList = (expressions: readonly Expression[]): string =>
  expressions.map(printExpression).join(", ");

function printSubquery({ form, query }: Subquery): string {
  return `${form === "scalar" ? "" : form.toUpperCase()}( ${printQuery(query)} )`;
}

export function printSelection(selection: Selection): string {
  switch (selection.kind) {
    case "star":
      return "*";
    case "value":
      return `VALUE ${printExpression(selection.expression)}`;
    case "list":
      return selection.items.map(printSelectItem).join(", ");
  }
}

function printSelectItem({ expression, alias }: SelectItem): string {
  const printed = printExpression(expression);
  if (alias === undefined) return printed;
  return `${printed} AS ${isPlainName(alias) ? alias : JSON.stringify(alias)}`;
}

export function printSource(source: FromSource): string {
  switch (source.kind) {
    case "join":
      return `${printSource(source.left)}\nJOIN ${printSource(source.right)}`;
    case "iterate":
      return `${source.alias} IN ${printCollection(source.collection)}`;
    case "collection": {
      const printed = printCollection(source.collection);
      return source.alias === undefined ? printed : `${printed} AS ${source.alias}`;
    }
  }
}

function printCollection(collection: Collection): string {
  if (collection.kind === "subquery") return `( ${printQuery(collection.query)} )`;
  const steps = collection.steps.map((step) =>
    typeof step === "number" ? `[${step}]` : printStep(step),
  );
  return collection.root + steps.join("");
}

export function printOrderBy({ kind, items }: OrderBy): string {
  const printed = items.map(({ expression, direction }) => {
    const suffix = direction === undefined ? "" : ` ${direction}`;
    return printExpression(expression) + suffix;
  });
  return `${kind === "rank" ? "RANK " : ""}${printed.join(", ")}`;
}
