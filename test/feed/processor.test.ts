/**
 * A change feed processor of three hosts on the official client: one host dies with a page in its
 * hands, physical partitions are split and merged meanwhile, and still every change of a logical
 * partition is handed over at least once, in order, by whoever holds its lease.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Container } from "@azure/cosmos";
import { ChangeFeedPolicy, ChangeFeedRetentionTimeSpan } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { merge, rangeIds, split } from "../sdk/inside.ts";
import type { Stage } from "../sdk/stage.ts";
import { clientOf, openStage } from "../sdk/stage.ts";
import { liveOf } from "./feedCheck.ts";
import type { FeedEvent } from "./feedRecord.ts";
import { FeedRecord } from "./feedRecord.ts";
import type { FeedRow } from "./feedRow.ts";
import { eventOf } from "./feedRow.ts";
import { Ledger } from "./ledger.ts";
import type { FeedMode } from "./memoryFeed.ts";
import { patientOptions } from "./patience.ts";
import type { Lease } from "./processor.ts";
import { createLeases, Host } from "./processor.ts";

const KEYS: readonly string[] = Array.from({ length: 24 }, (_, index) => `k${index}`);
const ITEMS_PER_KEY = 3;
/** Longer than a busy machine is silent, and short enough to wait for. */
const EXPIRY_MS = 1_500;
const PATIENCE_MS = 60_000;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** What delegates were handed while a lease had one owner, by logical partition. */
class Deliveries {
  readonly #terms = new Map<string, Map<number, FeedEvent[][]>>();
  count = 0;

  note(rows: readonly FeedRow[], mode: FeedMode, { term }: Lease): void {
    const events = rows.map((row) => eventOf(row, mode));
    this.count += events.length;
    for (const key of new Set(events.map((event) => event.key))) {
      const page = events.filter((event) => event.key === key);
      const terms = this.#terms.get(key) ?? new Map<number, FeedEvent[][]>();
      this.#terms.set(key, terms);
      terms.set(term, [...(terms.get(term) ?? []), page]);
    }
  }

  /**
   * As one reader would have seen it: every owner of the lease goes on from a checkpoint of the one
   * before, and so must not leave anything out in between.
   */
  recordOf(key: string): FeedRecord {
    const record = new FeedRecord();
    const terms = [...(this.#terms.get(key) ?? [])].toSorted(([one], [other]) => one - other);
    let seen: FeedEvent[] = [];
    for (const [, pages] of terms) {
      const firstLsn = pages[0]![0]!.lsn;
      const kept = seen.filter(({ lsn }) => lsn < firstLsn);
      const count = new Set(kept.map(({ lsn }) => lsn)).size;
      record.goBackTo({ continuation: "", counts: new Map([[key, count]]) });
      for (const page of pages) record.see(page);
      seen = [...kept, ...pages.flat()];
    }
    return record;
  }
}

/** Creates, replaces and deletes items of all logical partitions, each in its order. */
async function write(container: Container, ledger: Ledger, round: number): Promise<void> {
  await Promise.all(
    KEYS.map(async (key, index) => {
      const id = `i${round % ITEMS_PER_KEY}`;
      const item = container.item(id, key);
      const isThere = liveOf(ledger.commitsOf(key)).has(id);
      if (isThere && (round + index) % 7 === 0) {
        await item.delete();
        const change = { id, marker: undefined, operation: "delete", etag: undefined } as const;
        ledger.commit(key, [change]);
        return;
      }
      const marker = round * KEYS.length + index;
      const { etag } = await container.items.upsert({ id, pk: key, n: marker });
      const operation = isThere ? "replace" : "create";
      ledger.commit(key, [{ id, marker, operation, etag }]);
    }),
  );
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await delay(20);
  }
}

describe.each(["full", "latest"] as const)("three hosts, %s", (mode) => {
  test("hand everything over, whatever becomes of one of them", async () => {
    const { database, server } = stage;
    const { container } = await database.containers.create({
      id: `monitored-${mode}`,
      partitionKey: { paths: ["/pk"] },
      throughput: 30_000,
      changeFeedPolicy: new ChangeFeedPolicy(ChangeFeedRetentionTimeSpan.fromMinutes(60)),
    });
    const { container: leases } = await database.containers.create({
      id: `leases-${mode}`,
      partitionKey: { paths: ["/id"] },
    });
    await createLeases({ mode, monitored: container, leases });
    const deliveries = new Deliveries();
    let isDeadly = false;
    let isStuck = false;
    const clients = ["anna", "berta", "clara"].map(() => clientOf(server, patientOptions()));
    const hosts = clients.map((client, index) => {
      const own = client.database(database.id);
      return new Host({
        name: ["anna", "berta", "clara"][index]!,
        mode,
        monitored: own.container(container.id),
        leases: own.container(leases.id),
        pageCount: 5,
        pollMs: 10,
        balanceMs: 60,
        expiryMs: EXPIRY_MS,
        async delegate(rows, lease) {
          deliveries.note(rows, mode, lease);
          if (index !== 1 || !isDeadly) return;
          hosts[1]!.die();
          isStuck = true;
        },
      });
    });
    const [anna, berta, clara] = hosts as [Host, Host, Host];

    const ledger = new Ledger();
    let round = 0;
    const writeRounds = async (count: number): Promise<void> => {
      for (const end = round + count; round < end; round++) await write(container, ledger, round);
    };

    for (const host of hosts) host.start();
    await writeRounds(6);
    await until("everybody has a lease", () => hosts.every(({ leaseCount }) => leaseCount === 1));

    await split(server, container);
    await writeRounds(6);
    const heldCount = (): number => hosts.reduce((sum, { leaseCount }) => sum + leaseCount, 0);
    await until("there is a lease for each child", () => heldCount() === 4);

    isDeadly = true;
    await writeRounds(6);
    // It may have had no lease meanwhile, and gets a page only when somebody writes again.
    const patienceEnds = Date.now() + PATIENCE_MS;
    while (!isStuck && Date.now() < patienceEnds) await writeRounds(1);
    expect(isStuck).toBe(true);
    await split(server, container);
    await writeRounds(6);
    const [one, other] = await rangeIds(server, container);
    await merge(server, container, one!, other!);
    await writeRounds(6);
    await until("two have them all", () => anna.leaseCount + clara.leaseCount === 5);

    const judge = (): readonly string[] =>
      KEYS.flatMap((key) => {
        const commits = ledger.commitsOf(key);
        const record = deliveries.recordOf(key);
        return mode === "full"
          ? record.judgeFull(key, commits).problems
          : record.judgeLatest(key, commits);
      });
    await until(`all is well: ${judge()[0]}`, () => judge().length === 0);
    await Promise.all([anna.stop(), clara.stop(), berta.stop()]);
    expect(judge()).toEqual([]);
    // The page that the dead host had in its hands was handed over again.
    if (mode === "full") expect(deliveries.count).toBeGreaterThan(ledger.changeCount);
    for (const client of clients) client.dispose();
  }, 300_000);
});
