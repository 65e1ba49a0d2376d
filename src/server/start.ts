/**
 * Builds a server and wires everything: the one place that makes the real clock, the real chance
 * and the real disk, and the one that takes them down again, in reverse order.
 */
import type { AddressInfo, Server } from "node:net";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import type { Millis } from "../base/units.ts";
import { millis } from "../base/units.ts";
import { Account } from "../engine/account.ts";
import type { Refusal } from "../model/refusal.ts";
import { PAGE_ROOT } from "../protocol/admin.ts";
import { refusalMessage, WIRE_STATUS } from "../protocol/answer/refusal.ts";
import { openBearerTokens } from "../protocol/auth/bearerToken.ts";
import type { BearerTokens } from "../protocol/auth/credentials.ts";
import { openScriptPool } from "../script/scriptPool.ts";
import type { ScriptRunner } from "../script/scriptRunner.ts";
import type { OpenData } from "../store/backup/backup.ts";
import { AccountKeys } from "./access/accountKeys.ts";
import type { Gatekeeper } from "./access/gatekeeper.ts";
import { openGatekeeper } from "./access/gatekeeper.ts";
import { IssuerKeys } from "./access/issuerKeys.ts";
import { PageSessions } from "./access/pageSessions.ts";
import type { AdminDoor } from "./admin/door.ts";
import type { Recordings } from "./admin/recordings.ts";
import { openShelf } from "./archives/archiveShelf.ts";
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
import type { ListenerSetting } from "./listener.ts";
import { createListener } from "./listener.ts";
import { openStore } from "./openStore.ts";
import type { Operations } from "./operations.ts";
import { openOperations } from "./operations.ts";
import type { PageDoor } from "./page/pageDoor.ts";
import { openPage } from "./page/pageDoor.ts";
import { openPageFiles } from "./page/pageFiles.ts";
import { portTaken } from "./portTaken.ts";
import { RequestLog } from "./requests/requestLog.ts";
import { directOf } from "./servedDirect.ts";
import type { ServedTls } from "./servedTls.ts";
import { servedTlsOf } from "./servedTls.ts";
import type { Log } from "./surroundings/log.ts";
import { jsonLog } from "./surroundings/log.ts";
import type { OrreryOptions } from "./surroundings/options.ts";
import {
  checkOptions,
  connectionsMaxOf,
  consistencyOf,
  DEFAULT_DATA,
  DEFAULT_HOST,
  deadlinesOf,
  entraOf,
  hasPage,
  isLoopback,
  limitsOf,
  rateSettingOf,
  requestLogFormatOf,
  requestLogLevelOf,
} from "./surroundings/options.ts";
import { realClock, realRandom, realTimer } from "./surroundings/realWorld.ts";
import { VERSION } from "./surroundings/version.ts";

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
  /** The address of the web page; absent when it is off. */
  readonly explorer: string | undefined;
  /** Where the data is kept; absent for a throw-away server. */
  readonly data: string | undefined;
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
/** How long a closing server waits for scripts that run. */
const SCRIPT_PATIENCE: Millis = millis(1500);

/** In the data directory, unless the owner says where archives go. */
const ARCHIVES_FOLDER = "archives";

export async function startOrrery(options: OrreryOptions = {}): Promise<OrreryServer> {
  checkOptions(options);
  const { healthPort, host = DEFAULT_HOST } = options;
  const health = healthPort === undefined ? undefined : await openHealthPort(healthPort, host);
  try {
    return await startWith(options, health);
  } catch (error) {
    await health?.close();
    throw error;
  }
}

async function startWith(
  options: OrreryOptions,
  health: HealthPort | undefined,
): Promise<OrreryServer> {
  const host = options.host ?? DEFAULT_HOST;
  const log = jsonLog((line) => process.stderr.write(line), realClock.wallNow);
  const data = options.memory === true ? undefined : resolve(options.data ?? DEFAULT_DATA);
  const lock = data === undefined ? undefined : await lockedDirectory(data);
  const faults =
    data === undefined ? undefined : new FaultBook({ ...realClock, log, directory: data });
  try {
    const { keys, tls, runner, account, backupData } = await withDataDirectory(data, async () => {
      const keys = new AccountKeys({
        options,
        mayUseWellKnown: isLoopback(host) || options.wellKnownKey === true,
        directory: data,
        random: realRandom,
      });
      const tls = servedTlsOf(options, { data, host });
      const runner = openScriptPool({ clock: realClock, timer: realTimer });
      return { keys, tls, runner, ...(await openAccount(options, { lock, log, runner, faults })) };
    });
    try {
      const outbox = new Outbox(realTimer, (defect) =>
        log("answerFailed", { reason: String(defect) }),
      );
      const world = { clock: realClock, timer: realTimer, random: realRandom };
      const pages = hasPage(options)
        ? new PageSessions({ keys, isTls: tls.isOnly, ...world })
        : undefined;
      const requests = requestLogOf(options);
      const parts = { account, keys, pages, outbox, requests, log, data, backupData, faults };
      const operations = openOperations(options, { ...parts, ...world });
      const { door, recordings } = operations;
      const audiences: string[] = ["https://cosmos.azure.com"];
      const gatekeeper = openGatekeeper({
        account,
        keys,
        pages,
        wallNow: realClock.wallNow,
        bearerTokens: bearerTokensOf(options, log, audiences),
      });
      const connections = new Connections({
        clock: realClock,
        timer: realTimer,
        log,
        deadlines: deadlinesOf(options),
        connectionsMax: connectionsWithin(connectionsMaxOf(options), descriptorLimit()),
      });
      const setting = listenerSetting(options, {
        ...parts,
        connections,
        gatekeeper,
        tls,
        host,
        door,
        page: pageDoorOf(options, parts),
        recordings,
      });
      const listener = createListener(
        options.direct === false
          ? setting
          : { ...setting, takeBinary: directOf(setting, operations.noteAnswer) },
      );
      await listen(listener, options.port ?? 0, host).catch(async (error: unknown) => {
        await operations.close();
        throw error;
      });
      const { port } = listener.address() as AddressInfo;
      const endpoint = endpointOf(tls.isOnly, host, port);
      audiences.push(endpoint, options.publicEndpoint?.replace(/\/$/, "") ?? endpoint);
      let closing: Promise<void> | undefined;
      const close = ({ quietMs = DEFAULT_QUIET_MS }: CloseOptions = {}): Promise<void> => {
        if (closing !== undefined) connections.hurry();
        const quiet = millis(quietMs);
        const ended = (): Promise<void> =>
          connections.close(listener, { patience: CLOSE_PATIENCE, quiet });
        closing ??= closeAll(ended, operations, { account, runner, lock, health });
        return closing;
      };
      if (health !== undefined) health.account = account;
      return {
        endpoint,
        port,
        get key() {
          return keys.primary;
        },
        get connectionString() {
          return `AccountEndpoint=${endpoint}/;AccountKey=${keys.primary};`;
        },
        healthPort: health?.port,
        caCertificate: tls.isOnly ? tls.identity.caCert : undefined,
        explorer: pages === undefined ? undefined : `${endpoint}${PAGE_ROOT}`,
        data,
        close,
        [Symbol.asyncDispose]: () => close(),
      };
    } catch (error) {
      await account.close();
      throw error;
    }
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** Takes the data directory; on a full disk with room that is kept back for that. */
async function lockedDirectory(data: string): Promise<DataLock> {
  await makeDataDirectory(data);
  return withDataDirectory(data, () => withRoomToStart(data, () => lockData(data)));
}

interface OpenedAccount {
  readonly account: Account;
  /** Absent for a throw-away store. */
  readonly backupData: OpenData | undefined;
}

async function openAccount(
  options: OrreryOptions,
  {
    lock,
    log,
    runner,
    faults,
  }: {
    readonly lock: DataLock | undefined;
    readonly log: Log;
    readonly runner: ScriptRunner;
    readonly faults: FaultBook | undefined;
  },
): Promise<OpenedAccount> {
  const limits = limitsOf(options);
  const { store, backupData } = await openStore(options, { lock, log, faults });
  const archives =
    options.archives ?? (lock === undefined ? undefined : join(lock.directory, ARCHIVES_FOLDER));
  try {
    const account = await Account.open({
      store,
      clock: realClock,
      timer: realTimer,
      random: realRandom,
      limits,
      rates: rateSettingOf(options, limits),
      consistency: consistencyOf(options),
      hasStatistics: options.statistics ?? true,
      isKept: lock !== undefined,
      scripts: { runner, wordsOf },
      archives: archives === undefined ? undefined : openShelf(archives),
    });
    if (faults !== undefined) faults.nameOfPart = (part) => nameOfPart(account, part);
    return { account, backupData };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function nameOfPart({ catalog }: Account, part: number): string | undefined {
  for (const { databaseId, definition, partitions } of catalog.containers()) {
    for (const { entry } of partitions.values()) {
      if (entry.part === part) return `${databaseId}/${definition.id}`;
    }
  }
  return undefined;
}

/** A script is told of refusals as a client is, but always as JSON, in the service's form. */
function wordsOf(refusal: Refusal): { readonly status: number; readonly message: string } {
  const words = refusalMessage(refusal);
  const isJson = words.startsWith("Message: ");
  const message = isJson ? words.slice("Message: ".length) : JSON.stringify({ Errors: [words] });
  return { status: WIRE_STATUS[refusal.kind].status, message };
}

/** A token may be meant for the account by any of its names, unless the owner says for whom. */
function bearerTokensOf(
  options: OrreryOptions,
  log: Log,
  accountNames: readonly string[],
): BearerTokens | undefined {
  const entra = entraOf(options);
  if (entra === undefined) return undefined;
  return openBearerTokens({
    ...entra,
    audiences: () => entra.audiences ?? accountNames,
    keys: new IssuerKeys({ source: entra.keys, clock: realClock, timer: realTimer, log }),
    wallNow: realClock.wallNow,
  });
}

function listenerSetting(
  options: OrreryOptions,
  parts: {
    readonly account: Account;
    readonly gatekeeper: Gatekeeper;
    readonly tls: ServedTls;
    readonly host: string;
    readonly log: Log;
    readonly outbox: Outbox;
    readonly requests: RequestLog;
    readonly connections: Connections;
    readonly door: AdminDoor;
    readonly page: PageDoor | undefined;
    readonly recordings: Recordings;
  },
): ListenerSetting {
  const { account, gatekeeper, tls, host, log, outbox, requests, connections, door, recordings } =
    parts;
  const publicHost = hostOfEndpoint(options.publicEndpoint);
  return {
    account,
    gatekeeper,
    log,
    outbox,
    requests,
    connections,
    clock: realClock,
    isAllowedHost: hostGate([
      host,
      hostname(),
      ...(publicHost ? [publicHost] : []),
      ...(options.allowHosts ?? []),
    ]),
    publicEndpoint: options.publicEndpoint,
    tls,
    admin: door,
    page: parts.page,
    recordings,
  };
}

function requestLogOf(options: OrreryOptions): RequestLog {
  return new RequestLog({
    level: requestLogLevelOf(options),
    format: requestLogFormatOf(options),
    clock: realClock,
    write: (line) => void process.stderr.write(line),
  });
}

function pageDoorOf(
  { publicEndpoint }: OrreryOptions,
  {
    pages,
    outbox,
    log,
  }: {
    readonly pages: PageSessions | undefined;
    readonly outbox: Outbox;
    readonly log: Log;
  },
): PageDoor | undefined {
  if (pages === undefined) return undefined;
  const files = openPageFiles();
  return openPage({ files, sessions: pages, outbox, log, version: VERSION, publicEndpoint });
}

function hostOfEndpoint(endpoint: string | undefined): string | undefined {
  return endpoint === undefined ? undefined : new URL(endpoint).hostname;
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

/** Answers what has come, stops listening, then closes the store and gives up the lock. */
async function closeAll(
  endConnections: () => Promise<void>,
  operations: Operations,
  {
    account,
    runner,
    lock,
    health,
  }: {
    readonly account: Account;
    readonly runner: ScriptRunner;
    readonly lock: DataLock | undefined;
    readonly health: HealthPort | undefined;
  },
): Promise<void> {
  if (health !== undefined) health.account = undefined;
  // Their clients are told so, and have time to hear it.
  const cancelScripts = realTimer.after(SCRIPT_PATIENCE, () => void runner.close());
  await endConnections();
  cancelScripts();
  await operations.close();
  await runner.close();
  try {
    await account.close();
  } finally {
    lock?.release();
    await health?.close();
  }
}
