/**
 * What a server is while it works on its data: the account over a store, who may come in, the admin
 * API and the page. A server on its own opens it once; one of several nodes opens it when its turn
 * comes, and closes it when another one has taken over. What is in front of it stays meanwhile.
 */
import { join } from "node:path";
import type { Millis } from "../base/units.ts";
import { millis } from "../base/units.ts";
import { Account } from "../engine/account.ts";
import type { Refusal } from "../model/refusal.ts";
import { refusalMessage, WIRE_STATUS } from "../protocol/answer/refusal.ts";
import { openBearerTokens } from "../protocol/auth/bearerToken.ts";
import type { BearerTokens } from "../protocol/auth/credentials.ts";
import { openScriptPool } from "../script/scriptPool.ts";
import type { ServerSeed } from "../seed/seed.ts";
import type { OpenData } from "../store/backup/backup.ts";
import type { PartitionStore } from "../store/partitionStore.ts";
import type { AccountKeys } from "./access/accountKeys.ts";
import { openGatekeeper } from "./access/gatekeeper.ts";
import { IssuerKeys } from "./access/issuerKeys.ts";
import { PageSessions } from "./access/pageSessions.ts";
import type { NodesSurface } from "./admin/nodeDoor.ts";
import type { TenureHold } from "./answering.ts";
import { openShelf } from "./archives/archiveShelf.ts";
import type { Connections } from "./connections/connections.ts";
import type { FaultBook } from "./faultBook.ts";
import type { Outbox } from "./http/outbox.ts";
import { openOperations } from "./operations.ts";
import type { PageDoor } from "./page/pageDoor.ts";
import { openPage } from "./page/pageDoor.ts";
import { openPageFiles } from "./page/pageFiles.ts";
import type { RequestLog } from "./requests/requestLog.ts";
import { Seeding } from "./seed/seeding.ts";
import { directOf } from "./servedDirect.ts";
import type { ServedTls } from "./servedTls.ts";
import type { ServingSetting } from "./serving.ts";
import type { Log } from "./surroundings/log.ts";
import {
  consistencyOf,
  entraOf,
  hasPage,
  limitsOf,
  rateSettingOf,
} from "./surroundings/options.ts";
import type { OrreryOptions } from "./surroundings/orreryOptions.ts";
import { realClock, realRandom, realTimer } from "./surroundings/realWorld.ts";
import { storePlace } from "./surroundings/storeOption.ts";
import { VERSION } from "./surroundings/version.ts";

/** What is in front of the work, and stays when that ends. */
export interface Front {
  readonly log: Log;
  readonly outbox: Outbox;
  readonly requests: RequestLog;
  readonly connections: Connections;
  readonly tls: ServedTls;
  /** Where keys, certificates and the lock are; absent for a throw-away server. */
  readonly data: string | undefined;
  readonly faults: FaultBook | undefined;
  /** The names of the account, for which tokens may be meant. */
  readonly names: readonly string[];
  /** What there is to be at the beginning. */
  readonly seeds: readonly ServerSeed[];
}

interface WorkSetting {
  readonly options: OrreryOptions;
  readonly front: Front;
  readonly keys: AccountKeys;
  /** Closed with the work, also when that cannot be opened. */
  readonly store: PartitionStore;
  /** Present where a data directory has the data. */
  readonly backupData: OpenData | undefined;
  readonly tenure?: TenureHold | undefined;
  /** Who tells of the other nodes; absent where there cannot be any. */
  readonly nodes?: NodesSurface | undefined;
}

interface Work {
  readonly account: Account;
  readonly serving: ServingSetting;
  readonly seeding: Seeding;
  /** Scripts have a while from now on to come to their ends, unless it is called off. */
  hurryScripts(): () => void;
  close(): Promise<void>;
}

/** How long a closing server waits for scripts that run. */
const SCRIPT_PATIENCE: Millis = millis(1500);

/** In the data directory, unless the owner says where archives go. */
const ARCHIVES_FOLDER = "archives";

export async function openWork(setting: WorkSetting): Promise<Work> {
  const { options, front, keys, backupData, tenure } = setting;
  const { log, outbox, requests, connections, tls, data, faults } = front;
  const runner = openScriptPool({ clock: realClock, timer: realTimer });
  const account = await openAccount(setting, runner);
  const kept = options.store === undefined ? data : storePlace(options.store);
  const seeding = new Seeding({ account, seeds: front.seeds, kept });
  const world = { clock: realClock, timer: realTimer, random: realRandom };
  const pages = hasPage(options)
    ? new PageSessions({ keys, isTls: tls.isOnly, ...world })
    : undefined;
  const parts = { account, keys, seeding, pages, outbox, requests, log, data, backupData, faults };
  const operations = openOperations(options, { ...parts, ...world, nodes: setting.nodes });
  const gatekeeper = openGatekeeper({
    account,
    keys,
    pages,
    wallNow: realClock.wallNow,
    bearerTokens: bearerTokensOf(options, log, front.names),
  });
  const serving: ServingSetting = {
    account,
    gatekeeper,
    log,
    outbox,
    requests,
    connections,
    clock: realClock,
    publicEndpoint: options.publicEndpoint,
    admin: operations.door,
    page: pageDoorOf(options, parts),
    recordings: operations.recordings,
    tenure,
  };
  return {
    account,
    seeding,
    serving:
      options.direct === false
        ? serving
        : { ...serving, takeBinary: directOf(serving, operations.noteAnswer) },
    hurryScripts: () => realTimer.after(SCRIPT_PATIENCE, () => void runner.close()),
    close: async () => {
      await operations.close();
      await runner.close();
      await account.close();
    },
  };
}

async function openAccount(
  { options, front: { data, faults }, store }: WorkSetting,
  runner: ReturnType<typeof openScriptPool>,
): Promise<Account> {
  const limits = limitsOf(options);
  const archives =
    options.archives ?? (data === undefined ? undefined : join(data, ARCHIVES_FOLDER));
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
      isKept: data !== undefined,
      scripts: { runner, wordsOf },
      archives: archives === undefined ? undefined : openShelf(archives),
    });
    if (faults !== undefined) faults.nameOfPart = (part) => nameOfPart(account, part);
    return account;
  } catch (error) {
    await store.close();
    await runner.close();
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
