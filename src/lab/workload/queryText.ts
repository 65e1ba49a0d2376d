/**
 * The text of a query in a workload file: checked by the parser of the server, and generated where
 * a file describes a query by the paths it filters on.
 */
import type { Query } from "../../query/language/ast.ts";
import { parseQuery } from "../../query/language/parser.ts";
import { walkExpressions } from "../../query/language/visitor.ts";
import type { QueryProblem } from "../../query/problem.ts";
import { stepsOf } from "./pathField.ts";

/** Returns what is wrong with a text, with line and column inside it, or undefined. */
export function sqlProblem(sql: string): string | undefined {
  const parsed = parseQuery(sql);
  return parsed.ok ? undefined : problemText(sql, parsed.error);
}

/** The names of the parameters in a text, with their "@". */
export function parametersOf(query: Query): ReadonlySet<string> {
  const names = new Set<string>();
  walkExpressions(query, (expression) => {
    if (expression.kind === "parameter") names.add(expression.name);
  });
  for (const count of [query.select.top, query.offsetLimit?.offset, query.offsetLimit?.limit]) {
    if (count?.kind === "parameter") names.add(count.name);
  }
  return names;
}

/** Returns a query that compares these paths with parameters named after them. */
export function sqlOfFilters(equal: readonly string[], ranged: readonly string[]): string {
  const names = new Set<string>();
  const conditions = [
    ...equal.map((path) => `${reference(path)} = ${freshName(path, names)}`),
    ...ranged.map((path) => `${reference(path)} >= ${freshName(path, names)}`),
  ];
  const filter = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  return `SELECT * FROM c${filter}`;
}

function problemText(sql: string, problem: QueryProblem): string {
  if (problem.kind === "refused") return problem.message;
  const texts = problem.diagnostics.map(({ message, location }) => {
    const start = location?.start;
    return start === undefined ? message : `${message} (${positionIn(sql, start)} of the query)`;
  });
  return texts.join(" ");
}

function positionIn(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

/** Writes a path in brackets, because a name may be no identifier, or a keyword of the language. */
function reference(path: string): string {
  const steps = stepsOf(path) ?? [];
  return `c${steps.map((step) => `[${JSON.stringify(step)}]`).join("")}`;
}

function freshName(path: string, taken: Set<string>): string {
  const last = stepsOf(path)?.at(-1) ?? "";
  const plain = `@${last.replace(/\W/g, "")}` === "@" ? "@value" : `@${last.replace(/\W/g, "")}`;
  let name = plain;
  for (let count = 2; taken.has(name); count++) name = `${plain}${count}`;
  taken.add(name);
  return name;
}
