/** Which partition key definitions are taken, and which repetitions of one. */
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import {
  partitionKeyBody,
  readPartitionKeyDefinition,
  withSystemKey,
} from "./partitionKeyDefinition.ts";

const multi = (...paths: JsonValue[]): JsonObject => ({ paths, kind: "MultiHash", version: 2 });
const hash = (...paths: JsonValue[]): JsonObject => ({ paths });

const TAKEN: readonly (readonly [rule: string, sent: JsonObject, told: JsonObject])[] = [
  [
    "without kind and version it is Hash of version 1",
    hash("/pk"),
    { paths: ["/pk"], kind: "Hash", version: 1 },
  ],
  [
    "the version is kept",
    { ...hash("/a/b"), version: 2 },
    { paths: ["/a/b"], kind: "Hash", version: 2 },
  ],
  [
    "the version may be a name",
    { ...hash("/a/b"), version: "V2" },
    { paths: ["/a/b"], kind: "Hash", version: 2 },
  ],
  [
    "a hierarchical one has up to three paths",
    multi("/a", "/b/c", "/d"),
    multi("/a", "/b/c", "/d"),
  ],
  ["a hierarchical one may have a single path", multi("/a"), multi("/a")],
  [
    "one made up by the system stays marked",
    { ...hash("/_partitionKey"), systemKey: true },
    { paths: ["/_partitionKey"], kind: "Hash", version: 1, systemKey: true },
  ],
  [
    "systemKey false is no mark",
    { ...hash("/pk"), systemKey: false },
    { paths: ["/pk"], kind: "Hash", version: 1 },
  ],
];

const REFUSED: readonly (readonly [rule: string, sent: JsonValue | undefined, told: string])[] = [
  ["it is needed", undefined, "partition key must be specified"],
  ["it is an object", "/pk", "must be an object"],
  ["paths are a list", { paths: "/pk" }, "must be an array"],
  ["paths are strings", hash(7), "must be a string"],
  ["there is a path", hash(), "at least one path"],
  [
    "a path starts with a slash",
    multi("id", "/id2"),
    "The partition key component definition path 'id' could not be accepted",
  ],
  [
    "a path does not end with a slash",
    hash("/id/"),
    "Partition key paths must contain only valid characters and not contain a trailing slash or",
  ],
  ["a path has no wildcard", hash("/a/*"), "or wildcard character"],
  ["a path has no array elements", hash("/a/[]"), "failed near position '4'"],
  ["kind Hash has one path", hash("/a", "/b"), "A maximum of 1 is allowed."],
  [
    "kind MultiHash has at most three",
    multi("/a", "/b", "/c", "/d"),
    "Too many partition key paths (4) specified. A maximum of 3 is allowed.",
  ],
  ["kind MultiHash needs a version", { ...hash("/a"), kind: "MultiHash" }, "must have version 2"],
  ["kind MultiHash is not version 1", { ...multi("/a"), version: 1 }, "must have version 2"],
  ["no path occurs twice", multi("/a", "/a"), "given twice"],
  ["there is no other kind", { ...hash("/a"), kind: "Range" }, "Hash, MultiHash"],
  ["there is no version 3", { ...hash("/a"), version: 3 }, "must be 1 or 2"],
  ["a system key has its own path", { ...hash("/a"), systemKey: true }, "'/_partitionKey'"],
  ["a system key has no levels", { ...multi("/_partitionKey"), systemKey: true }, "kind 'Hash'"],
  ["there is none by another name", { ...hash("/a"), version: "v2" }, "must be 1 or 2"],
];

const CHANGED = "cannot be changed";
const REPEATED: readonly (readonly [
  rule: string,
  before: JsonObject,
  sent: JsonObject | undefined,
  told: string,
])[] = [
  ["the same again", multi("/a", "/b"), multi("/a", "/b"), "fine"],
  ["kind and version may be left out", multi("/a", "/b"), hash("/a", "/b"), "fine"],
  [
    "null counts as left out",
    { ...hash("/a"), version: 2 },
    { ...hash("/a"), version: null },
    "fine",
  ],
  [
    "the mark of the system may be left out",
    { ...hash("/_partitionKey"), systemKey: true },
    hash("/_partitionKey"),
    "fine",
  ],
  [
    "all may be left out if the system made it up",
    { ...hash("/_partitionKey"), systemKey: true },
    undefined,
    "fine",
  ],
  ["otherwise it is needed", hash("/a"), undefined, "must be specified"],
  ["the path stays", hash("/a"), hash("/b"), CHANGED],
  ["the order of paths stays", multi("/a", "/b"), multi("/b", "/a"), CHANGED],
  ["no level is added", multi("/a"), multi("/a", "/b"), CHANGED],
  ["the version stays", hash("/a"), { ...hash("/a"), version: 2 }, CHANGED],
  ["the kind stays", { ...hash("/a"), version: 2 }, multi("/a"), CHANGED],
];

describe("partition key definitions", () => {
  test.each(TAKEN)("%s", (_, sent, told) => {
    expect(partitionKeyBody(read(sent))).toEqual(told);
  });

  test.each(REFUSED)("refused: %s", (_, sent, told) => {
    expect(() => read(sent)).toThrow(told);
  });

  test("the number of levels is the one passed in", () => {
    const limits = { ...SERVICE_LIMITS, keyLevelsMax: 4 };
    const four = multi("/a", "/b", "/c", "/d");
    expect(readPartitionKeyDefinition(four, undefined, limits).paths).toHaveLength(4);
  });
});

describe("a container made without a partition key", () => {
  const given: readonly (readonly [rule: string, body: JsonValue, isGiven: boolean])[] = [
    ["has a system key", { id: "c" }, true],
    ["has one, too, if the key is null", { id: "c", partitionKey: null }, true],
    ["has its own key if it says one", { id: "c", partitionKey: hash("/pk") }, false],
    ["is left to others if it is no container", "c", false],
  ];

  test.each(given)("%s", (_, body, isGiven) => {
    const made = withSystemKey(body);
    if (!isGiven) return expect(made).toBe(body);
    const { id, partitionKey } = made as JsonObject;
    expect(id).toBe("c");
    expect(read(partitionKey)).toEqual({
      paths: ["/_partitionKey"],
      kind: "Hash",
      version: 1,
      systemKey: true,
    });
  });
});

describe("in a replacement", () => {
  test.each(REPEATED)("%s", (_, before, sent, told) => {
    const previous = read(before);
    if (told === "fine") expect(read(sent, previous)).toEqual(previous);
    else expect(() => read(sent, previous)).toThrow(told);
  });
});

function read(
  body: JsonValue | undefined,
  previous?: PartitionKeyDefinition,
): PartitionKeyDefinition {
  return readPartitionKeyDefinition(body, previous, SERVICE_LIMITS);
}
