/** Bulk on an account in memory, for what no client can bring about. */
import { expect, test } from "vitest";
import {
  containerIn,
  databaseIn,
  settled,
  simulatedAccount,
} from "../../../engine/simulatedAccount.fake.ts";
import { KEY, write } from "../../../engine/simulatedRequests.fake.ts";
import { HIGH_CALLER } from "../../../model/caller.ts";
import { bulkBody } from "../../../protocol/answer/bulkBody.ts";
import { StoreFault } from "../../../store/partitionStore.ts";
import { contextFor } from "../requestContext.fake.ts";
import { answerBulk } from "./bulkRoutes.ts";

test("an id that looks like a rid is an id, and nothing is looked up for it", async () => {
  const { account, trouble } = await simulatedAccount();
  const container = await containerIn(account, await databaseIn(account));
  const made = await write(account, container, "create", "a");
  const { _rid: rid } = JSON.parse(String(made.kind === "refused" ? "{}" : made.body)) as {
    readonly _rid: string;
  };
  // A lookup that nobody waits for would end the process with this.
  trouble.fault = (operation) =>
    operation === "scanItems" ? new StoreFault("the disk cannot be read") : undefined;
  const operation = {
    kind: "read",
    id: rid,
    key: [KEY],
    ifMatch: undefined,
    ifNoneMatch: undefined,
    isMinimal: false,
  } as const;
  const asked = {
    kind: "batch",
    isAtomic: false,
    key: undefined,
    rangeId: undefined,
    session: { kind: "none" },
    caller: HIGH_CALLER,
    consistency: "session",
    isMinimal: false,
    isUntilFailure: false,
  } as const;
  const batch = { operations: [operation], encode: bulkBody };
  const { body } = await answerBulk(account, contextFor("x"), container, asked, batch);
  await settled();
  expect(JSON.parse(String(body))).toMatchObject([{ statusCode: 404 }]);
});
