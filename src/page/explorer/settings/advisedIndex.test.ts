/** An advised index goes through the address into the policy, and is there once. */
import { expect, test } from "vitest";
import { advisedIn, advisedText, withAdvised } from "./advisedIndex.ts";

const POLICY = { includedPaths: [{ path: "/a/?" }], excludedPaths: [{ path: "/*" }] };

test("comes back out of an address; what is none of ours does not", () => {
  const advised = { index: "composite", paths: ["/a ASC", "/b/c DESC"] } as const;
  expect(advisedIn(advisedText(advised))).toEqual(advised);
  for (const text of ["", "{}", '["path"]', '["path","x"]', '["other","/a"]', "[1]"]) {
    expect(advisedIn(text)).toBeUndefined();
  }
});

test("a composite index is added with its directions, once", () => {
  const advised = { index: "composite", paths: ["/a ASC", "/b/c DESC"] } as const;
  const once = withAdvised(POLICY, advised);
  expect(once).toMatchObject({
    includedPaths: POLICY.includedPaths,
    compositeIndexes: [
      [
        { path: "/a", order: "ascending" },
        { path: "/b/c", order: "descending" },
      ],
    ],
  });
  expect(withAdvised(once, advised)).toEqual(once);
});

test("a path is included, and excluded no more", () => {
  const policy = { ...POLICY, excludedPaths: [{ path: "/*" }, { path: "/b/?" }] };
  expect(withAdvised(policy, { index: "path", paths: ["/a/?", "/b/?"] })).toEqual({
    includedPaths: [{ path: "/a/?" }, { path: "/b/?" }],
    excludedPaths: [{ path: "/*" }],
  });
});
