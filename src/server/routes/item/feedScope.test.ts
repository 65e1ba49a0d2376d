/** What requests are confined to in a container of one physical partition. */
import { beforeAll, expect, test } from "vitest";
import type { Container } from "../../../engine/partition/container.ts";
import {
  containerIn,
  databaseIn,
  simulatedAccount,
} from "../../../engine/simulatedAccount.fake.ts";
import type { AskedScope, ItemScope } from "../../../model/request/itemScope.ts";
import { rangeOfKey, WHOLE_RANGE } from "../../../partition/epkRange.ts";
import { isOfRetiredRange, scopeIn } from "./feedScope.ts";

let container: Container;
beforeAll(async () => {
  const { account } = await simulatedAccount();
  container = await containerIn(account, await databaseIn(account));
});

const kindOf = (asked: AskedScope): ItemScope["kind"] | string => {
  const scope = scopeIn(container, asked);
  return scope.ok ? scope.value.kind : scope.error.kind;
};

test.each<[string, AskedScope, string]>([
  ["nothing", { kind: "container", isOfOldProgram: false }, "container"],
  ["nothing, by an old program", { kind: "container", isOfOldProgram: true }, "container"],
  ["a key", { kind: "key", key: ["k"] }, "key"],
  ["more components than a key has", { kind: "key", key: ["k", "l"] }, "badRequest"],
  ["a range", { kind: "rangeId", rangeId: "0" }, "range"],
  ["a range that never was", { kind: "rangeId", rangeId: "7" }, "rangeGone"],
  [
    "a key in a range that never was",
    { kind: "keyInRange", key: ["k"], rangeId: "7" },
    "rangeGone",
  ],
  ["a key in its range", { kind: "keyInRange", key: ["k"], rangeId: "0" }, "key"],
  ["bounds", { kind: "bounds", range: WHOLE_RANGE, isOfKey: false }, "bounds"],
  ["bounds beside a key", { kind: "bounds", range: WHOLE_RANGE, isOfKey: true }, "key"],
])("%s", (_says, asked, kind) => {
  expect(kindOf(asked)).toBe(kind);
});

test("a key is the range that it hashes to", () => {
  const range = rangeOfKey(container.definition.partitionKey, ["k"]);
  expect(scopeIn(container, { kind: "key", key: ["k"] })).toEqual({
    ok: true,
    value: { kind: "key", range },
  });
});

test("a range id that is not in the map is retired, unless something else says what is meant", () => {
  expect(isOfRetiredRange({ kind: "rangeId", rangeId: "7" }, container)).toBe(true);
  expect(isOfRetiredRange({ kind: "rangeId", rangeId: "0" }, container)).toBe(false);
  expect(isOfRetiredRange({ kind: "keyInRange", key: ["k"], rangeId: "7" }, container)).toBe(false);
});
