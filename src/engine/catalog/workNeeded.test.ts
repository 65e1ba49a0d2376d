/** What the catalogue tells of the work that comes up, to somebody who does none of it. */
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { provisioned } from "../../model/throughput.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";
import type { Container } from "../partition/container.ts";
import { containerIn, databaseIn, put, simulatedAccount } from "../simulatedAccount.fake.ts";
import type { WorkNeeded } from "./workNeeded.ts";

const RATE = { kind: "manual", ratePerSecond: 10_000 } as const;
const PENDING = { kind: "manual", ratePerSecond: 30_000 } as const;

describe("the catalogue tells", () => {
  test("nothing where nothing is to be done", async () => {
    const { told } = await stage();
    expect(told).toEqual([]);
  });

  test("that a rate waits for physical partitions", async () => {
    const { catalog, container, told } = await stage();
    await catalog.replaceThroughput(container, (stamp) => ({
      ok: true,
      value: { ...provisioned(RATE, undefined, stamp), pending: PENDING },
    }));
    expect(told).toEqual(["ratePending of c"]);
  });

  test("that a container is to be indexed anew", async () => {
    const { catalog, container, told } = await stage();
    await changePolicy(catalog, container);
    expect(told).toEqual(["indexedAnew of c"]);
  });

  test("that a physical partition holds more than it may", async () => {
    const { account, container, told } = await stage();
    const text = "x".repeat(1500);
    await put(account, container, { pk: "a", id: "i", text });
    expect(told).toEqual([]);
    await put(account, container, { pk: "a", id: "j", text });
    expect(told).toEqual(["overgrown of c"]);
  });

  test("of all that is left to whoever asks later, and nothing of a container that is gone", async () => {
    const { account, catalog, container, told } = await stage();
    const text = "x".repeat(3000);
    await put(account, container, { pk: "a", id: "i", text });
    await changePolicy(catalog, container);
    const later: string[] = [];
    catalog.tellWork((work) => later.push(shown(work)));
    expect(later).toEqual(["indexedAnew of c", "overgrown of c"]);
    const before = told.length;
    await catalog.deleteContainer(catalog.databaseOf(container), container);
    catalog.tellWork((work) => told.push(shown(work)));
    expect(told.length).toBe(before);
  });
});

/** Physical partitions hold 2,000 bytes; the account itself sees to nothing. */
async function stage() {
  const limits = { ...SERVICE_LIMITS, physicalPartitionBytesMax: 2000 };
  const { account } = await simulatedAccount({ limits });
  const { catalog } = account;
  const told: string[] = [];
  catalog.tellWork((work) => told.push(shown(work)));
  const container = await containerIn(account, await databaseIn(account), RATE);
  return { account, catalog, container, told };
}

async function changePolicy(
  catalog: Awaited<ReturnType<typeof stage>>["catalog"],
  container: Container,
): Promise<void> {
  const partitionKey = { paths: ["/pk"], kind: "Hash", version: 2 };
  const body = { id: "c", partitionKey, indexingPolicy: { indexingMode: "none" } };
  const definition = parseContainerDefinition(body, undefined, SERVICE_LIMITS);
  if (!definition.ok) throw new Error("the stage could not be set");
  await catalog.replaceContainer(container, definition.value);
}

function shown(work: WorkNeeded): string {
  switch (work.kind) {
    case "overgrown":
      return `overgrown of ${work.partition.container.definition.id}`;
    case "indexedAnew":
      return `indexedAnew of ${work.container.definition.id}`;
    case "followed":
      return `followed by ${work.view.definition.id}`;
    case "ratePending":
      return `ratePending of ${"definition" in work.owner ? work.owner.definition.id : ""}`;
  }
}
