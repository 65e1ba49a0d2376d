/**
 * The text of a settings file as a tree in which every value knows its place: line and column, and
 * the path to it (`operations[2].sql`).
 *
 * JSON is parsed by the same parser as YAML, so that its problems have places too; what only YAML
 * allows is refused in JSON. References (`*name`) are followed, within bounds that no real file
 * reaches. The parser repairs nothing: a file that is not well-formed gives problems and no tree.
 */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
} from "yaml";
import { no, ok, type Result } from "../base/result.ts";
import type { JsonObject, JsonValue } from "../json/value.ts";

export interface SourceProblem {
  /** Line and column, and the path: "12:7 operations[2].sql". */
  readonly place: string;
  readonly message: string;
}

export type SourceForm = "json" | "yaml";

export interface SourceNode {
  /** The path from the root, whose own path is empty. */
  readonly path: string;
  /** "line:column"; empty in the tree of a value, which has no lines. */
  readonly position: string;
  readonly content: SourceContent;
}

type SourceContent =
  | { readonly kind: "object"; readonly members: ReadonlyMap<string, SourceNode> }
  | { readonly kind: "list"; readonly elements: readonly SourceNode[] }
  | { readonly kind: "scalar"; readonly value: string | number | boolean | null };

/** More nodes than any real file has, and few enough for a small machine. */
const NODE_COUNT_MAX = 200_000;
const DEPTH_MAX = 100;

export function readSource(
  text: string,
  form: SourceForm,
): Result<SourceNode, readonly SourceProblem[]> {
  const lines = new LineCounter();
  const positionOf = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${Math.max(1, line)}:${Math.max(1, col)}`;
  };
  const document = documentIn(text, lines);
  if (document === undefined) {
    return no([{ place: "1:1", message: "Values are nested too deeply to be read." }]);
  }
  const problems = document.errors.map(({ code, message, pos }) => ({
    place: positionOf(pos[0]),
    message: wordsOf(code, message),
  }));
  if (problems.length > 0) return no(problems);
  if (form === "json") {
    const problem = jsonProblem(text, positionOf);
    if (problem !== undefined) return no([problem]);
  }
  if (document.contents === null) {
    return no([{ place: "1:1", message: "The file is empty." }]);
  }
  try {
    const resolve = (node: Node): Node | undefined =>
      isAlias(node) ? node.resolve(document) : node;
    return ok(new TreeMaker(resolve, positionOf).tree(document.contents, "", 0));
  } catch (thrown) {
    if (thrown instanceof Unreadable) return no([thrown.problem]);
    throw thrown;
  }
}

/** Returns undefined when the text nests so deeply that the parser runs out of stack. */
function documentIn(text: string, lineCounter: LineCounter): Document.Parsed | undefined {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false, version: "1.2" });
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

/** The value without places. */
export function jsonOf({ content }: SourceNode): JsonValue {
  switch (content.kind) {
    case "scalar":
      return content.value;
    case "list":
      return content.elements.map(jsonOf);
    case "object": {
      const entries = [...content.members].map(([name, node]) => [name, jsonOf(node)] as const);
      const object: JsonObject = Object.fromEntries(entries);
      return object;
    }
  }
}

/** A value as if it had been read from a file, but for its lines. */
export function treeOf(value: JsonValue, path = ""): SourceNode {
  const inside = (name: string): string => (path === "" ? name : `${path}.${name}`);
  if (Array.isArray(value)) {
    const elements = (value as JsonValue[]).map((one, at) => treeOf(one, `${path}[${at}]`));
    return { path, position: "", content: { kind: "list", elements } };
  }
  if (typeof value === "object" && value !== null) {
    const given = Object.entries(value).filter(([, member]) => member !== undefined);
    const members = new Map(given.map(([name, one]) => [name, treeOf(one, inside(name))]));
    return { path, position: "", content: { kind: "object", members } };
  }
  const scalar = value as string | number | boolean | null;
  return { path, position: "", content: { kind: "scalar", value: scalar } };
}

export function placeOf({ path, position }: SourceNode): string {
  return path === "" ? position : `${position} ${path}`;
}

/** Thrown and caught in this file only. */
class Unreadable extends Error {
  readonly problem: SourceProblem;

  constructor(problem: SourceProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

class TreeMaker {
  readonly #resolve: (node: Node) => Node | undefined;
  readonly #positionOf: (offset: number) => string;
  #nodeCount = 0;

  constructor(resolve: (node: Node) => Node | undefined, positionOf: (offset: number) => string) {
    this.#resolve = resolve;
    this.#positionOf = positionOf;
  }

  tree(written: Node, path: string, depth: number): SourceNode {
    const position = this.#positionOf(written.range?.[0] ?? 0);
    const place = path === "" ? position : `${position} ${path}`;
    const fail = (message: string): never => {
      throw new Unreadable({ place, message });
    };
    this.#nodeCount++;
    if (this.#nodeCount > NODE_COUNT_MAX) fail("The file holds too many values.");
    if (depth > DEPTH_MAX) fail(`Values are nested more than ${DEPTH_MAX} levels deep here.`);
    const node = this.#resolve(written);
    if (isScalar(node)) return { path, position, content: scalarOf(node.value, fail) };
    if (isSeq(node)) {
      const elements = node.items.map((item, at) =>
        this.tree(item as Node, `${path}[${at}]`, depth + 1),
      );
      return { path, position, content: { kind: "list", elements } };
    }
    if (!isMap(node)) return fail("A reference to something that is not there.");
    const members = new Map<string, SourceNode>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? nameOf(key.value, key.source) : undefined;
      if (name === undefined) return fail("A name here is not a text.");
      const inside = path === "" ? name : `${path}.${name}`;
      members.set(name, this.#member(key as Node, value as Node | null, inside, depth + 1));
    }
    return { path, position, content: { kind: "object", members } };
  }

  /** A member `name:` without a value has the place of its name. */
  #member(key: Node, value: Node | null, path: string, depth: number): SourceNode {
    if (value !== null) return this.tree(value, path, depth);
    const position = this.#positionOf(key.range?.[0] ?? 0);
    return { path, position, content: { kind: "scalar", value: null } };
  }
}

function nameOf(value: unknown, source: string | undefined): string | undefined {
  return typeof value === "string" ? value : source;
}

function scalarOf(value: unknown, fail: (message: string) => never): SourceContent {
  const isPlain =
    value === null ||
    typeof value === "string" ||
    typeof value === "boolean" ||
    isFiniteNumber(value);
  return isPlain ? { kind: "scalar", value } : fail(`'${String(value)}' is not a value of JSON.`);
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** A token of JSON; a comma must be followed by an element. */
const JSON_TOKEN =
  /\s+|"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null|,(?!\s*[\]}])|[[\]{}:]/iy;

/** Finds what YAML accepts and JSON does not: comments, single quotes, trailing commas. */
function jsonProblem(
  text: string,
  positionOf: (offset: number) => string,
): SourceProblem | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    let offset = 0;
    do {
      JSON_TOKEN.lastIndex = offset;
      offset += JSON_TOKEN.exec(text)?.[0].length ?? 0;
    } while (JSON_TOKEN.lastIndex !== 0);
    const rest = text.slice(offset).split(/\s/, 1)[0] ?? "";
    const reason = rest === "" ? "a value or a name is missing" : `'${rest}' cannot stand here`;
    return { place: positionOf(rest === "" ? 0 : offset), message: `This is not JSON: ${reason}.` };
  }
}

function wordsOf(code: string, message: string): string {
  if (code === "DUPLICATE_KEY") return "The same name stands here twice.";
  if (code === "MULTIPLE_DOCS") return "A second document begins here; a file is one.";
  if (code === "TAB_AS_INDENT") return "Lines are indented by spaces, not by tabs.";
  return `${message.replace(/\.$/, "")}.`;
}
