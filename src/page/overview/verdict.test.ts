/** What the overview says of containers. */
import { describe, expect, test } from "vitest";
import type { Alert } from "../../alerts/alertBoard.ts";
import type { OverviewRow } from "../../protocol/admin.ts";
import { answerOf, firstToLookAt, judged } from "./verdict.ts";

function row(container: string, more: Partial<OverviewRow> = {}): OverviewRow {
  return {
    database: "shop",
    container,
    partitionKeyPaths: ["/id"],
    itemCount: 10,
    itemBytes: 1000,
    partitionCount: 1,
    ratePerSecond: 400,
    busiestPercent: 10,
    wholePercent: 5,
    throttledShare: 0,
    largestLogicalBytes: 100,
    logicalPartitionBytesMax: 1000,
    health: "Fine.",
    ...more,
  };
}

function alert(container: string | undefined, more: Partial<Alert> = {}): Alert {
  return {
    id: `rule:${container}`,
    rule: "rule",
    title: "Requests are throttled",
    scope:
      container === undefined
        ? { kind: "server" }
        : { kind: "container", database: "shop", container, rid: container },
    state: "firing",
    severity: "critical",
    since: 0,
    says: "12 % of the requests.",
    todo: [],
    docs: [],
    ...more,
  };
}

describe("the state of a container", () => {
  test.each<[string, OverviewRow, readonly Alert[], string]>([
    ["what fires critically", row("a"), [alert("a")], "critical"],
    ["what fires as a warning", row("a"), [alert("a", { severity: "warning" })], "warning"],
    ["what is only advice", row("a"), [alert("a", { severity: "info" })], "advice"],
    ["what fires elsewhere", row("a"), [alert("b"), alert(undefined)], "fine"],
    ["what is only pending", row("a"), [alert("a", { state: "pending" })], "pending"],
    ["advice", row("a"), [alert("a", { state: "pending", severity: "info" })], "fine"],
    ["what is refused before a rule fires", row("a", { throttledShare: 0.26 }), [], "throttled"],
    ["hardly anything refused", row("a", { throttledShare: 0.004 }), [], "fine"],
    ["no requests, which is not fine", row("a", { throttledShare: undefined }), [], "idle"],
  ])("%s", (_case, each, alerts, word) => {
    expect(judged([each], alerts)[0]!.word).toBe(word);
  });
});

describe("the answer", () => {
  const rows = [row("a"), row("b", { busiestPercent: 64.2, wholePercent: 58 })];
  const answer = (alerts: readonly Alert[], each = rows): string =>
    answerOf(judged(each, alerts), alerts);

  test.each<[string, string]>([
    [answer([], []), "There is no container yet."],
    [
      answer([]),
      "Nothing is wrong with 2 containers. The busiest physical partition, of shop/b, uses 64 % of " +
        "its share; the whole container uses 58 %.",
    ],
    [
      answer([], [row("a", { throttledShare: 0.26 })]),
      "Nothing fires yet. shop/a is worth a look: 26 % of its requests of the last minute were " +
        "refused (429).",
    ],
    [
      answer([alert("b", { state: "pending" })]),
      "Nothing fires yet. shop/b is worth a look. Requests are throttled; a rule waits whether it " +
        "lasts.",
    ],
    [answer([alert("a")]), "One container needs you: shop/a. Requests are throttled."],
    [
      answer([alert("a"), alert("b")]),
      "2 containers need you, shop/b first. Requests are throttled.",
    ],
    [answer([alert("a", { severity: "info" })]).slice(0, 24), "Nothing is wrong with 2 "],
    [
      answer([alert(undefined, { title: "The disk fills up" })]),
      "The server itself needs you: the disk fills up.",
    ],
    [
      answer([], [row("a", { throttledShare: undefined })]),
      "Nothing was asked in the last minute: 1 container, all at rest.",
    ],
  ])("%s", (text, expected) => {
    expect(text).toBe(expected);
  });
});

test("the first to look at is the worst, then the busiest", () => {
  const rows = [row("a"), row("b", { busiestPercent: 90 }), row("c")];
  expect(firstToLookAt(judged(rows, []))?.name).toBe("shop/b");
  expect(firstToLookAt(judged(rows, [alert("c")]))?.name).toBe("shop/c");
  expect(firstToLookAt([])).toBeUndefined();
});
