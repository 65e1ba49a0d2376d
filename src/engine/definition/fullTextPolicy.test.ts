/** Which full-text policies are taken, and what an index needs of one. */
import { describe, expect, test } from "vitest";
import { DEFAULT_INDEXING_POLICY } from "../../index/policy.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import {
  checkFullTextIndexes,
  languagesOf,
  policyInForce,
  readFullTextPolicy,
} from "./fullTextPolicy.ts";

const TAKEN: readonly JsonObject[] = [
  { defaultLanguage: "en-US" },
  { defaultLanguage: "pt-BR", fullTextPaths: [] },
  { defaultLanguage: "en-US", fullTextPaths: [{ path: "/abstract" }] },
  { fullTextPaths: [{ path: "/a/b", language: "fr-FR" }, { path: "/c" }] },
  { defaultLanguage: "en-US", fullTextPaths: [{ path: "/text1", language: "1033" }] },
  { defaultLanguage: "2070" },
  { defaultLanguage: "en-us" },
];

const INVALID_INPUT = "One of the specified inputs is invalid";
const REFUSED: readonly (readonly [rule: string, policy: JsonValue, told: string])[] = [
  ["a policy is an object", "en-US", "must be an object"],
  ["paths are a list", { fullTextPaths: "/a" }, "must be an array"],
  ["a path is an object", { fullTextPaths: ["/a"] }, "must be an object"],
  [
    "a path starts with a slash",
    { fullTextPaths: [{ path: "abstract" }] },
    "The Full Text Policy contains an invalid Path: abstract",
  ],
  ["no path occurs twice", { fullTextPaths: [{ path: "/a" }, { path: "/a" }] }, "given twice"],
  ["nor in quotes", { fullTextPaths: [{ path: "/a" }, { path: '/"a"' }] }, "given twice"],
  [
    "the default language is known",
    { defaultLanguage: "spa-SPA" },
    "The Full Text Policy contains an unsupported language spa-SPA. Supported languages are:",
  ],
  [
    "the language of a path is known",
    { fullTextPaths: [{ path: "/a", language: "xx" }] },
    "unsupported language xx",
  ],
  ["a number stands for a supported one", { defaultLanguage: "1041" }, "unsupported language 1041"],
  ["a language is a string", { defaultLanguage: 7 }, "must be a string"],
  ["even if it is a number", { defaultLanguage: 1033 }, INVALID_INPUT],
  ["of a path, too", { fullTextPaths: [{ path: "/a", language: [] }] }, INVALID_INPUT],
  ["a path is a string", { fullTextPaths: [{ path: 1 }] }, INVALID_INPUT],
  ["a string is no path", { fullTextPaths: ["/a"] }, INVALID_INPUT],
  ["a string is no list", { fullTextPaths: "/a" }, INVALID_INPUT],
  ["a string is no policy", "en-US", INVALID_INPUT],
  ["words are words", { package: "standard" }, "'package' of a full text policy is not supported"],
  [
    "by default, too",
    { defaultSpec: { tokenizer: "word" } },
    "'defaultSpec' of a full text policy",
  ],
  [
    "stop words are given",
    { fullTextPaths: [{ path: "/a", addStopWords: ["b"] }] },
    "'addStopWords' of a full text policy is not supported",
  ],
];

describe("full-text policies", () => {
  test("nothing said about words is nothing", () => {
    const path = { path: "/a", filters: null };
    const policy = { package: null, fullTextPaths: [path] };
    expect(readFullTextPolicy(policy)).toEqual({ fullTextPaths: [{ path: "/a" }] });
  });

  test.each(TAKEN)("%j is echoed as it was sent", (policy) => {
    expect(readFullTextPolicy(policy)).toEqual(policy);
  });

  test.each(REFUSED)("refused: %s", (_, policy, told) => {
    expect(() => readFullTextPolicy(policy)).toThrow(told);
  });

  test("an index needs a path of the policy", () => {
    const indexing = { ...DEFAULT_INDEXING_POLICY, fullTextIndexes: [{ path: "/a" }] };
    const told = "The path of the Full Text Index /a does not match the path specified in the";
    expect(() => checkFullTextIndexes(indexing, undefined)).toThrow(told);
    expect(() => checkFullTextIndexes(indexing, { fullTextPaths: [{ path: "/b" }] })).toThrow(told);
    expect(() => checkFullTextIndexes(indexing, { fullTextPaths: [{ path: "/a" }] })).not.toThrow();
    const twice = { ...indexing, fullTextIndexes: [{ path: "/a" }, { path: '/"a"' }] };
    expect(() => checkFullTextIndexes(twice, { fullTextPaths: [{ path: "/a" }] })).toThrow(
      "has two",
    );
  });
});

describe("languages of texts", () => {
  const policy = {
    defaultLanguage: "1031",
    fullTextPaths: [{ path: "/a/b", language: "fr-FR" }, { path: "/c" }],
  };
  const rows: readonly (readonly [path: readonly string[], language: string])[] = [
    [["a", "b"], "fr-FR"],
    [["c"], "de-DE"],
    [["a"], "de-DE"],
    [[], "de-DE"],
  ];
  test.each(rows)("%j: %s", (path, language) => expect(languagesOf(policy)(path)).toBe(language));

  test("without a policy all are English", () => {
    expect(languagesOf(undefined)(["a"])).toBe("en-US");
    expect(languagesOf({})(["a"])).toBe("en-US");
  });

  test("the policy in force knows them, so that a change of language is a change of policy", () => {
    const fullTextIndexes = [{ path: "/a/b" }, { path: "/c" }];
    const indexingPolicy = { ...DEFAULT_INDEXING_POLICY, fullTextIndexes };
    expect(policyInForce({ indexingPolicy, fullTextPolicy: policy }).fullTextIndexes).toEqual([
      { path: "/a/b", language: "fr-FR" },
      { path: "/c", language: "de-DE" },
    ]);
  });

  test("where nothing is indexed it is the policy itself", () => {
    const indexingPolicy = DEFAULT_INDEXING_POLICY;
    expect(policyInForce({ indexingPolicy, fullTextPolicy: policy })).toBe(indexingPolicy);
  });
});
