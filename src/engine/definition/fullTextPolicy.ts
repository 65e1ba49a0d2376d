/**
 * Which paths of a container hold prose, and in which language.
 *
 * The policy is echoed as it was sent, so nothing is filled in: a path without a language means
 * the default one. It may be replaced freely. Every full-text index must stand on one of its
 * paths.
 */
import type { IndexingPolicy } from "../../index/policy.ts";
import type { JsonValue } from "../../json/value.ts";
import { faultPositionOf } from "./propertyPath.ts";
import { listOf, member, objectOf, optional, refuse, repeated, textOf } from "./reading.ts";

export type FullTextPolicy = {
  readonly defaultLanguage?: string;
  readonly fullTextPaths?: readonly FullTextPath[];
};

export type FullTextPath = { readonly path: string; readonly language?: string };

const LANGUAGES: readonly string[] = [
  "en-US",
  "de-DE",
  "es-ES",
  "fr-FR",
  "it-IT",
  "pt-BR",
  "pt-PT",
];

export function readFullTextPolicy(value: JsonValue | undefined): FullTextPolicy | undefined {
  if (value === undefined) return undefined;
  const policy = objectOf(value, "The full text policy");
  const paths = member(policy, "fullTextPaths");
  const fullTextPaths =
    paths === undefined ? undefined : listOf(paths, "The member 'fullTextPaths'").map(readPath);
  const twice = repeated((fullTextPaths ?? []).map(({ path }) => path));
  if (twice !== undefined) refuse(`The full text path '${twice}' is given twice.`);
  return {
    ...optional("defaultLanguage", readLanguage(member(policy, "defaultLanguage"))),
    ...optional("fullTextPaths", fullTextPaths),
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
  const entry = objectOf(value, "A full text path");
  const path = textOf(member(entry, "path"), "The path of a full text path");
  if (faultPositionOf(path) !== undefined) {
    refuse(`The Full Text Policy contains an invalid Path: ${path}.`);
  }
  return { path, ...optional("language", readLanguage(member(entry, "language"))) };
}

function readLanguage(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  const language = textOf(value, "A language of the full text policy");
  if (LANGUAGES.includes(language)) return language;
  return refuse(
    `The Full Text Policy contains an unsupported language ${language}. ` +
      `Supported languages are: ${LANGUAGES.join(", ")}.`,
  );
}
