/** The headers that say how much a request matters and which throughput bucket pays for it. */
import { expect, test } from "vitest";
import type { Caller } from "../../model/caller.ts";
import { callerOf, HIGH_CALLER, LOW_CALLER } from "../../model/caller.ts";
import { parseCaller } from "./caller.ts";

const PRIORITY = "x-ms-cosmos-priority-level";

test.each<[string, Record<string, string | string[]>, Caller]>([
  ["without either it matters", {}, HIGH_CALLER],
  ["High is what it is anyway", priority("High"), HIGH_CALLER],
  ["Low is low", priority("Low"), LOW_CALLER],
  ["spelling does not matter", priority("LOW"), LOW_CALLER],
  ["the first of several counts", { [PRIORITY]: ["low", "high"] }, LOW_CALLER],
  ["a bucket is named by its number", bucket("1"), callerOf("high", 1)],
  ["up to five", bucket("5"), callerOf("high", 5)],
  ["both go together", { ...priority("low"), ...bucket("3") }, callerOf("low", 3)],
])("%s", (_rule, headers, expected) => {
  const caller = parseCaller(headers);
  // The same value each time, so that requests make none.
  expect(caller.ok && caller.value).toBe(expected);
});

test.each<[string, Record<string, string>, RegExp]>([
  ["another priority", priority("medium"), /priority-level is 'medium'; it can be High or Low/],
  ["an empty priority", priority(""), /High or Low/],
  ["bucket 0", bucket("0"), /throughput-bucket is '0'; it can be a number from 1 to 5/],
  ["bucket 6", bucket("6"), /from 1 to 5/],
  ["a part of a bucket", bucket("1.5"), /from 1 to 5/],
  ["a negative bucket", bucket("-1"), /from 1 to 5/],
  ["a bucket by name", bucket("gold"), /from 1 to 5/],
  ["an empty bucket", bucket(""), /from 1 to 5/],
  ["a number beyond all numbers", bucket("9".repeat(400)), /from 1 to 5/],
  ["a wrong bucket beside a right priority", { ...priority("low"), ...bucket("x") }, /bucket is/],
])("%s is refused", (_rule, headers, message) => {
  const caller = parseCaller(headers);
  expect(!caller.ok && caller.error).toMatchObject({ kind: "badRequest" });
  expect(!caller.ok && "message" in caller.error && caller.error.message).toMatch(message);
});

function priority(text: string): Record<string, string> {
  return { [PRIORITY]: text };
}

function bucket(text: string): Record<string, string> {
  return { "x-ms-cosmos-throughput-bucket": text };
}
