/**
 * The commands of a batch, each on what those before it left; and the wall that a logical partition
 * meets. Unique keys have their own rules in `uniqueKeys.test.ts`.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { WriteRequest } from "../../model/request/writeRequest.ts";
import type { Account } from "../account.ts";
import type { Container } from "../partition/container.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import { containerIn, databaseIn, simulatedAccount } from "../simulatedAccount.fake.ts";

/** Bytes that a logical partition may have, where that matters; an item has some 300 of its own. */
const ROOM = 4000;
const FULL = "logicalPartitionFull";
const DONE: readonly string[] = ["created", "replaced", "deleted"];

const create = asking("create");
const upsert = asking("upsert");
const replace = asking("replace");
const remove = (id: string, members: JsonObject = {}): Ask => asking("delete")(id, 0, members);

describe("one after the other in a batch", () => {
  test.each<[string, readonly Ask[], readonly string[]]>([
    ["the second creation is refused", [create("a"), create("a")], ["created", "idTaken"]],
    ["an upsert finds what was created", [create("a"), upsert("a")], ["created", "replaced"]],
    [
      "what was deleted is gone",
      [create("a"), remove("a"), remove("a")],
      ["created", "deleted", "notFound"],
    ],
    [
      "it can be made again",
      [create("a"), remove("a"), create("a")],
      ["created", "deleted", "created"],
    ],
    ["a replacement needs something", [replace("a"), create("a")], ["notFound", "created"]],
    ["others are not concerned", [create("a"), create("b")], ["created", "created"]],
  ])("%s", async (_rule, asks, expected) => {
    const stage = await opened();
    expect(await Promise.all(asks.map((ask) => stage.write(ask)))).toEqual(expected);
    expect(stage.lsn()).toBe(expected.filter((kind) => DONE.includes(kind)).length);
  });

  test("LSNs and numbers are those of the order", async () => {
    const stage = await opened();
    await Promise.all([create("a"), create("b"), upsert("a"), create("c")].map(stage.write));
    const { items } = stage.store.scanItems(stage.part(), 0, ALL);
    expect(items.map(({ lsn }) => lsn)).toEqual([3, 2, 4]);
  });

  test("an expired item is cleared by whoever takes its place", async () => {
    const stage = await opened({ body: { defaultTtl: 10 } });
    await stage.write(create("a", 500));
    stage.time.skip(11_000);
    expect(await stage.write(remove("a"))).toBe("notFound");
    expect(await Promise.all([create("a"), create("a")].map(stage.write))).toEqual([
      "created",
      "idTaken",
    ]);
    expect(stage.store.head(stage.part())!.itemCount).toBe(1);
  });

  test("an expired item in the way by its id and a unique value is cleared once", async () => {
    const uniqueKeyPolicy = { uniqueKeys: [{ paths: ["/mail"] }, { paths: ["/name"] }] };
    const stage = await opened({ body: { defaultTtl: 10, uniqueKeyPolicy } });
    const item = { mail: "m", name: "n" };
    await stage.write(create("a", 300, item));
    stage.time.skip(11_000);
    expect(await stage.write(create("a", 0, item))).toBe("created");
    const { itemCount, itemBytes } = stage.store.head(stage.part())!;
    const [kept] = stage.store.scanItems(stage.part(), 0, ALL).items;
    expect([itemCount, itemBytes]).toEqual([1, kept!.body.length]);
  });
});

describe("a logical partition that is full", () => {
  test.each<[string, readonly Ask[], readonly string[]]>([
    ["takes nothing more", [create("x")], [FULL]],
    ["takes no item that grows", [upsert("big", 3900)], [FULL]],
    ["lets an item shrink", [upsert("big", 10)], ["replaced"]],
    ["lets one be replaced by its like", [upsert("big", 3000)], ["replaced"]],
    ["lets one be deleted", [remove("big")], ["deleted"]],
    [
      "has room after that, in the same batch",
      [remove("big"), create("x")],
      ["deleted", "created"],
    ],
    ["has as much as was freed", [upsert("big", 2000), create("x", 2000)], ["replaced", FULL]],
    [
      "is full again within a batch",
      [remove("big"), create("x", 2500), create("y", 2500)],
      ["deleted", "created", FULL],
    ],
    ["does not mind the others", [create("x", 3000, { pk: "other" })], ["created"]],
  ])("%s", async (_rule, asks, expected) => {
    const stage = await opened({ bytesMax: ROOM });
    expect(await stage.write(create("big", 3000))).toBe("created");
    expect(await stage.write(create("rest", 300))).toBe("created");
    expect(await Promise.all(asks.map(stage.write))).toEqual(expected);
  });

  test("and more than full, because the limit was lowered, still lets items shrink", async () => {
    const stage = await opened();
    await stage.write(create("big", 3000));
    await stage.write(create("rest", 3000));
    const limits = { ...SERVICE_LIMITS, logicalPartitionBytesMax: ROOM };
    const again = await stage.reopen({ limits });
    const { write } = hands(stage, again, again.catalog.containers()[0]!);
    expect(await write(upsert("big", 2999))).toBe("replaced");
    expect(await write(upsert("big", 3000))).toBe(FULL);
    expect(await write(remove("rest"))).toBe("deleted");
    expect(await write(upsert("big", 3000))).toBe("replaced");
  });

  test("counts what has expired until it is cleared", async () => {
    const stage = await opened({ bytesMax: ROOM, body: { defaultTtl: 10 } });
    await stage.write(create("big", 3500));
    stage.time.skip(11_000);
    expect(await stage.write(create("x", 3000))).toBe(FULL);
    expect(await stage.write(create("big", 3000))).toBe("created");
  });

  test("costs the one that is refused, and nobody else", async () => {
    const stage = await opened({ bytesMax: ROOM });
    await stage.write(create("big", 3500));
    const outcomes = await Promise.all([create("x", 900), create("y", 10)].map(stage.write));
    expect(outcomes).toEqual([FULL, "created"]);
    expect(stage.lsn()).toBe(2);
  });
});

test("whatever is written, no logical partition is fuller than it may be, and none is refused in vain", async () => {
  const anyAsk = fc.record({
    verb: fc.constantFrom("upsert", "upsert", "upsert", "delete"),
    pk: fc.constantFrom("p", "q"),
    id: fc.constantFrom("a", "b", "c", "d"),
    padding: fc.integer({ min: 0, max: 1800 }),
  });
  const anyBatches = fc.array(fc.array(anyAsk, { maxLength: 6 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(anyBatches, fc.boolean(), async (batches, isDistant) => {
      const stage = await opened({ bytesMax: ROOM });
      const overhead = await stage.overhead();
      stage.trouble.isDistant = isDistant;
      const model = new Map<string, number>();
      for (const batch of batches) {
        const expected = batch.map(({ verb, pk, id, padding }) => {
          const name = `${pk} ${id}`;
          const before = model.get(name);
          if (verb === "delete") return model.delete(name) ? "deleted" : "notFound";
          const bytes = overhead + padding;
          const held = [...model].filter(([key]) => key.startsWith(pk));
          const sum = held.reduce((total, [, size]) => total + size, 0) - (before ?? 0);
          if (bytes > (before ?? 0) && sum + bytes > ROOM) return FULL;
          model.set(name, bytes);
          return before === undefined ? "created" : "replaced";
        });
        const asks = batch.map(({ verb, pk, id, padding }) =>
          verb === "delete" ? remove(id, { pk }) : upsert(id, padding, { pk }),
        );
        expect(await Promise.all(asks.map(stage.write))).toEqual(expected);
      }
      const { itemBytes } = stage.store.head(stage.part())!;
      expect(itemBytes).toBe([...model.values()].reduce((total, size) => total + size, 0));
    }),
    { numRuns: 60 },
  );
});

const ALL = { countMax: 1e6, bytesMax: 1e9 };

interface Ask {
  readonly kind: "create" | "upsert" | "replace" | "delete";
  readonly item: JsonObject & { readonly id: string; readonly pk: string };
}

function asking(kind: Ask["kind"]) {
  return (id: string, padding = 0, members: JsonObject = {}): Ask => ({
    kind,
    item: { id, pk: "p", pad: "x".repeat(padding), ...members },
  });
}

async function opened({
  bytesMax = 1e9,
  body = {},
}: {
  bytesMax?: number;
  body?: JsonObject;
} = {}) {
  const limits = { ...SERVICE_LIMITS, logicalPartitionBytesMax: bytesMax };
  const simulated = await simulatedAccount({ limits });
  const { account } = simulated;
  const container = await containerIn(account, await databaseIn(account), undefined, body);
  return { ...simulated, ...hands(simulated, account, container) };
}

function hands({ store }: Simulated, account: Account, container: Container) {
  const write = async ({ kind, item }: Ask): Promise<string> => {
    const key = [item.pk];
    const request: WriteRequest =
      kind === "delete"
        ? { kind, key, id: item.id }
        : kind === "replace"
          ? { kind, key, id: item.id, body: item }
          : { kind, key, body: item };
    const written = account.writeItem(container, request);
    if (!written.ok) return written.error.kind;
    const outcome = await written.value;
    return outcome.kind === "refused" ? outcome.refusal.kind : outcome.kind;
  };
  const part = (): number => container.map.entries[0]!.part;
  const bytesNow = (): number => store.head(part())!.itemBytes;
  /** What an item takes beside its padding; names have the same length here. */
  const overhead = async (): Promise<number> => {
    await write(asking("create")("z"));
    const bytes = bytesNow();
    await write(asking("delete")("z"));
    return bytes;
  };
  return { write, part, overhead, lsn: (): number => store.head(part())!.lsn };
}
