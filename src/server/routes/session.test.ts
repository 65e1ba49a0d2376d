/** What a client may know of a container, by its rid and by a session token: see `session.ts`. */
import { expect, test } from "vitest";
import { lsn } from "../../base/units.ts";
import type { FormerKey } from "../../engine/partition/container.ts";
import type { PhysicalPartition } from "../../engine/partition/physicalPartition.ts";
import type { Rid } from "../../model/rid.ts";
import { sentSession } from "../../protocol/wire/sessionToken.ts";
import { isOldMeant, sessionProblem, staleProblem } from "./session.ts";

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

test.each([
  ["what is there", "0:0#7", false, undefined],
  ["a later state", "0:0#8", false, "sessionNotAvailable"],
  ["a later state of before a reset", "0:0#8", true, undefined],
  ["a later state of another range", "9:0#8", false, undefined],
])("a client that has seen %s", (_what, token, isAfterReset, kind) => {
  const entry = { id: "0", parents: [] };
  const partition = { entry, lsn: lsn(7), container: { isAfterReset } };
  const session = sentSession({ "x-ms-session-token": token });
  expect(sessionProblem(session, partition as unknown as PhysicalPartition)?.kind).toBe(kind);
});
