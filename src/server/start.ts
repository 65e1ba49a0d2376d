/**
 * Builds a server and wires everything, and takes it down again, in reverse order: first the front,
 * by which clients come, then what serves them.
 */
import type { AddressInfo, Server } from "node:net";
import { hostname } from "node:os";
import { resolve } from "node:path";
import type { Millis } from "../base/units.ts";
import { millis } from "../base/units.ts";
import { PAGE_ROOT } from "../protocol/admin.ts";
import type { ServerSeed } from "../seed/seed.ts";
import type { BehindFront } from "./behindFront.ts";
import { serveAlone } from "./behindFront.ts";
import { Connections } from "./connections/connections.ts";
import { connectionsWithin, descriptorLimit } from "./connections/descriptorLimit.ts";
import { withRoomToStart } from "./dataStore.ts";
import { makeDataDirectory, withDataDirectory } from "./directory/dataDirectory.ts";
import type { DataLock } from "./directory/dataLock.ts";
import { lockData } from "./directory/lockData.ts";
import { FaultBook } from "./faultBook.ts";
import type { HealthPort } from "./health.ts";
import { openHealthPort } from "./health.ts";
import { hostGate } from "./http/hostAllowList.ts";
import { Outbox } from "./http/outbox.ts";
import { createFront } from "./listener.ts";
import { portTaken } from "./portTaken.ts";
import { RequestLog } from "./requests/requestLog.ts";
import type { InitReport } from "./seed/initReport.ts";
import { loadSeeds } from "./seed/loadSeeds.ts";
import { servedTlsOf } from "./servedTls.ts";
import { jsonLog } from "./surroundings/log.ts";
import {
  checkOptions,
  connectionsMaxOf,
  DEFAULT_DATA,
  DEFAULT_HOST,
  deadlinesOf,
  hasPage,
  requestLogFormatOf,
  requestLogLevelOf,
} from "./surroundings/options.ts";
import type { OrreryOptions } from "./surroundings/orreryOptions.ts";
import { realClock, realTimer } from "./surroundings/realWorld.ts";
import type { Front } from "./work.ts";

/** A running server. Closing it finishes what was accepted and gives everything back. */
export interface OrreryServer extends AsyncDisposable {
  /** Where clients connect to, such as `http://127.0.0.1:8081`. */
  readonly endpoint: string;
  readonly port: number;
  /** Where health is told by plain HTTP; absent where nobody wanted that. */
  readonly healthPort: number | undefined;
  /** The primary account key, as of now. */
  readonly key: string;
  /** Endpoint and key in the form that the official clients take. */
  readonly connectionString: string;
  /** The certificate of the authority that signed the server's own, in PEM; absent without TLS. */
  readonly caCertificate: string | undefined;
  /**
   * The file of the authority's certificate. Absent until somebody has begun TLS, and where the
   * authority is not kept.
   */
  readonly caPath: string | undefined;
  /** The address of the web page; absent when it is off. */
  readonly explorer: string | undefined;
  /** Where the data is kept; absent for a throw-away server. */
  readonly data: string | undefined;
  /** Its name among the nodes that share a database; absent where there are none. */
  readonly node: string | undefined;
  /** The node that works on the database, as far as this one knows. */
  readonly worker: string | undefined;
  /** What came of `init`: what was made, and what was found; absent without `init`. */
  readonly init: InitReport | undefined;
  /**
   * Back to the beginnings: drops every database, and makes anew what `init` says. Rejects where
   * the server keeps its data. Clients need not be made anew.
   */
  reset(): Promise<void>;
  /** A second call before the first one has ended makes the server wait for nobody any more. */
  close(options?: CloseOptions): Promise<void>;
}

export interface CloseOptions {
  /**
   * Milliseconds for which a connection must have been quiet before it is ended. A busy client's
   * next request may be on its way; if it comes in time it is answered, with 503. 100 by default.
   */
  readonly quietMs?: number | undefined;
}

const DEFAULT_QUIET_MS = 100;

/** How long a closing server waits for clients in the middle of a request. */
const CLOSE_PATIENCE: Millis = millis(5000);
export async function startOrrery(options: OrreryOptions = {}): Promise<OrreryServer> {
  checkOptions(options);
  const seeds = loadSeeds(options.init);
  const { healthPort, host = DEFAULT_HOST } = options;
  const health = healthPort === undefined ? undefined : await openHealthPort(healthPort, host);
  try {
    return await startWith(options, seeds, health);
  } catch (error) {
    await health?.close();
    throw error;
  }
}

async function startWith(
  options: OrreryOptions,
  seeds: readonly ServerSeed[],
  health: HealthPort | undefined,
): Promise<OrreryServer> {
  const host = options.host ?? DEFAULT_HOST;
  const log = jsonLog((line) => process.stderr.write(line), realClock.wallNow);
  const data = options.memory === true ? undefined : resolve(options.data ?? DEFAULT_DATA);
  const lock = data === undefined ? undefined : await lockedDirectory(data);
  try {
    const tls = await withDataDirectory(data, async () => servedTlsOf(options, { data, host }));
    const names: string[] = ["https://cosmos.azure.com"];
    const front: Front = {
      log,
      outbox: new Outbox(realTimer, (defect) => log("answerFailed", { reason: String(defect) })),
      requests: requestLogOf(options),
      connections: new Connections({
        clock: realClock,
        timer: realTimer,
        log,
        deadlines: deadlinesOf(options),
        connectionsMax: connectionsWithin(connectionsMaxOf(options), descriptorLimit()),
      }),
      tls,
      data,
      faults:
        data === undefined ? undefined : new FaultBook({ ...realClock, log, directory: data }),
      names,
      seeds,
    };
    const served = await openBehind(options, front, lock);
    try {
      const listener = createFront({
        ...front,
        isAllowedHost: allowedHosts(options, host),
        take: served.take,
        takeBinary: served.takeBinary,
        health: served.health,
      });
      await listen(listener, options.port ?? 0, host);
      const { port } = listener.address() as AddressInfo;
      const endpoint = endpointOf(tls.isOnly, host, port);
      const publicEndpoint = options.publicEndpoint?.replace(/\/$/, "") ?? endpoint;
      names.push(endpoint, publicEndpoint);
      await served.tellEndpoint(publicEndpoint);
      if (health !== undefined) health.answer = served.health;
      const { connections } = front;
      let closing: Promise<void> | undefined;
      const close = ({ quietMs = DEFAULT_QUIET_MS }: CloseOptions = {}): Promise<void> => {
        if (closing !== undefined) connections.hurry();
        const quiet = millis(quietMs);
        const ended = (): Promise<void> =>
          connections.close(listener, { patience: CLOSE_PATIENCE, quiet });
        closing ??= closeAll(ended, { served, lock, health });
        return closing;
      };
      return {
        endpoint,
        port,
        get key() {
          return served.keys.primary;
        },
        get connectionString() {
          return `AccountEndpoint=${endpoint}/;AccountKey=${served.keys.primary};`;
        },
        healthPort: health?.port,
        caCertificate: tls.isOnly ? tls.identity.caCert : undefined,
        get caPath() {
          return tls.caPath;
        },
        explorer: hasPage(options) ? `${endpoint}${PAGE_ROOT}` : undefined,
        data,
        init: served.init,
        reset: () => served.reset(),
        node: served.node,
        get worker() {
          return served.worker();
        },
        close,
        [Symbol.asyncDispose]: () => close(),
      };
    } catch (error) {
      await served.close();
      throw error;
    }
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** Nodes are loaded where there is a database: nobody else has to have its driver. */
async function openBehind(
  options: OrreryOptions,
  front: Front,
  lock: DataLock | undefined,
): Promise<BehindFront> {
  const { store: url } = options;
  const { data, faults } = front;
  if (url === undefined || data === undefined || faults === undefined) {
    return serveAlone(options, front, lock);
  }
  const { serveWithOthers } = await import("./servedByNodes.ts");
  return serveWithOthers({ ...options, store: url }, { ...front, data, faults });
}

/** Takes the data directory; on a full disk with room that is kept back for that. */
async function lockedDirectory(data: string): Promise<DataLock> {
  await makeDataDirectory(data);
  return withDataDirectory(data, () => withRoomToStart(data, () => lockData(data)));
}

function requestLogOf(options: OrreryOptions): RequestLog {
  return new RequestLog({
    level: requestLogLevelOf(options),
    format: requestLogFormatOf(options),
    clock: realClock,
    write: (line) => void process.stderr.write(line),
  });
}

function allowedHosts(
  { publicEndpoint, allowHosts = [] }: OrreryOptions,
  host: string,
): (host: string | undefined) => boolean {
  const publicHost = publicEndpoint === undefined ? [] : [new URL(publicEndpoint).hostname];
  return hostGate([host, hostname(), ...publicHost, ...allowHosts]);
}

function endpointOf(isTls: boolean, host: string, port: number): string {
  const name = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "[::1]" : host;
  const bracketed = name.includes(":") && !name.startsWith("[") ? `[${name}]` : name;
  return `${isTls ? "https" : "http"}://${bracketed}:${port}`;
}

function listen(listener: Server, port: number, host: string): Promise<void> {
  return new Promise((resolved, reject) => {
    listener.once("error", (error: Error & { code?: string }) => {
      reject(portTaken(error, port, "--port"));
    });
    listener.listen(port, host, resolved);
  });
}

/** Answers what has come, stops listening, then ends to serve and gives up the lock. */
async function closeAll(
  endConnections: () => Promise<void>,
  {
    served,
    lock,
    health,
  }: {
    readonly served: BehindFront;
    readonly lock: DataLock | undefined;
    readonly health: HealthPort | undefined;
  },
): Promise<void> {
  if (health !== undefined) health.answer = undefined;
  // Their clients are told so, and have time to hear it.
  const cancelScripts = served.hurryScripts();
  await endConnections();
  cancelScripts();
  try {
    await served.close();
  } finally {
    lock?.release();
    await health?.close();
  }
}
