/** What people type about lifecycles, and what becomes of it. */
import { describe, expect, test } from "vitest";
import { durationOf, questionOf, settingsOf } from "./options.ts";

const PAIR = ["news/current", "news/historical"];
const AGE = { "age-property": "/publishedDate", age: "30d" };

describe("a duration", () => {
  test.each([
    ["45s", 45],
    ["15m", 900],
    ["12h", 43_200],
    ["30d", 2_592_000],
    ["2w", 1_209_600],
    ["2y", 63_072_000],
  ])("%s is %i seconds", (text, seconds) => {
    expect(durationOf("--age", text)).toBe(seconds);
  });

  test.each(["", "30", "d", "1.5h", "-3d", "0s", "3mo", "69y", "99999999999d", "30 d"])(
    "'%s' is refused",
    (text) => {
      expect(() => durationOf("--age", text)).toThrow(
        `--age is '${text}'; it must be a duration such as 30d, 12h, 15m, 45s, 2w or 2y`,
      );
    },
  );
});

test("a question has what was said, and nothing else", () => {
  expect(questionOf(PAIR, AGE)).toEqual({
    hot: { database: "news", container: "current" },
    warm: { database: "news", container: "historical" },
    ageProperty: "/publishedDate",
    ageSeconds: 2_592_000,
  });
  const values = { ...AGE, interval: "5m", share: "20", "mark-ttl": "2h", "archive-after": "365d" };
  expect(questionOf(PAIR, { ...values, force: true, "enable-ttl": true })).toMatchObject({
    intervalSeconds: 300,
    sharePercent: 20,
    markTtlSeconds: 7200,
    archiveAfterSeconds: 365 * 86_400,
    isForced: true,
    enableTtl: true,
  });
});

test("containers are made as they were described", () => {
  const { create } = questionOf(PAIR, {
    ...AGE,
    create: true,
    "partition-key": "/tenant,/user",
    "hot-autoscale": "8000",
    "warm-throughput": "400",
    "hot-ttl": "60d",
    composite: "/feedProviderId",
    exclude: ["/content/*"],
  });
  expect(create).toEqual({
    partitionKey: ["/tenant", "/user"],
    hotThroughput: { kind: "autoscale", ratePerSecond: 8000 },
    warmThroughput: { kind: "manual", ratePerSecond: 400 },
    hotTtlSeconds: 5_184_000,
    compositePath: "/feedProviderId",
    warmExcludedPaths: ["/content/*"],
  });
});

test("an archive that is switched off is a change to none", () => {
  expect(settingsOf({ "archive-after": "off" })).toEqual({ archiveAfterSeconds: 0 });
});

test.each<[string, readonly string[], Parameters<typeof questionOf>[1]]>([
  ["Name two containers, hot and warm", ["news/current"], AGE],
  ["'c' is one word too many", [...PAIR, "c"], AGE],
  ["'news' names no container", ["news", "news/b"], AGE],
  ["Say which property has the date", PAIR, { age: "30d" }],
  ["Say when an item is moved", PAIR, { "age-property": "/date" }],
  ["--share is '0'", PAIR, { ...AGE, share: "0" }],
  ["--share is '101'", PAIR, { ...AGE, share: "101" }],
  ["--batch is '0'", PAIR, { ...AGE, batch: "0" }],
  ["--batch is 'many'", PAIR, { ...AGE, batch: "many" }],
  ["add --create", PAIR, { ...AGE, "partition-key": "/pk" }],
  [
    "--hot-throughput and --hot-autoscale exclude each other",
    PAIR,
    { ...AGE, create: true, "hot-throughput": "400", "hot-autoscale": "4000" },
  ],
  ["--warm-throughput is 'x'", PAIR, { ...AGE, create: true, "warm-throughput": "x" }],
])("is refused: %s", (message, positionals, values) => {
  expect(() => questionOf(positionals, values)).toThrow(message);
});
