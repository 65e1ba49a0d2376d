/**
 * Which places of an item are secret: those that the user named and all below them, or all values
 * ("*"). Names of properties are not secret, but for those below a secret place: there they are
 * part of its value.
 *
 * Whether there is an array on the way is not looked at: `/contacts/email` means the addresses of
 * all contacts, however they are kept, and so does `/contacts/0/email`. Rather too much is secret.
 */
import { no, ok, type Result } from "../base/result.ts";
import type { ItemPath } from "./itemPath.ts";
import { parseItemPath } from "./itemPath.ts";

export const ALL_VALUES = "*";

/** What a place has to do with the secret ones. */
export type Relation =
  /** It is one, or below one. */
  | "secret"
  /** There is one below it. */
  | "above"
  | "apart";

export class Secrets {
  readonly texts: readonly string[];
  readonly isAll: boolean;
  readonly #paths: readonly NamedPath[];

  private constructor(texts: readonly string[], paths: readonly ItemPath[]) {
    this.texts = texts;
    this.#paths = paths.map((path) => ({ path, names: namesOf(path) }));
    this.isAll = texts.includes(ALL_VALUES);
  }

  static parse(texts: readonly string[]): Result<Secrets, string> {
    const paths: ItemPath[] = [];
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

  relationOf(path: ItemPath): Relation {
    if (this.isAll || this.secretAbove(path) !== undefined) return "secret";
    const names = namesOf(path);
    return this.#paths.some((secret) => begins(names, secret.names)) ? "above" : "apart";
  }

  /** The secret place that this one is in, if it was named; not under "*". */
  secretAbove(path: ItemPath): ItemPath | undefined {
    const names = namesOf(path);
    return this.#paths.find((secret) => begins(secret.names, names))?.path;
  }
}

interface NamedPath {
  readonly path: ItemPath;
  readonly names: readonly string[];
}

/** Without positions in arrays, and without names that might be such. */
function namesOf(path: ItemPath): readonly string[] {
  return path.filter(
    (segment) => typeof segment === "string" && !/^\d+$/.test(segment),
  ) as string[];
}

function begins(prefix: readonly string[], names: readonly string[]): boolean {
  return prefix.length <= names.length && prefix.every((name, at) => name === names[at]);
}
