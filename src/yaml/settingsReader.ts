/**
 * Takes values out of a settings file, member by member. What cannot be used is a problem with its
 * place, and reading goes on, so that all problems are told at once. A name that nobody knows is a
 * problem, too: a setting that is misspelt must not pass as one that is absent.
 */
import { nearestName } from "../base/nearestName.ts";
import type { JsonValue } from "../json/value.ts";
import { jsonOf, readSource, type SourceForm, type SourceNode } from "./sourceTree.ts";

/** The members of an object by name. */
export type Members<Name extends string> = { readonly [Known in Name]?: SourceNode };

export class SettingsReader {
  readonly #file: string;
  readonly #problems: string[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  /** Each with file, line, column and path. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** The whole file; undefined when it is not well-formed. */
  read(text: string, form: SourceForm): SourceNode | undefined {
    const source = readSource(text, form);
    if (source.ok) return source.value;
    for (const { place, message } of source.error) {
      this.#problems.push(`${this.#file}:${place} ${message}`);
    }
    return undefined;
  }

  problem(node: SourceNode, message: string): undefined {
    const colon = node.path === "" ? "" : ":";
    this.#problems.push(`${this.placeOf(node)}${colon} ${message}`);
    return undefined;
  }

  /** For what turns out later: file, line, column and path. */
  placeOf({ path, position }: SourceNode): string {
    const at = position === "" ? this.#file : `${this.#file}:${position}`;
    return path === "" ? at : `${at} ${path}`;
  }

  /** Empty when it is no object. `null` counts as absent, as a name without a value does. */
  members<Name extends string>(node: SourceNode, known: readonly Name[]): Members<Name> {
    const { content } = node;
    if (content.kind !== "object") {
      this.problem(node, `it must have members, such as ${known[0]!}; it is ${kindOf(node)}.`);
      return {};
    }
    const found: { [Known in Name]?: SourceNode } = {};
    for (const [name, member] of content.members) {
      const match = known.find((one) => one === name);
      if (match === undefined) this.#unknown(member, name, known);
      else if (!isNull(member)) found[match] = member;
    }
    return found;
  }

  #unknown(member: SourceNode, name: string, known: readonly string[]): void {
    const meant = nearestName(name, known);
    const hint =
      meant === undefined ? `There are ${known.join(", ")}.` : `Did you mean '${meant}'?`;
    this.problem(member, `there is no setting '${name}'. ${hint}`);
  }

  /** Names that the file is free to choose. */
  named(node: SourceNode | undefined): readonly (readonly [string, SourceNode])[] {
    if (node === undefined) return [];
    if (node.content.kind === "object") return [...node.content.members];
    this.problem(node, `it must have names with values; it is ${kindOf(node)}.`);
    return [];
  }

  list(node: SourceNode | undefined): readonly SourceNode[] {
    if (node === undefined) return [];
    if (node.content.kind === "list") return node.content.elements;
    this.problem(node, `it must be a list; it is ${kindOf(node)}.`);
    return [];
  }

  text(node: SourceNode | undefined): string | undefined {
    return this.#scalar(node, "a text", (value) => (typeof value === "string" ? value : undefined));
  }

  number(node: SourceNode | undefined): number | undefined {
    return this.#scalar(node, "a number", (value) =>
      typeof value === "number" ? value : undefined,
    );
  }

  boolean(node: SourceNode | undefined): boolean | undefined {
    return this.#scalar(node, "true or false", (value) =>
      typeof value === "boolean" ? value : undefined,
    );
  }

  /** One text stands for a list of one. */
  texts(node: SourceNode | undefined): readonly string[] | undefined {
    if (node === undefined) return undefined;
    const nodes = node.content.kind === "scalar" ? [node] : this.list(node);
    return nodes.flatMap((one) => this.text(one) ?? []);
  }

  json(node: SourceNode | undefined): JsonValue | undefined {
    return node && jsonOf(node);
  }

  #scalar<T>(
    node: SourceNode | undefined,
    wanted: string,
    take: (value: string | number | boolean | null) => T | undefined,
  ): T | undefined {
    if (node === undefined) return undefined;
    const taken = node.content.kind === "scalar" ? take(node.content.value) : undefined;
    return taken ?? this.problem(node, `it must be ${wanted}; it is ${kindOf(node)}.`);
  }
}

function isNull({ content }: SourceNode): boolean {
  return content.kind === "scalar" && content.value === null;
}

function kindOf({ content }: SourceNode): string {
  if (content.kind === "list") return "a list";
  if (content.kind === "object") return "an object";
  const { value } = content;
  return typeof value === "string" ? `the text '${value}'` : String(value);
}
