/** What the members of a row are called when the query does not say. */
import type { SelectItem } from "../language/ast.ts";

/** Names of the members of a row; what has none is numbered, those alone counting. */
export function memberNames(items: readonly SelectItem[]): readonly string[] {
  let unnamedCount = 0;
  return items.map(({ alias, expression }) => {
    if (alias !== undefined) return alias;
    if (expression.kind === "member" || expression.kind === "identifier") return expression.name;
    unnamedCount++;
    return `$${unnamedCount}`;
  });
}
