/**
 * A write that cannot be paid for is refused before its body is looked at, if the request says
 * which partition key it is about. Told by bodies that could not be read.
 */
import { expect, test } from "vitest";
import { millis, ru } from "../../base/units.ts";
import { seededRandom } from "../../base/world.ts";
import { HIGH_CALLER } from "../../model/caller.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { WriteRequest } from "../../model/request/writeRequest.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import { EmbeddedStore } from "../../store/embedded/embeddedStore.ts";
import { Account } from "../account.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";

const RATE = 400;
const UNREADABLE = Buffer.from("{");
const KEY = ["k"];

const writes: readonly { readonly rule: string; readonly request: WriteRequest }[] = [
  { rule: "create", request: { kind: "create", key: KEY, body: UNREADABLE } },
  { rule: "upsert", request: { kind: "upsert", key: KEY, body: UNREADABLE } },
  { rule: "replace", request: { kind: "replace", id: "i", key: KEY, body: UNREADABLE } },
  { rule: "patch", request: { kind: "patch", id: "i", key: KEY, body: UNREADABLE } },
];

test.each(writes)("$rule without request units is throttled, body unseen", async ({ request }) => {
  const { told, spending, spend, advance } = await stage();
  expect(await told(request)).toBe("badRequest");
  spend(2 * RATE);
  expect(await told(request)).toBe("throttled");
  expect(spending.totals.throttledCount).toBe(1);
  expect(spending.totals.requestCounts.write).toBe(1);
  advance(1001);
  expect(await told(request)).toBe("badRequest");
  expect(spending.totals.throttledCount).toBe(1);
});

test("without a key in the request the body has to be read for it", async () => {
  const { told, spend } = await stage();
  spend(2 * RATE);
  expect(await told({ kind: "create", key: undefined, body: UNREADABLE })).toBe("badRequest");
  const body = { id: "i", pk: "k" };
  expect(await told({ kind: "create", key: undefined, body })).toBe("throttled");
});

test("a key that cannot be one is refused for what it is", async () => {
  const { told, spend } = await stage();
  spend(2 * RATE);
  const body = { id: "i", pk: "k" };
  expect(await told({ kind: "create", key: ["k", "more"], body })).toBe("keyMismatch");
});

test("with request units a readable write is done, and counted once", async () => {
  const { told, spending } = await stage();
  expect(await told({ kind: "create", key: KEY, body: { id: "i", pk: "k" } })).toBe("created");
  expect(spending.totals.requestCounts.write).toBe(1);
  expect(spending.totals.throttledCount).toBe(0);
});

/** A container with one physical partition and a rate, on a clock that is moved by hand. */
async function stage() {
  let now = 0;
  const account = await Account.open({
    store: EmbeddedStore.inMemory(realTimer),
    timer: realTimer,
    random: seededRandom(1),
    limits: SERVICE_LIMITS,
    clock: { now: () => millis(now), wallNow: () => 1_700_000_000_000 + now },
    rates: {
      isLimited: true,
      isServerless: false,
      hasBurst: false,
      manualRatePerPartition: SERVICE_LIMITS.partitionRateMax,
    },
  });
  const database = await account.catalog.createDatabase("d", undefined);
  const settings = { id: "c", partitionKey: { paths: ["/pk"] } };
  const definition = parseContainerDefinition(settings, undefined, SERVICE_LIMITS);
  if (!database.ok || !definition.ok) throw new Error("the stage could not be set");
  const made = await account.catalog.createContainer(database.value, definition.value, {
    partitionCount: 1,
    throughput: { kind: "manual", ratePerSecond: RATE },
  });
  if (!made.ok) throw new Error("the stage could not be set");
  const container = made.value;
  const { spending } = container.partitions.get("0")!;
  const told = async (request: WriteRequest): Promise<string> => {
    const submitted = account.writeItem(container, request);
    if (!submitted.ok) return submitted.error.kind;
    const outcome = await submitted.value;
    return outcome.kind === "refused" ? outcome.refusal.kind : outcome.kind;
  };
  return {
    told,
    spending,
    /** Request units go where nobody looks. */
    spend: (amount: number) => spending.purse.budget.settle(ru(amount), HIGH_CALLER),
    advance: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}
