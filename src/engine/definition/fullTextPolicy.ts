/**
 * Which paths of a container hold prose, and in which language.
 *
 * The policy is echoed as it was sent, so nothing is filled in: a path without a language means
 * the default one, and a language stays as it was spelled, by tag or by number. The policy may be
 * replaced freely. Every full-text index must stand on one of its paths.
 */
import type { IndexingPolicy } from "../../index/policy.ts";
import {
  invalidInput,
  listOf,
  member,
  objectOf,
  optionalMember,
  refuse,
  repeated,
  textOf,
} from "../../json/reading.ts";
import type { JsonValue } from "../../json/value.ts";
import { faultPositionOf } from "./propertyPath.ts";

export type FullTextPolicy = {
  readonly defaultLanguage?: string;
  readonly fullTextPaths?: readonly FullTextPath[];
};

export type FullTextPath = { readonly path: string; readonly language?: string };

/** Each with the number Windows knows it by (its LCID), which clients may send in its place. */
const LANGUAGES: ReadonlyMap<string, string> = new Map([
  ["en-US", "1033"],
  ["de-DE", "1031"],
  ["es-ES", "3082"],
  ["fr-FR", "1036"],
  ["it-IT", "1040"],
  ["pt-BR", "1046"],
  ["pt-PT", "2070"],
]);
const LANGUAGE_NAMES: ReadonlySet<string> = new Set([...LANGUAGES].flat());

export function readFullTextPolicy(value: JsonValue | undefined): FullTextPolicy | undefined {
  if (value === undefined) return undefined;
  const policy = objectOf(value, invalidInput("the full text policy"));
  const paths = optionalMember(policy, "fullTextPaths", (list) =>
    listOf(list, invalidInput("the member 'fullTextPaths'")).map(readPath),
  );
  const twice = repeated((paths.fullTextPaths ?? []).map(({ path }) => path));
  if (twice !== undefined) refuse(`The full text path '${twice}' is given twice.`);
  return {
    ...optionalMember(policy, "defaultLanguage", readLanguage),
    ...paths,
  };
}

export function checkFullTextIndexes(
  indexing: IndexingPolicy,
  policy: FullTextPolicy | undefined,
): void {
  for (const { path } of indexing.fullTextIndexes ?? []) {
    if (!policy?.fullTextPaths?.some((candidate) => candidate.path === path)) {
      refuse(
        `The path of the Full Text Index ${path} does not match the path specified in the ` +
          "Full Text Policy.",
      );
    }
  }
}

function readPath(value: JsonValue): FullTextPath {
  const entry = objectOf(value, invalidInput("a full text path"));
  const path = textOf(member(entry, "path"), invalidInput("the path of a full text path"));
  if (faultPositionOf(path) !== undefined) {
    refuse(`The Full Text Policy contains an invalid Path: ${path}.`);
  }
  return { path, ...optionalMember(entry, "language", readLanguage) };
}

function readLanguage(value: JsonValue): string {
  const language = textOf(value, invalidInput("a language of the full text policy"));
  if (LANGUAGE_NAMES.has(language)) return language;
  return refuse(
    `The Full Text Policy contains an unsupported language ${language}. ` +
      `Supported languages are: ${[...LANGUAGES.keys()].join(", ")}.`,
  );
}
