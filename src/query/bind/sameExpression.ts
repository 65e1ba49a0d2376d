/**
 * Tells whether two expressions are written alike, wherever they stand: a selected one and a group
 * key. Names of built-in functions are the same in any case.
 */
import type { Expression } from "../language/ast.ts";

export function isSameExpression(left: Expression, right: Expression): boolean {
  return isSame(left, right);
}

/**
 * Returns a function that finds the first entry of the list that is written like a given
 * expression. The list may be long.
 */
export function finderOf<T extends { readonly written: Expression }>(
  list: readonly T[],
): (sought: Expression) => T | undefined {
  const byHead = new Map<string, T[]>();
  for (const one of list) {
    const head = headOf(one.written);
    const alike = byHead.get(head);
    if (alike === undefined) byHead.set(head, [one]);
    else alike.push(one);
  }
  return (sought) =>
    byHead.get(headOf(sought))?.find(({ written }) => isSameExpression(written, sought));
}

/** Returns a text that is the same for equal expressions; others may share it. */
function headOf(expression: Expression): string {
  const { kind } = expression;
  return kind === "member" || kind === "identifier" ? `${kind} ${expression.name}` : kind;
}

/**
 * Compares trees, which are plain data, member by member; only their places in the text may differ.
 */
function isSame(left: unknown, right: unknown): boolean {
  if (!isNode(left) || !isNode(right)) return Object.is(left, right);
  const names = Object.keys(left).filter(isMeant);
  if (names.length !== Object.keys(right).filter(isMeant).length) return false;
  const isCall = left["kind"] === "call" && left["isUdf"] === false;
  // Members are compared from the last: chains lean to the left, and most differ in their last
  // operand.
  return names.reverse().every((name) => {
    const [a, b] = [left[name], right[name]];
    const isName = isCall && name === "name" && typeof a === "string" && typeof b === "string";
    return isName ? a.toUpperCase() === b.toUpperCase() : isSame(a, b);
  });
}

/** Lists count as nodes, too: their members have numbers for names. */
function isNode(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isMeant(name: string): boolean {
  return name !== "span" && name !== "nameSpan";
}
