/**
 * What is kept of a query's text: its shape, and what its parameters are compared with.
 *
 * Without secrets the text is kept as it is, with its literals. With secrets a literal that might
 * be the value of a secret place becomes a parameter, and a text with comments is printed again,
 * which drops them. In doubt a value is secret: a literal or parameter is open only if it is
 * compared with a known place that has nothing to do with a secret one, or if nothing in the query
 * has to do with secrets at all.
 */
import type { JsonValue } from "../json/value.ts";
import type { Expression, Parameter, Query } from "../query/language/ast.ts";
import { parseQuery } from "../query/language/parser.ts";
import { printQuery } from "../query/language/printer.ts";
import { mapQuery } from "../query/language/visitor.ts";
import { pathText } from "./itemPath.ts";
import type { Occurrence } from "./queryUses.ts";
import { usesOf } from "./queryUses.ts";
import type { ParameterComparison } from "./recording.ts";
import type { Secrets } from "./secrets.ts";
import { copied } from "./valueText.ts";

export interface QueryShape {
  readonly text: string;
  readonly parameters: ReadonlyMap<string, ParameterUse>;
  /** Literals that have become parameters, by the names of these parameters. */
  readonly literals: ReadonlyMap<string, JsonValue>;
}

export interface ParameterUse {
  readonly isSecret: boolean;
  readonly compared: readonly { readonly path: string; readonly comparison: ParameterComparison }[];
}

export interface ShapeSetting {
  readonly secrets: Secrets;
  /** Properties that are computed from others; their values may reveal a secret. */
  readonly computedNames: ReadonlySet<string>;
}

/** Returns undefined when the text is no query. */
export function queryShapeOf(text: string, setting: ShapeSetting): QueryShape | undefined {
  const parsed = parseQuery(text);
  if (!parsed.ok) return undefined;
  const query = parsed.value;
  const isSecret = secrecyOf(query, setting);
  const { occurrences } = usesOf(query);
  const uses = new Map<string, { isSecret: boolean; compared: Map<string, Compared> }>();
  const literals = new Map<string, JsonValue>();
  const stand = new Map<Expression, Parameter>();
  const prefix = freePrefix(occurrences);
  for (const occurrence of occurrences) {
    const { node } = occurrence;
    let name: string;
    if (node.kind === "parameter") name = node.name;
    else {
      if (!isSecret(occurrence) || node.value === undefined) continue;
      name = `${prefix}${literals.size + 1}`;
      literals.set(name, node.value);
      stand.set(node, { kind: "parameter", span: node.span, name });
    }
    const use = uses.get(name) ?? { isSecret: false, compared: new Map() };
    uses.set(name, use);
    if (isSecret(occurrence)) use.isSecret = true;
    if (occurrence.use === undefined) continue;
    const path = shownPath(occurrence.use.path, setting.secrets);
    const { comparison } = occurrence.use;
    use.compared.set(`${path} ${comparison}`, { path, comparison });
  }
  return {
    text: setting.secrets.isNone ? text : withoutSecrets(text, query, stand),
    parameters: new Map(
      [...uses].map(([name, use]) => [name, { ...use, compared: [...use.compared.values()] }]),
    ),
    literals,
  };
}

type Compared = ParameterUse["compared"][number];

function withoutSecrets(
  text: string,
  query: Query,
  stand: ReadonlyMap<Expression, Parameter>,
): string {
  if (/--|\/\*/.test(text)) return printQuery(mapQuery(query, (each) => stand.get(each)));
  const spans = [...stand.values()].sort((a, b) => b.span.start - a.span.start);
  return copied(
    spans.reduce(
      (kept, { span, name }) => `${kept.slice(0, span.start)}${name}${kept.slice(span.end)}`,
      text,
    ),
  );
}

/** The path as it may be shown: names below a secret place are part of its value and left out. */
function shownPath(path: readonly (string | number)[], secrets: Secrets): string {
  return pathText(secrets.secretAbove(path) ?? path);
}

/** Returns a prefix for names of literals with which no parameter of the query begins. */
function freePrefix(occurrences: readonly Occurrence[]): string {
  const names = occurrences.flatMap(({ node }) => (node.kind === "parameter" ? [node.name] : []));
  let prefix = "@literal";
  while (names.some((name) => name.startsWith(prefix))) prefix += "_";
  return prefix;
}

function secrecyOf(
  query: Query,
  { secrets, computedNames }: ShapeSetting,
): (occurrence: Occurrence) => boolean {
  if (secrets.isNone) return () => false;
  const relationOf = (path: readonly (string | number)[]): ReturnType<Secrets["relationOf"]> =>
    typeof path[0] === "string" && computedNames.has(path[0]) ? "secret" : secrets.relationOf(path);
  const { occurrences, paths, hasUnknownNames } = usesOf(query);
  const isAbout = (path: readonly (string | number)[]): boolean => relationOf(path) !== "apart";
  const touches =
    hasUnknownNames ||
    paths.some(({ path, isSelected }) =>
      isSelected ? relationOf(path) === "secret" : isAbout(path),
    ) ||
    occurrences.some(({ use }) => use !== undefined && isAbout(use.path));
  return ({ node, use }) => {
    // A `true`, `false`, `null` or `undefined` that is not compared with anything reveals nothing
    // about an item.
    if (node.kind === "word" && use === undefined) return false;
    return use === undefined ? touches || secrets.isAll : isAbout(use.path);
  };
}
