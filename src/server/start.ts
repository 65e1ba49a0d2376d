/**
 * Builds a server and wires everything: the one place that makes the real clock, the real chance
 * and the real disk, and the one that takes them down again, in reverse order.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import type { Millis } from "../base/units.ts";
import { millis } from "../base/units.ts";
import type { Random } from "../base/world.ts";
import { Account } from "../engine/account.ts";
import type { AccountKey } from "../protocol/authorization.ts";
import { openAuthorizer } from "../protocol/authorization.ts";
import type { OpenData } from "../store/backup.ts";
import { JOURNAL_FOLDER, removeLeftCopy, TABLES_FOLDER } from "../store/backup.ts";
import { HoldingDisk } from "../store/backupDisk.ts";
import { openDirectory } from "../store/disk.ts";
import { EmbeddedStore } from "../store/embeddedStore.ts";
import { LmdbBottom } from "../store/lmdb/lmdbBottom.ts";
import type { AdminDoor } from "./admin/door.ts";
import type { Recordings } from "./admin/recordings.ts";
import { lockData } from "./dataLock.ts";
import { hostGate } from "./hostAllowList.ts";
import type { ListenerSetting } from "./listener.ts";
import { createListener } from "./listener.ts";
import type { Log } from "./log.ts";
import { jsonLog } from "./log.ts";
import type { Operations } from "./operations.ts";
import { openOperations } from "./operations.ts";
import type { OrreryOptions } from "./options.ts";
import {
  BadOption,
  checkOptions,
  consistencyOf,
  DEFAULT_DATA,
  DEFAULT_HOST,
  isLoopback,
  limitsOf,
  rateSettingOf,
  readFile,
  WELL_KNOWN_KEY,
} from "./options.ts";
import { Outbox } from "./outbox.ts";
import { realClock, realRandom, realTimer } from "./realWorld.ts";
import { openLocalCa } from "./tls/localCa.ts";

/** A running server. Closing it finishes what was accepted and gives everything back. */
export interface OrreryServer extends AsyncDisposable {
  /** Where clients connect to, such as `http://127.0.0.1:8081`. */
  readonly endpoint: string;
  readonly port: number;
  readonly key: string;
  /** In the form the official clients take. */
  readonly connectionString: string;
  /** Of the authority that signed the server's certificate, PEM; absent without TLS. */
  readonly caCertificate: string | undefined;
  /** Where the data is kept; absent for a throw-away server. */
  readonly data: string | undefined;
  close(): Promise<void>;
}

/**
 * Larger segments are absorbed more cheaply, because more items share a term; smaller ones are read
 * back faster after a crash, and take less memory. Writers wait when this many are sealed.
 */
const STORE_OPTIONS = { segmentBytesMax: 32 * 1024 * 1024, sealedCountMax: 3 };

/** How long a closing server waits for clients in the middle of a request. */
const CLOSE_PATIENCE: Millis = millis(5000);

export async function startOrrery(options: OrreryOptions = {}): Promise<OrreryServer> {
  checkOptions(options);
  const host = options.host ?? DEFAULT_HOST;
  const log = jsonLog((line) => process.stderr.write(line), realClock.wallNow);
  const data = options.memory === true ? undefined : resolve(options.data ?? DEFAULT_DATA);
  if (data !== undefined) mkdirSync(data, { recursive: true, mode: 0o700 });
  const unlock = data === undefined ? () => undefined : lockData(data, nonceOf(realRandom));
  try {
    const keys = accountKeys(options, host, data);
    const tls = tlsOf(options, data, host);
    const { account, backupData } = await openAccount(options, data);
    try {
      const outbox = new Outbox(realTimer, (defect) =>
        log("answerFailed", { reason: String(defect) }),
      );
      const world = { clock: realClock, timer: realTimer, random: realRandom };
      const parts = { account, keys, outbox, log, data, backupData };
      const operations = openOperations(options, { ...parts, ...world });
      const { door, recordings } = operations;
      const setting = listenerSetting(options, { ...parts, tls, host, door, recordings });
      const listener = createListener(setting);
      await listen(listener, options.port ?? 0, host).catch(async (error: unknown) => {
        await operations.close();
        throw error;
      });
      const { port } = listener.address() as AddressInfo;
      const endpoint = endpointOf(tls !== undefined, host, port);
      const key = keys[0]!.key;
      let closing: Promise<void> | undefined;
      const close = (): Promise<void> => {
        closing ??= closeAll(listener, outbox, operations, account, unlock);
        return closing;
      };
      return {
        endpoint,
        port,
        key,
        connectionString: `AccountEndpoint=${endpoint}/;AccountKey=${key};`,
        caCertificate: tls?.caCert,
        data,
        close,
        [Symbol.asyncDispose]: close,
      };
    } catch (error) {
      await account.close();
      throw error;
    }
  } catch (error) {
    unlock();
    throw error;
  }
}

interface OpenedStore {
  readonly store: EmbeddedStore;
  /** Absent for a throw-away store. */
  readonly backupData: OpenData | undefined;
}

async function openAccount(
  options: OrreryOptions,
  data: string | undefined,
): Promise<{ readonly account: Account } & Pick<OpenedStore, "backupData">> {
  const limits = limitsOf(options);
  const { store, backupData } = await openStore(data);
  const account = await Account.open({
    store,
    clock: realClock,
    timer: realTimer,
    random: realRandom,
    limits,
    rates: rateSettingOf(options, limits),
    consistency: consistencyOf(options),
    hasStatistics: options.statistics ?? true,
    isKept: data !== undefined,
  });
  return { account, backupData };
}

async function openStore(data: string | undefined): Promise<OpenedStore> {
  if (data === undefined) {
    return { store: EmbeddedStore.inMemory(realTimer), backupData: undefined };
  }
  await removeLeftCopy(data);
  const journalDirectory = join(data, JOURNAL_FOLDER);
  const disk = new HoldingDisk(await openDirectory(journalDirectory));
  const bottom = new LmdbBottom({ journalDirectory, tablesDirectory: join(data, TABLES_FOLDER) });
  const store = await EmbeddedStore.open(realTimer, STORE_OPTIONS, { disk, bottom });
  const copyTables = (folder: string): Promise<void> => bottom.copyTo(folder);
  return { store, backupData: { directory: data, journal: disk, copyTables } };
}

/**
 * The well-known key is known to everybody, so it opens only servers that nobody else can reach,
 * unless its owner says otherwise. A server that others can reach gets a key of its own.
 */
function accountKeys(options: OrreryOptions, host: string, data: string | undefined): AccountKey[] {
  const mayUseWellKnown = isLoopback(host) || options.wellKnownKey === true;
  const primary = options.key ?? (mayUseWellKnown ? WELL_KNOWN_KEY : generatedKey(data));
  const keys = [{ key: primary, isReadOnly: false }];
  if (options.secondaryKey !== undefined)
    keys.push({ key: options.secondaryKey, isReadOnly: false });
  if (options.readOnlyKey !== undefined) keys.push({ key: options.readOnlyKey, isReadOnly: true });
  return keys;
}

/** Made once and kept beside the data; a throw-away server gets a new one each time. */
function generatedKey(data: string | undefined): string {
  const path = data === undefined ? undefined : join(data, "account.key");
  if (path !== undefined && existsSync(path)) return readFileSync(path, "utf8").trim();
  const key = Buffer.from(realRandom.bytes(64)).toString("base64");
  if (path !== undefined) writeFileSync(path, `${key}\n`, { mode: 0o600 });
  return key;
}

function tlsOf(
  options: OrreryOptions,
  data: string | undefined,
  host: string,
): ListenerSetting["tls"] {
  if (options.cert !== undefined && options.certKey !== undefined) {
    const cert = readFile(options.cert, "cert");
    return { cert, key: readFile(options.certKey, "certKey"), caCert: cert };
  }
  if (options.https !== true) return undefined;
  // A throw-away server has nowhere to keep an authority but where a kept one would.
  const directory = join(data ?? resolve(DEFAULT_DATA), "tls");
  const hostNames = [hostOfEndpoint(options.publicEndpoint), host, ...(options.allowHosts ?? [])];
  return openLocalCa({
    directory,
    hostNames: hostNames.filter((name) => name !== undefined && isCertifiable(name)) as string[],
    wallNow: realClock.wallNow,
    randomBytes: realRandom.bytes,
  });
}

/** Wildcards and "all addresses" are not names a certificate can vouch for. */
function isCertifiable(name: string): boolean {
  return name !== "*" && name !== "0.0.0.0" && name !== "::";
}

function listenerSetting(
  options: OrreryOptions,
  parts: {
    readonly account: Account;
    readonly keys: readonly AccountKey[];
    readonly tls: ListenerSetting["tls"];
    readonly host: string;
    readonly log: Log;
    readonly outbox: Outbox;
    readonly door: AdminDoor;
    readonly recordings: Recordings;
  },
): ListenerSetting {
  const { account, keys, tls, host, log, outbox, door, recordings } = parts;
  const publicHost = hostOfEndpoint(options.publicEndpoint);
  return {
    account,
    authorizer: openAuthorizer({ keys, wallNow: realClock.wallNow }),
    log,
    outbox,
    isAllowedHost: hostGate([
      host,
      hostname(),
      ...(publicHost ? [publicHost] : []),
      ...(options.allowHosts ?? []),
    ]),
    publicEndpoint: options.publicEndpoint,
    tls,
    admin: door,
    recordings,
  };
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
      reject(error.code === "EADDRINUSE" ? portTaken(port) : error);
    });
    listener.listen(port, host, resolved);
  });
}

function portTaken(port: number): BadOption {
  return new BadOption(
    `Port ${port} is taken by another program. Stop it, or choose another with --port ` +
      "(0 lets the system choose).",
  );
}

/** Stops listening, lets requests under way finish, then closes the store and gives up the lock. */
async function closeAll(
  listener: Server,
  outbox: Outbox,
  operations: Operations,
  account: Account,
  unlock: () => void,
): Promise<void> {
  outbox.beginClosing();
  const ended = new Promise<void>((resolved) => listener.close(() => resolved()));
  listener.closeIdleConnections();
  const cancel = realTimer.after(CLOSE_PATIENCE, () => listener.closeAllConnections());
  await ended;
  cancel();
  await operations.close();
  try {
    await account.close();
  } finally {
    unlock();
  }
}

function nonceOf(random: Random): string {
  return Buffer.from(random.bytes(6)).toString("hex");
}
