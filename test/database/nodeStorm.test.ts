/**
 * Three nodes in processes of their own on one PostgreSQL, eight clients that write by way of one
 * and read by way of another, and whatever can happen to nodes meanwhile: they are killed, stand
 * still, lose the database, and the database is killed, too. Nothing that was acknowledged is lost,
 * LSNs rise, the change feed is complete, and a session sees what it wrote.
 *
 * Two disturbances here; two minutes of them with ORRERY_NODES=full.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Container } from "@azure/cosmos";
import { ChangeFeedStartFrom, CosmosClient } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import type { NodesAnswer } from "../../src/protocol/nodes.ts";
import { hasPostgres, LocalPostgres } from "../../src/store/postgres/localPostgres.fake.ts";
import type { Server } from "../crash/serverProcess.ts";
import { startServer } from "../crash/serverProcess.ts";
import { CutWay } from "./cutWay.ts";
import { outOfOrder, SessionWriter } from "./sessionWriter.ts";

const IS_FULL = process.env["ORRERY_NODES"] === "full";
const SECONDS = Number(process.env["ORRERY_NODES_SECONDS"] ?? "120");
const SEED = Number(process.env["ORRERY_SEED"] ?? process.pid);
const NODES = 3;
const CLIENTS = IS_FULL ? 8 : 4;
const POLL = { timeout: 60_000, interval: 50 };

interface RunningNode {
  server: Server;
  readonly way: CutWay;
  readonly data: string;
  readonly port: number;
}

describe.runIf(hasPostgres())("a storm over three nodes", () => {
  let postgres: LocalPostgres;
  let folder: string;
  const nodes: RunningNode[] = [];
  const random = seededRandom(SEED);

  let store: string;

  beforeAll(async () => {
    postgres = await LocalPostgres.start({ isDurable: true });
    folder = await mkdtemp(join(tmpdir(), "orrery-storm-"));
    store = await postgres.newDatabase();
    for (let n = 0; n < NODES; n++) {
      const way = await CutWay.open(postgres.port, random);
      const data = join(folder, String(n));
      const server = await startServer(data, { args: argsBy(way) });
      nodes.push({ server, way, data, port: Number(new URL(server.endpoint).port) });
    }
  }, 120_000);

  afterAll(async () => {
    for (const { server, way } of nodes) {
      process.kill(server.pid, "SIGCONT");
      await server.kill();
      way.close();
    }
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function restarted(node: RunningNode): Promise<void> {
    node.server = await startServer(node.data, { port: node.port, args: argsBy(node.way) });
  }

  /** A node reaches the database by a way of its own, which can be cut. */
  function argsBy(way: CutWay): readonly string[] {
    const url = store.replace(String(postgres.port), String(way.port));
    return ["--no-rate-limit", "--store", url];
  }

  async function knownBy({ server }: RunningNode): Promise<NodesAnswer | undefined> {
    const signal = AbortSignal.timeout(3000);
    try {
      const answer = await fetch(`${server.endpoint}/_orrery/v1/nodes`, { signal });
      return answer.ok ? ((await answer.json()) as NodesAnswer) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Waits for one. */
  async function worker(): Promise<RunningNode> {
    let found: RunningNode | undefined;
    await expect
      .poll(async () => {
        for (const node of nodes) {
          const known = await knownBy(node);
          const pid = known?.nodes.find(({ name }) => name === known.worker)?.process;
          found = nodes.find(({ server }) => server.pid === pid);
          if (found !== undefined) return true;
        }
        return false;
      }, POLL)
      .toBe(true);
    return found!;
  }

  async function untilTakenOver(former: RunningNode): Promise<void> {
    const formerPid = former.server.pid;
    await expect
      .poll(async () => {
        const other = nodes.find((node) => node !== former)!;
        const known = await knownBy(other);
        const pid = known?.nodes.find(({ name }) => name === known.worker)?.process;
        return pid !== undefined && pid !== formerPid;
      }, POLL)
      .toBe(true);
  }

  const DISTURBANCES: Readonly<Record<string, () => Promise<void>>> = {
    "the node that works is killed": async () => {
      const node = await worker();
      await node.server.kill();
      await untilTakenOver(node);
      await restarted(node);
    },
    "the node that works stands still, and wakes up when another one works": async () => {
      const node = await worker();
      process.kill(node.server.pid, "SIGSTOP");
      await untilTakenOver(node);
      process.kill(node.server.pid, "SIGCONT");
    },
    "the node that works is cut off from the database": async () => {
      const node = await worker();
      node.way.cutChance = 1;
      await untilTakenOver(node);
      node.way.cutChance = 0;
    },
    "a node that forwards is killed": async () => {
      const works = await worker();
      const node = nodes.find((one) => one !== works)!;
      await node.server.kill();
      await restarted(node);
    },
    "connections to the database break now and then": async () => {
      for (const { way } of nodes) way.cutChance = 0.01;
      await written(20);
      for (const { way } of nodes) way.cutChance = 0;
    },
    "the database is killed": async () => {
      await postgres.kill();
      await postgres.start();
    },
  };
  const SHORT = Object.keys(DISTURBANCES).slice(0, 2);

  let writers: readonly SessionWriter[] = [];
  const toldCount = (): number => writers.reduce((sum, { told }) => sum + told.length, 0);

  async function written(count: number): Promise<void> {
    const wanted = toldCount() + count;
    await expect.poll(toldCount, POLL).toBeGreaterThan(wanted);
  }

  function containersOf(writer: number): readonly Container[] {
    // Clients stand before different nodes, and each has connections of its own.
    return nodes.map((_, n) => {
      const { endpoint, key } = nodes[(writer + n) % NODES]!.server;
      return new CosmosClient({ endpoint, key }).database("shop").container("orders");
    });
  }

  test(
    `nothing is lost (seed ${SEED})`,
    async () => {
      const { endpoint, key } = nodes[1]!.server;
      const client = new CosmosClient({ endpoint, key });
      const { database } = await client.databases.create({ id: "shop" });
      const partitionKey = "/tenant";
      await database.containers.create({ id: "orders", partitionKey, throughput: 20_000 });
      writers = Array.from({ length: CLIENTS }, (_, number) => {
        const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
        const now = (): number => performance.now();
        return new SessionWriter({ number, containers: containersOf(number), pause, now });
      });
      for (const writer of writers) writer.begin();
      await written(20);
      const names = Object.keys(DISTURBANCES);
      const until = performance.now() + SECONDS * 1000;
      const done = new Map<string, number>();
      const next = function* (): Generator<string> {
        if (!IS_FULL) yield* SHORT;
        while (IS_FULL && performance.now() < until) {
          yield names[Math.floor(random.next() * names.length)]!;
        }
      };
      for (const name of next()) {
        await DISTURBANCES[name]!();
        await written(5 * CLIENTS);
        done.set(name, (done.get(name) ?? 0) + 1);
      }
      await Promise.all(writers.map((writer) => writer.end()));
      expect(writers.flatMap(({ complaints }) => complaints)).toEqual([]);
      const told = writers.flatMap((writer) => writer.told);
      expect(outOfOrder(told)).toEqual([]);
      await worker();
      for (const { server } of nodes) {
        const by = new CosmosClient({ endpoint: server.endpoint, key: server.key });
        await expectAll(by.database("shop").container("orders"), writers);
      }
      if (IS_FULL) process.stdout.write(`${reportOf(writers, done)}\n`);
    },
    (IS_FULL ? SECONDS * 3 + 600 : 300) * 1000,
  );
});

interface FedRow {
  readonly id: string;
  readonly _lsn: number;
}

/** What was told is there once, and nothing that was not sent: by a query and by the feed. */
async function expectAll(container: Container, writers: readonly SessionWriter[]): Promise<void> {
  const told = new Set(writers.flatMap((writer) => writer.told.map(({ id }) => id)));
  const doubtful = new Set(writers.flatMap((writer) => [...writer.doubtful]));
  const { resources } = await container.items.query<string>("SELECT VALUE c.id FROM c").fetchAll();
  const fed: string[] = [];
  const rangeOf = new Map(
    writers.flatMap((writer) => writer.told.map(({ id, range }) => [id, range] as const)),
  );
  const lsnOf = new Map<string, number>();
  const feed = container.items.getChangeFeedIterator({
    changeFeedStartFrom: ChangeFeedStartFrom.Beginning(),
    maxItemCount: 1000,
  });
  for (let page = await feed.readNext(); page.statusCode !== 304; page = await feed.readNext()) {
    for (const { id, _lsn: lsn } of page.result as unknown as readonly FedRow[]) {
      fed.push(id);
      const range = rangeOf.get(id);
      if (range === undefined) continue;
      expect(lsn, `the LSN of ${id}`).toBeGreaterThan(lsnOf.get(range) ?? 0);
      lsnOf.set(range, lsn);
    }
  }
  for (const found of [resources, fed]) {
    expect(new Set(found).size).toBe(found.length);
    const known = new Set(found);
    expect([...told].filter((id) => !known.has(id))).toEqual([]);
    expect(found.filter((id) => !told.has(id) && !doubtful.has(id))).toEqual([]);
  }
}

function reportOf(writers: readonly SessionWriter[], done: ReadonlyMap<string, number>): string {
  const sum = (count: (writer: SessionWriter) => number): number =>
    writers.reduce((total, writer) => total + count(writer), 0);
  const longest = Math.max(
    ...writers.flatMap(({ told }) => told.map(({ beganAt, toldAt }) => toldAt - beganAt)),
  );
  const refusals = new Map<string, number>();
  for (const [code, count] of writers.flatMap((writer) => [...writer.refusals])) {
    refusals.set(code, (refusals.get(code) ?? 0) + count);
  }
  return [
    `${sum(({ told }) => told.length)} writes told, 0 lost; ${sum(({ readCount }) => readCount)} reads`,
    `longest write ${Math.round(longest)} ms`,
    `without an answer: ${[...refusals].map(([code, count]) => `${code} ${count}`).join(", ")}`,
    ...[...done].map(([name, count]) => `${count} times: ${name}`),
  ].join("\n");
}
