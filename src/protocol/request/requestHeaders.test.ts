/** What request headers say where there is more to it than reading a word. */
import { expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { isOld, parsePageCount } from "./requestHeaders.ts";

const VERSIONS: readonly (readonly [rule: string, version: string | undefined, may: boolean])[] = [
  ["an old version of the API", "2018-06-18", true],
  ["the last one without keys", "2018-12-30", true],
  ["the first one that needs a key", "2018-12-31", false],
  ["a present version", "2020-07-15", false],
  ["no version", undefined, false],
  ["a version that is none", "1", false],
  ["a word", "latest", false],
];

test.each(VERSIONS)(
  "whether a program is old, and may do without a key: %s",
  (_rule, version, may) => {
    expect(isOld(version === undefined ? {} : { "x-ms-version": version })).toBe(may);
  },
);

test.each([
  [undefined, 100],
  ["", 100],
  ["0", 100],
  ["7", 7],
  ["-1", SERVICE_LIMITS.pageItemsMax],
  ["1000000", SERVICE_LIMITS.pageItemsMax],
  ["-2", "refused"],
  ["1.5", "refused"],
  ["some", "refused"],
])("how many items a page of %s may have: %s", (text, count) => {
  const parsed = parsePageCount(text === undefined ? {} : { "x-ms-max-item-count": text });
  expect(parsed.ok ? parsed.value : "refused").toBe(count);
});
