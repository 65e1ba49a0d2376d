/** Which unique keys are taken, and that they stay. */
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import {
  checkUniqueKeysKept,
  readUniqueKeyPolicy,
  type UniqueKeyPolicy,
} from "./uniqueKeyPolicy.ts";

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const keys = (...paths: JsonValue[]): JsonObject => ({
  uniqueKeys: paths.map((each) => ({ paths: each })),
});

const TAKEN: readonly (readonly [rule: string, policy: JsonObject])[] = [
  ["no keys", keys()],
  ["a key of two paths, and one of the first", keys(["/a", "/b/c"], ["/a"])],
  ["16 paths in each of 10", keys(...times(10, (key) => times(16, (path) => `/k${key}/p${path}`)))],
];

const REFUSED: readonly (readonly [rule: string, policy: JsonValue, told: string])[] = [
  ["a policy is an object", [], "must be an object"],
  ["its keys are a list", { uniqueKeys: { paths: ["/a"] } }, "must be an array"],
  ["a key is an object", { uniqueKeys: ["/a"] }, "must be an object"],
  ["paths are a list", keys("/a"), "must be an array"],
  ["there are at most 10 keys", keys(...times(11, (key) => [`/k${key}`])), "at most 10"],
  ["there are at most 16 paths", keys(times(17, (path) => `/p${path}`)), "one to 16 paths"],
  ["there is a path", keys([]), "one to 16 paths"],
  ["paths start with a slash", keys(["a"]), "The unique key path 'a'"],
  ["paths have no wildcard", keys(["/a/*"]), "failed near position '4'"],
  ["the paths of a key differ", keys(["/a", "/a"]), "occurs twice"],
  ["keys differ, whatever the order", keys(["/a", "/b"], ["/b", "/a"]), "given twice"],
];

/** Before, after, and whether that is a change. */
const REPLACED: readonly (readonly [JsonObject | undefined, JsonObject | undefined, string])[] = [
  [undefined, undefined, "kept"],
  [undefined, keys(), "kept"],
  [keys(["/a"]), keys(["/a"]), "kept"],
  [keys(["/a"]), keys(["/b"]), "changed"],
  [keys(["/a"]), undefined, "changed"],
  [undefined, keys(["/a"]), "changed"],
  [keys(["/a"]), keys(["/a"], ["/b"]), "changed"],
];

describe("unique keys", () => {
  test.each(TAKEN)("%s", (_, policy) => expect(read(policy)).toEqual(policy));

  test.each(REFUSED)("refused: %s", (_, policy, told) => {
    expect(() => read(policy)).toThrow(told);
  });

  test.each(REPLACED)("%j after %j is %s", (before, after, told) => {
    const check = (): void => checkUniqueKeysKept(read(before), read(after));
    if (told === "kept") expect(check).not.toThrow();
    else expect(check).toThrow("The unique index cannot be modified");
  });
});

function read(policy: JsonValue | undefined): UniqueKeyPolicy | undefined {
  return readUniqueKeyPolicy(policy, SERVICE_LIMITS);
}
