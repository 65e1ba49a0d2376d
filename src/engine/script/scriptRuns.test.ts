/** How long scripts have. What comes of them is in `scripting.test.ts`. */
import { expect, test } from "vitest";
import { HIGH_CALLER } from "../../model/caller.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { containerIn, databaseIn, simulatedAccount } from "../simulatedAccount.fake.ts";
import { KEY } from "../simulatedRequests.fake.ts";
import type { SimulatedScript } from "./simulatedScripts.fake.ts";
import { simulatedScripts } from "./simulatedScripts.fake.ts";

test("two triggers share the time of a script, and none of it is spent on waiting", async () => {
  const times: number[] = [];
  let wait = (): void => undefined;
  const note: SimulatedScript = async (_ask, { timeMsMax, request }) => {
    times.push(timeMsMax);
    wait();
    return request?.body;
  };
  const scripts = simulatedScripts({ note });
  const { account, time } = await simulatedAccount({ scripts });
  const container = await containerIn(account, await databaseIn(account));
  wait = () => time.skip(SERVICE_LIMITS.scriptTimeMsMax);
  const trigger = (type: string) => ({ name: type, body: "note", type, operation: "All" });
  const written = await account.writeWithTriggers(container, {
    request: { kind: "create", key: [KEY], body: { id: "a", pk: KEY } },
    before: trigger("Pre"),
    after: trigger("Post"),
    caller: HIGH_CALLER,
    consistency: "session",
    isLogging: false,
  });
  expect(written).toMatchObject({ ok: true, value: { outcome: { kind: "created" } } });
  // A simulated script says that it took a millisecond.
  expect(times).toEqual([SERVICE_LIMITS.scriptTimeMsMax, SERVICE_LIMITS.scriptTimeMsMax - 1]);
});
