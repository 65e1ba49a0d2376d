/** Which containers a client may mean by the rid that it sends: see `session.ts`. */
import { expect, test } from "vitest";
import type { FormerKey } from "../../engine/partition/container.ts";
import type { Rid } from "../../model/rid.ts";
import { isOldMeant, staleProblem } from "./session.ts";

const NOW = "now" as Rid;
const FOLLOWED = { old: { rid: "old" }, isFollowed: true } as FormerKey;
const LEFT = { old: { rid: "old" }, isFollowed: false } as FormerKey;

test.each<[string, string | undefined, FormerKey | undefined, boolean, boolean]>([
  ["no container", undefined, FOLLOWED, true, false],
  ["the container", NOW, undefined, true, false],
  ["the container of now", NOW, FOLLOWED, true, false],
  ["the one of before, which is kept up to date", "old", FOLLOWED, true, true],
  ["the one of before, which is not", "old", LEFT, false, false],
  ["the one of before, of which nobody knows any more", "old", undefined, false, false],
  ["another one", "other", FOLLOWED, false, false],
])("a client that means %s", (_what, intendedRid, former, isUnderstood, isOld) => {
  const container = { rid: NOW, former };
  expect(staleProblem({ intendedRid }, container) === undefined).toBe(isUnderstood);
  expect(isOldMeant({ intendedRid }, container)).toBe(isOld);
});
