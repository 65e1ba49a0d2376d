/**
 * A pattern as a tree, after parsing. Modifiers are gone: what they mean is in the sets and
 * assertions. Every node except `empty` becomes at least one instruction each time it is compiled,
 * so the cap on instructions also bounds the time to compile.
 */
import type { CharSet } from "./charSet.ts";

/** What must hold between two characters; it consumes none. */
export type Assertion =
  | "textStart"
  | "lineStart"
  | "textEnd"
  /** Or before the line feed that ends the text. */
  | "lastLineEnd"
  | "lineEnd"
  | "wordBoundary"
  | "notWordBoundary";

export type Node =
  | { readonly kind: "empty" }
  | { readonly kind: "set"; readonly set: CharSet }
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  /** One after the other. Holds no `empty`, and at least two. */
  | { readonly kind: "sequence"; readonly parts: readonly Node[] }
  /** The earlier is preferred. At least two. */
  | { readonly kind: "choice"; readonly options: readonly Node[] }
  | {
      readonly kind: "repeat";
      readonly body: Node;
      readonly min: number;
      /** Infinity when there is no limit. */
      readonly max: number;
      readonly isGreedy: boolean;
    }
  /** What it matches can be asked for. Numbered from 1 in order of opening. */
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

/** Can it match without consuming anything? */
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

/** The characters every match begins with, and whether they are the whole pattern. */
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

/** Not half of a pair: a search for it would find it inside a whole pair. */
function onlyCharacter(set: CharSet): string | undefined {
  const [low, high] = set;
  if (set.length !== 2 || low === undefined || low !== high) return undefined;
  return low >= 0xd800 && low <= 0xdfff ? undefined : String.fromCodePoint(low);
}
