/** Names of the members of a row where the query gives none. */
import type { SelectItem } from "../language/ast.ts";

/**
 * Returns the names of the members of a row. Members without a name are numbered among themselves.
 */
export function memberNames(items: readonly SelectItem[]): readonly string[] {
  let unnamedCount = 0;
  return items.map(({ alias, expression }) => {
    if (alias !== undefined) return alias;
    if (expression.kind === "member" || expression.kind === "identifier") return expression.name;
    unnamedCount++;
    return `$${unnamedCount}`;
  });
}
