/**
 * A server on a database, which is one of the nodes that share it: what it needs to be one, put
 * together. Loaded where a database is named.
 */
import { createHash, createHmac } from "node:crypto";
import { hostname } from "node:os";
import { pause } from "../base/retry.ts";
import { StoreFault } from "../store/partitionStore.ts";
import { NodeBook } from "../store/postgres/nodeBook.ts";
import { PostgresStore } from "../store/postgres/postgresStore.ts";
import { Session } from "../store/postgres/session.ts";
import type { AccountKeys } from "./access/accountKeys.ts";
import type { NodeDoor, NodesSurface } from "./admin/nodeDoor.ts";
import { openNodeDoor } from "./admin/nodeDoor.ts";
import type { BehindFront } from "./behindFront.ts";
import { begun, mayUseWellKnown } from "./behindFront.ts";
import type { Urls } from "./databases.ts";
import { inOrder, joinDatabases, noticesOf } from "./databases.ts";
import { withDatabase } from "./databaseTrouble.ts";
import type { FaultBook } from "./faultBook.ts";
import { healthAnswer } from "./health.ts";
import { openAgreedKeys, renewKeys } from "./nodes/agreedKeys.ts";
import { ClusterNode } from "./nodes/clusterNode.ts";
import { Forwarder } from "./nodes/forwarder.ts";
import type { NodeCard } from "./nodes/nodeCard.ts";
import { differingSettings } from "./nodes/nodeCard.ts";
import { NodeDesk, SILENT_MS } from "./nodes/nodeDesk.ts";
import { nodeFamilies } from "./nodes/nodeFamilies.ts";
import { NodePort } from "./nodes/nodePort.ts";
import { SECRET_BYTES } from "./nodes/nodeTls.ts";
import { portTaken } from "./portTaken.ts";
import type { InitReport } from "./seed/initReport.ts";
import { resetRefusal } from "./seed/seeding.ts";
import { serve } from "./serving.ts";
import {
  adminAccessOf,
  BadOption,
  consistencyOf,
  DEFAULT_HOST,
  limitsOf,
  rateSettingOf,
} from "./surroundings/options.ts";
import type { OrreryOptions } from "./surroundings/orreryOptions.ts";
import { realClock, realRandom, realTimer } from "./surroundings/realWorld.ts";
import { storePlace } from "./surroundings/storeOption.ts";
import { VERSION } from "./surroundings/version.ts";
import { refuseUnfinished } from "./unfinishedStore.ts";
import type { Front } from "./work.ts";
import { openWork } from "./work.ts";

type NodeOptions = OrreryOptions & { readonly store: string | readonly string[] };

interface JoinedOptions extends NodeOptions {
  readonly urls: Urls;
}
type NodeFront = Front & { readonly data: string; readonly faults: FaultBook };

const WORLD = { clock: realClock, timer: realTimer };
const CONNECT_MS = 5000;
const NAME_BYTES = 4;
/** Longer than a tenure lasts that nobody renews. */
const FORMER_MS = 30_000;
const FORMER_LOOK_MS = 200;
/** A value on which the nodes agree: what they know each other by. */
const SECRET = "nodeSecret";

export function serveWithOthers(options: NodeOptions, front: NodeFront): Promise<BehindFront> {
  return withDatabase(options.store, () => join(options, front));
}

async function join(options: NodeOptions, front: NodeFront): Promise<BehindFront> {
  const urls = await inOrder(options.store);
  const [home] = urls;
  const connect = (): Promise<Session> => Session.open({ url: home, connectMs: CONNECT_MS });
  const book = new NodeBook({ connect, ...WORLD });
  try {
    return await joined({ ...options, urls }, front, book);
  } catch (error) {
    await book.close();
    throw error;
  }
}

async function joined(
  options: JoinedOptions,
  front: NodeFront,
  book: NodeBook,
): Promise<BehindFront> {
  const { data, outbox, connections, log } = front;
  const name = `${hostname()}-${Buffer.from(realRandom.bytes(NAME_BYTES)).toString("hex")}`;
  const secret = await book.propose(SECRET, Buffer.from(realRandom.bytes(SECRET_BYTES)));
  const keys = await openAgreedKeys(book, {
    options,
    mayUseWellKnown: mayUseWellKnown(options),
    directory: data,
    random: realRandom,
  });
  const forwarder = new Forwarder({ name, secret, outbox, connections, timer: realTimer });
  const desk = new NodeDesk({ name, book, forwarder });
  let node: ClusterNode | undefined;
  const surface = surfaceOf(desk, forwarder, () => node);
  const wanted = options.nodePort ?? 0;
  const port = await NodePort.open({
    host: options.nodeHost ?? options.host ?? DEFAULT_HOST,
    port: wanted,
    secret,
    take: (request, response) => node!.takeForwarded(request, response),
    takeBinary: (socket) => node!.takeForwardedBinary(socket),
    onFailure: (reason) => log("nodeRefused", { reason }),
  }).catch((error: unknown) => {
    throw portTaken(error as Error, wanted, "--node-port");
  });
  try {
    const card = cardOf(options, { keys, secret, data, port: port.port });
    await makeRoom(desk, book, card);
    const beginning: Beginning = { isOver: false, init: undefined };
    node = nodeOf(options, front, { name, card, book, desk, forwarder, keys, surface, beginning });
    await node.start(port, { untilWorking: options.standby === true });
    beginning.isOver = true;
    const { init } = beginning;
    return servedBy(options, node, { name, keys, desk, surface, front, init });
  } catch (error) {
    await node?.close();
    if (node === undefined) await port.close();
    throw error;
  }
}

/** A node that works from its start on makes the seed; one that takes over later does not. */
interface Beginning {
  isOver: boolean;
  init: InitReport | undefined;
}

type StoreCalls = Pick<Parameters<typeof PostgresStore.open>[0], "onTaken" | "onLost">;

/** Another node had the databases: the first is free, and the others are within moments. */
function waitForFormer(): StoreCalls["onTaken"] {
  const until = realClock.now() + FORMER_MS;
  return async ({ owner }) => {
    if (realClock.now() > until) {
      throw new StoreFault(`${owner} holds one of the databases, and not all of them.`);
    }
    await pause(realTimer, FORMER_LOOK_MS);
  };
}

interface NodeParts {
  readonly name: string;
  readonly card: NodeCard;
  readonly book: NodeBook;
  readonly desk: NodeDesk;
  readonly forwarder: Forwarder;
  readonly keys: AccountKeys;
  readonly surface: NodesSurface;
  readonly beginning: Beginning;
}

function nodeOf(options: JoinedOptions, front: NodeFront, parts: NodeParts): ClusterNode {
  const { name, book, keys, surface, beginning } = parts;
  const { connections, faults } = front;
  const { urls } = options;
  // Whoever loses one of the databases cannot work any more.
  let onLost: () => void = () => undefined;
  const openMember = (url: string, calls: StoreCalls): Promise<PostgresStore> =>
    PostgresStore.open({
      ...WORLD,
      ...calls,
      url,
      random: realRandom,
      notify: noticesOf(url, urls, faults.note),
      owner: name,
    });
  return new ClusterNode({
    ...WORLD,
    ...front,
    ...parts,
    refresh: () => renewKeys(book, keys),
    openStore: (calls) => {
      onLost = calls.onLost;
      return openMember(urls[0], calls);
    },
    openWork: async (first) => {
      const others = { onTaken: waitForFormer(), onLost };
      const store = await joinDatabases(first, urls, (url) => openMember(url, others));
      await refuseUnfinished(store, storePlace(options.store));
      await renewKeys(book, keys);
      const opened = { options, front, keys, store, backupData: undefined };
      const work = await openWork({ ...opened, tenure: first, nodes: surface });
      if (!beginning.isOver) beginning.init = await begun(work);
      return {
        serve: (request, response, activityId) =>
          serve(work.serving, request, response, activityId),
        takeBinary: work.serving.takeBinary,
        lend: (socket, holder) => connections.lend(socket, holder),
        fault: () => work.account.fault,
        outOfReach: () => work.account.outOfReach,
        obstacle: () => work.account.obstacle?.message,
        hurryScripts: () => work.hurryScripts(),
        close: () => work.close(),
      };
    },
  });
}

function servedBy(
  options: NodeOptions,
  node: ClusterNode,
  parts: {
    readonly name: string;
    readonly keys: AccountKeys;
    readonly desk: NodeDesk;
    readonly surface: NodesSurface;
    readonly front: NodeFront;
    readonly init: InitReport | undefined;
  },
): BehindFront {
  const { name, keys, desk, surface, front, init } = parts;
  const door: NodeDoor = openNodeDoor({
    surface,
    access: adminAccessOf(options),
    keys,
    outbox: front.outbox,
    version: VERSION,
  });
  return {
    take: (request, response, activityId) => {
      if (door.isFor(request)) door.serve(request, response);
      else node.take(request, response, activityId);
    },
    takeBinary: options.direct === false ? undefined : (socket) => node.takeBinary(socket),
    keys,
    init,
    reset: () => Promise.reject(resetRefusal(storePlace(options.store))),
    node: name,
    worker: () => node.worker,
    health: (path) => {
      const { role, worker, trouble, work } = node;
      const { silent } = desk;
      return healthAnswer(
        path,
        { fault: work?.fault(), outOfReach: work?.outOfReach() },
        {
          node: name,
          role,
          ...(worker !== undefined && { worker }),
          ...(silent.length > 0 && { silent }),
          ...(trouble !== undefined && { trouble }),
        },
      );
    },
    tellEndpoint: (endpoint) => node.tellEndpoint(endpoint),
    hurryScripts: () => node.hurryScripts(),
    close: () => node.close(),
  };
}

function surfaceOf(
  desk: NodeDesk,
  forwarder: Forwarder,
  node: () => ClusterNode | undefined,
): NodesSurface {
  return {
    nodes: () => desk.answer(),
    get isWorking() {
      return node()?.role === "works";
    },
    families: () =>
      nodeFamilies({
        role: node()?.role ?? "waits",
        takeoverCount: node()?.takeoverCount ?? 0,
        forwardedCount: forwarder.forwardedCount,
        knownCount: desk.known.length,
        silentCount: desk.silent.length,
      }),
  };
}

/** A card, with what all nodes must have in common: another one may have to do this one's work. */
function cardOf(
  options: NodeOptions,
  own: {
    readonly keys: AccountKeys;
    readonly secret: Buffer;
    readonly data: string;
    readonly port: number;
  },
): NodeCard {
  const { key, secondaryKey, readOnlyKey, secondaryReadOnlyKey } = options;
  const limits = limitsOf(options);
  const digest = (value: unknown): string =>
    createHmac("sha256", own.secret).update(JSON.stringify(value)).digest("base64url").slice(0, 16);
  const isWellKnown = own.keys.entries().some(({ origin }) => origin === "wellKnown");
  return {
    address: `${addressOf(options)}:${own.port}`,
    endpoint: "",
    version: VERSION,
    startedAt: realClock.wallNow(),
    process: process.pid,
    place: createHash("sha256").update(`${hostname()}\0${own.data}`).digest("base64url"),
    settings: {
      "account keys": digest([
        [key, secondaryKey, readOnlyKey, secondaryReadOnlyKey].map((one) => one ?? null),
        isWellKnown,
      ]),
      limits: digest(limits),
      rates: digest(rateSettingOf(options, limits)),
      consistency: digest(consistencyOf(options)),
      "identity provider": digest([options.entraIssuer ?? null, options.entraReaderRole ?? null]),
    },
  };
}

/** Where other nodes reach this one: the address that it listens on, if that is one. */
function addressOf({ nodeHost, host }: NodeOptions): string {
  const listened = nodeHost ?? host ?? DEFAULT_HOST;
  // Any address is none to tell.
  if (listened === "0.0.0.0" || listened === "::") return hostname();
  return listened.includes(":") ? `[${listened}]` : listened;
}

/**
 * Forgets whoever was in this place before, and makes sure that the others go by the same settings.
 */
async function makeRoom(desk: NodeDesk, book: NodeBook, card: NodeCard): Promise<void> {
  await book.forgetOld();
  for (const other of await desk.read()) {
    if (other.told.place === card.place) {
      await book.forget(other.name);
      continue;
    }
    const differing = differingSettings(card, other.told);
    if (other.heardMsAgo <= SILENT_MS && differing.length > 0) {
      throw new BadOption(
        `The node ${other.name}, which shares the database, was started with other settings of ` +
          `${differing.join(", ")}. Start all nodes with the same: each of them may have to ` +
          "do the work of the others. To change settings, stop all nodes first.",
      );
    }
  }
}
