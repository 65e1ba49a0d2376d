/**
 * A pattern as a tree, after parsing. The tree has no modifiers: their meaning is in its sets and
 * assertions. Every node except `empty` becomes at least one instruction each time it is compiled,
 * so the bound on instructions also bounds the time to compile.
 */
import type { CharSet } from "./charSet.ts";

/** What must hold between two characters; an assertion consumes none. */
export type Assertion =
  | "textStart"
  | "lineStart"
  | "textEnd"
  /** Holds at the end of the text, and before a line feed that ends it. */
  | "lastLineEnd"
  | "lineEnd"
  | "wordBoundary"
  | "notWordBoundary";

export type Node =
  | { readonly kind: "empty" }
  | { readonly kind: "set"; readonly set: CharSet }
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  /** Nodes one after the other: at least two, none of them `empty`. */
  | { readonly kind: "sequence"; readonly parts: readonly Node[] }
  /** Alternatives, at least two; an earlier one is preferred. */
  | { readonly kind: "choice"; readonly options: readonly Node[] }
  | {
      readonly kind: "repeat";
      readonly body: Node;
      readonly min: number;
      /** Infinity when there is no limit. */
      readonly max: number;
      readonly isGreedy: boolean;
    }
  /** A group whose match can be asked for; numbered from 1 in order of opening. */
  | { readonly kind: "group"; readonly body: Node; readonly number: number };

export const EMPTY: Node = { kind: "empty" };

export function sequenceOf(parts: readonly Node[]): Node {
  const present = parts.filter((part) => part.kind !== "empty");
  if (present.length === 0) return EMPTY;
  return present.length === 1 ? present[0]! : { kind: "sequence", parts: present };
}

export function choiceOf(options: readonly Node[]): Node {
  return options.length === 1 ? options[0]! : { kind: "choice", options };
}

/** True when the node can match without consuming a character. */
export function mayBeEmpty(node: Node): boolean {
  switch (node.kind) {
    case "set":
      return false;
    case "empty":
    case "assertion":
      return true;
    case "sequence":
      return node.parts.every(mayBeEmpty);
    case "choice":
      return node.options.some(mayBeEmpty);
    case "repeat":
      return node.min === 0 || mayBeEmpty(node.body);
    case "group":
      return mayBeEmpty(node.body);
  }
}

/** The characters that every match begins with, and whether they are the whole pattern. */
export interface Prefix {
  readonly text: string;
  readonly isWhole: boolean;
}

export function prefixOf(node: Node): Prefix {
  if (node.kind === "group") return prefixOf(node.body);
  const parts = node.kind === "sequence" ? node.parts : [node];
  let text = "";
  for (const part of parts) {
    const letter = part.kind === "set" ? onlyCharacter(part.set) : undefined;
    if (letter === undefined) return { text, isWhole: false };
    text += letter;
  }
  return { text, isWhole: true };
}

/**
 * Returns the only character of a set. Half of a surrogate pair does not count: a search would find
 * it inside a whole pair.
 */
function onlyCharacter(set: CharSet): string | undefined {
  const [low, high] = set;
  if (set.length !== 2 || low === undefined || low !== high) return undefined;
  return low >= 0xd800 && low <= 0xdfff ? undefined : String.fromCodePoint(low);
}
