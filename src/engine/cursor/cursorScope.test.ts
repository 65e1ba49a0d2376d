/** What the cursor of a request is good for, by what the request is confined to. */
import { expect, test } from "vitest";
import type { ItemScope } from "../../model/request/itemScope.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import { cursorScopeOf } from "./cursorScope.ts";

const range = { min: "10", max: "20" } as EpkRange;

test.each<[ItemScope, ReturnType<typeof cursorScopeOf>]>([
  [{ kind: "container" }, undefined],
  [
    { kind: "range", range },
    { by: "range", range },
  ],
  [
    { kind: "bounds", range },
    { by: "range", range },
  ],
  [
    { kind: "key", range },
    { by: "key", range },
  ],
  [
    { kind: "nowhere", range },
    { by: "key", range: "nowhere" },
  ],
])("%j", (scope, good) => {
  expect(cursorScopeOf(scope)).toEqual(good);
});
