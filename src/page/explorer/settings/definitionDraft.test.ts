/** An edit of a container's settings is of the version that was seen. */
import { describe, expect, test } from "vitest";
import type { DefinitionDraft } from "./definitionDraft.ts";
import { draftOf, isChanged, replacementOf } from "./definitionDraft.ts";

const seen = {
  id: "orders",
  indexingPolicy: { indexingMode: "consistent" },
  partitionKey: { paths: ["/pk"] },
  _etag: "1",
};

function sent(change: Partial<DefinitionDraft>, before: object = seen): unknown {
  const definition = { ...before };
  const made = replacementOf({ seen: definition, draft: { ...draftOf(definition), ...change } });
  return made.ok ? made.value : made.error;
}

describe("what is sent for a draft", () => {
  const { _etag, ...own } = seen;

  test("is what was seen, without what the server sets, if nothing was typed", () => {
    expect(sent({})).toEqual(own);
    expect(isChanged({ seen, draft: draftOf(seen) })).toBe(false);
  });

  test.each([
    ["off", undefined],
    ["noDefault", -1],
    ["seconds", 60],
  ] as const)("time to live %s is %s", (ttl, defaultTtl) => {
    const before = { ...seen, defaultTtl: 5 };
    expect(sent({ ttl, seconds: "60" }, before)).toEqual({
      ...own,
      ...(defaultTtl !== undefined && { defaultTtl }),
    });
    expect(draftOf({ ...seen, defaultTtl }).ttl).toBe(ttl);
  });

  test("versions are kept for so many minutes, and no longer after 0", () => {
    const changeFeedPolicy = { retentionDuration: 10 };
    expect(sent({ versionMinutes: "10" })).toEqual({ ...own, changeFeedPolicy });
    expect(sent({ versionMinutes: "0" }, { ...seen, changeFeedPolicy })).toEqual({
      ...own,
      changeFeedPolicy: { retentionDuration: 0 },
    });
  });

  test.each([
    [{ policy: "{" }, /^The indexing policy is not JSON/],
    [{ ttl: "seconds", seconds: "0" }, /whole number of seconds/],
    [{ ttl: "seconds", seconds: "" }, /whole number of seconds/],
    [{ versionMinutes: "1.5" }, /whole number of minutes/],
  ] as const)("%j is refused in a sentence", (change, sentence) => {
    expect(sent(change)).toMatch(sentence);
  });
});

test("a policy that is written in another way is no change", () => {
  const draft = { ...draftOf(seen), policy: '{"indexingMode":"consistent"}' };
  expect(isChanged({ seen, draft })).toBe(false);
});
