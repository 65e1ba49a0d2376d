/**
 * The secret places of an item: the paths that the user named and everything below them, or all
 * values ("*"). Names of properties are not secret, except below a secret place, where they are
 * part of its value.
 *
 * Arrays on the path are ignored: `/contacts/email` means the addresses of all contacts, however
 * they are kept, and so does `/contacts/0/email`. In doubt too much is secret rather than too
 * little.
 */
import { no, ok, type Result } from "../base/result.ts";
import type { ShapePath } from "./itemPath.ts";
import { parseItemPath } from "./itemPath.ts";

const ALL_VALUES = "*";

/** How a place relates to the secret places. */
type Relation =
  /** The place is a secret one, or below one. */
  | "secret"
  /** A secret place is below this place. */
  | "above"
  | "apart";

export class Secrets {
  readonly texts: readonly string[];
  readonly isAll: boolean;
  readonly #paths: readonly NamedPath[];

  private constructor(texts: readonly string[], paths: readonly ShapePath[]) {
    this.texts = texts;
    this.#paths = paths.map((path) => ({ path, names: namesOf(path) }));
    this.isAll = texts.includes(ALL_VALUES);
  }

  static parse(texts: readonly string[]): Result<Secrets, string> {
    const paths: ShapePath[] = [];
    for (const text of texts) {
      if (text === ALL_VALUES) continue;
      const path = parseItemPath(text);
      if (path === undefined) {
        return no(`'${text}' is no path: write it as /customer/email, or * for all values.`);
      }
      const names = namesOf(path);
      if (names.length === 0) return no(`'${text}' names no property.`);
      paths.push(path);
    }
    return ok(new Secrets(texts, paths));
  }

  get isNone(): boolean {
    return this.texts.length === 0;
  }

  relationOf(path: ShapePath): Relation {
    if (this.isAll || this.secretAbove(path) !== undefined) return "secret";
    const names = namesOf(path);
    return this.#paths.some((secret) => begins(names, secret.names)) ? "above" : "apart";
  }

  /** Returns the named secret place that contains `path`; not used under "*". */
  secretAbove(path: ShapePath): ShapePath | undefined {
    const names = namesOf(path);
    return this.#paths.find((secret) => begins(secret.names, names))?.path;
  }
}

interface NamedPath {
  readonly path: ShapePath;
  readonly names: readonly string[];
}

/**
 * Returns the names of a path without positions in arrays, and without names that might be
 * positions.
 */
function namesOf(path: ShapePath): readonly string[] {
  return path.filter(
    (segment) => typeof segment === "string" && !/^\d+$/.test(segment),
  ) as string[];
}

function begins(prefix: readonly string[], names: readonly string[]): boolean {
  return prefix.length <= names.length && prefix.every((name, at) => name === names[at]);
}
