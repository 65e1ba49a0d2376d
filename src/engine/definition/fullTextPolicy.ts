/**
 * The policy that says which paths of a container hold prose, and in which language.
 *
 * The policy is returned as it was sent, so nothing is filled in: a path without a language has the
 * default language, and a language keeps its spelling, by tag or by number. The policy may be
 * replaced freely. Every full-text index must be on one of its paths. Texts are cut into words in
 * one way only: settings by which a preview of the service changes that are refused.
 */
import type { IndexingPolicy } from "../../index/policy.ts";
import {
  invalidInput,
  listOf,
  member,
  objectOf,
  optionalMember,
  refuse,
  textOf,
} from "../../json/reading.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { parseKeyPath } from "../../partition/partitionKeyOf.ts";
import type { Language } from "../../text/language.ts";
import { DEFAULT_LANGUAGE, LANGUAGES, languageOf } from "../../text/language.ts";
import { faultPositionOf, placeNamedTwice, samePlace } from "./propertyPath.ts";

export type FullTextPolicy = {
  readonly defaultLanguage?: string;
  readonly fullTextPaths?: readonly FullTextPath[];
};

type FullTextPath = { readonly path: string; readonly language?: string };

export function readFullTextPolicy(value: JsonValue | undefined): FullTextPolicy | undefined {
  if (value === undefined) return undefined;
  const policy = objectOf(value, invalidInput("the full text policy"));
  refuseAnalysis(policy, POLICY_ANALYSIS);
  const paths = optionalMember(policy, "fullTextPaths", (list) =>
    listOf(list, invalidInput("the member 'fullTextPaths'")).map(readPath),
  );
  const twice = placeNamedTwice(paths.fullTextPaths ?? []);
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
  const indexes = indexing.fullTextIndexes ?? [];
  const twice = placeNamedTwice(indexes);
  if (twice !== undefined) refuse(`The path '${twice}' has two full text indexes: leave one.`);
  for (const index of indexes) {
    if (!policy?.fullTextPaths?.some((candidate) => samePlace(candidate, index))) {
      refuse(
        `The path of the Full Text Index ${index.path} does not match the path specified in the ` +
          "Full Text Policy.",
      );
    }
  }
}

/** The two parts of a container's definition that tell how its texts are indexed. */
interface TextSettings {
  readonly indexingPolicy: IndexingPolicy;
  readonly fullTextPolicy?: FullTextPolicy;
}

/**
 * Returns the indexing policy with the language of each full-text index. Under another language an
 * item has other terms, so a comparison of policies must see the languages.
 */
export function policyInForce({ indexingPolicy, fullTextPolicy }: TextSettings): IndexingPolicy {
  const { fullTextIndexes } = indexingPolicy;
  if (fullTextIndexes === undefined || fullTextIndexes.length === 0) return indexingPolicy;
  const languageAt = languagesOf(fullTextPolicy);
  return {
    ...indexingPolicy,
    fullTextIndexes: fullTextIndexes.map(({ path }) => ({
      path,
      language: languageAt(parseKeyPath(path) ?? []),
    })),
  };
}

/**
 * Returns the language of the text at a path; the default language if the policy does not name the
 * path.
 */
export function languagesOf(
  policy: FullTextPolicy | undefined,
): (segments: readonly string[]) => Language {
  const byDefault = languageOf(policy?.defaultLanguage ?? "") ?? DEFAULT_LANGUAGE;
  const byPath = new Map<string, Language>();
  for (const { path, language } of policy?.fullTextPaths ?? []) {
    const known = language === undefined ? undefined : languageOf(language);
    byPath.set(JSON.stringify(parseKeyPath(path)), known ?? byDefault);
  }
  if (byPath.size === 0) return () => byDefault;
  return (segments) => byPath.get(JSON.stringify(segments)) ?? byDefault;
}

function readPath(value: JsonValue): FullTextPath {
  const entry = objectOf(value, invalidInput("a full text path"));
  const path = textOf(member(entry, "path"), invalidInput("the path of a full text path"));
  if (faultPositionOf(path) !== undefined) {
    refuse(`The Full Text Policy contains an invalid Path: ${path}.`);
  }
  refuseAnalysis(entry, PATH_ANALYSIS);
  return { path, ...optionalMember(entry, "language", readLanguage) };
}

const POLICY_ANALYSIS = ["package", "defaultSpec"];
const PATH_ANALYSIS = [
  "tokenizer",
  "filters",
  "stopWordListKind",
  "addStopWords",
  "removeStopWords",
];

/**
 * Refuses settings of the text analysis: if they were ignored, searches would find other items than
 * in the service.
 */
function refuseAnalysis(object: JsonObject, names: readonly string[]): void {
  const name = names.find((candidate) => member(object, candidate) !== undefined);
  if (name === undefined) return;
  refuse(
    `The member '${name}' of a full text policy is not supported: words, stems and stop words ` +
      "depend on the language alone. Leave it out.",
  );
}

function readLanguage(value: JsonValue): string {
  const language = textOf(value, invalidInput("a language of the full text policy"));
  if (languageOf(language) !== undefined) return language;
  return refuse(
    `The Full Text Policy contains an unsupported language ${language}. ` +
      `Supported languages are: ${LANGUAGES.join(", ")}.`,
  );
}
