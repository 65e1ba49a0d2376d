/**
 * Whether a text can stand where a router puts it: a condition in brackets, or what becomes of an
 * item.
 *
 * The text is not parsed, the server does that. It is looked at for what would change the query
 * around it: clauses of a query's own, brackets that close what they did not open, and aggregates,
 * which would be made for each container by itself.
 */
import { BadRoute } from "./badRoute.ts";

const CLAUSES: ReadonlySet<string> = new Set(
  "SELECT FROM WHERE ORDER GROUP HAVING OFFSET LIMIT TOP DISTINCT JOIN UNION".split(" "),
);
const AGGREGATES: ReadonlySet<string> = new Set("COUNT SUM AVG MIN MAX".split(" "));
const CLOSING: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
]);

/** Strings, comments, numbers and names of any kind, brackets, and every other character. */
const TOKEN = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|--[^\n]*|\/\*.*?\*\/|[@\p{L}\p{N}_$]+|\s+|./gsu;

interface Bracket {
  readonly closing: string;
  isSubquery: boolean;
}

/** `name`: what the caller calls the text. */
export function checkText(name: "where" | "select", text: unknown): string {
  if (typeof text !== "string" || text.trim() === "") {
    throw new BadRoute(`${name}: a text is expected, such as ${EXAMPLES[name]}.`);
  }
  const open: Bracket[] = [];
  const tokens = [...text.matchAll(TOKEN)]
    .map(([token]) => token)
    .filter((token) => !/^(\s|--|\/\*)/.test(token));
  for (const [at, token] of tokens.entries()) {
    if (token === '"' || token === "'")
      throw new BadRoute(`${name}: a quote ${token} is not closed.`);
    const closing = CLOSING.get(token);
    if (closing !== undefined) open.push({ closing, isSubquery: false });
    else if (/^[)\]}]$/.test(token)) closeBracket(name, token, open);
    else if (token === "," && open.length === 0) throw new BadRoute(commaIn(name));
    else checkWord(name, tokens, at, open);
  }
  if (open.length > 0) throw new BadRoute(`${name}: "${open.at(-1)!.closing}" is missing.`);
  return text;
}

const EXAMPLES: Readonly<Record<"where" | "select", string>> = {
  where: '"c.speed > @least"',
  select: '"{ id: c.id, speed: c.speed }"',
};

function commaIn(name: "where" | "select"): string {
  const instead = name === "select" ? "Make one object" : "Join conditions by AND or OR";
  return `${name}: a comma outside of brackets. ${instead}, such as ${EXAMPLES[name]}.`;
}

function closeBracket(name: string, token: string, open: Bracket[]): void {
  if (open.pop()?.closing !== token) throw new BadRoute(`${name}: "${token}" closes nothing.`);
}

function checkWord(
  name: "where" | "select",
  tokens: readonly string[],
  at: number,
  open: readonly Bracket[],
): void {
  // A property may be called `order`, and so may a member of an object.
  if (tokens[at - 1] === "." || tokens[at + 1] === ":") return;
  const word = tokens[at]!.toUpperCase();
  const innermost = open.at(-1);
  if (word === "SELECT" && innermost?.closing === ")") innermost.isSubquery = true;
  if (open.some(({ isSubquery }) => isSubquery)) return;
  if (CLAUSES.has(word) && (innermost === undefined || word === "SELECT")) {
    throw new BadRoute(
      `${name}: ${word} begins a clause. Give only ${PARTS[name]}, such as ${EXAMPLES[name]}; ` +
        "the range, order and limit have options of their own.",
    );
  }
  if (AGGREGATES.has(word) && tokens[at + 1] === "(") {
    throw new BadRoute(
      `${name}: ${word} would be made for each container and key by itself, and count an item ` +
        `twice that is in both. ${word === "COUNT" ? "Use count()." : "Make it of the rows."}`,
    );
  }
}

const PARTS: Readonly<Record<"where" | "select", string>> = {
  where: "a condition on an item c",
  select: "what becomes of an item c",
};
