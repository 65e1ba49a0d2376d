/**
 * What whoever runs a server has of it, beside what its clients have: the admin API, metrics and
 * alerts, wired to the account.
 */
import { tmpdir } from "node:os";
import type { AlertsReport } from "../alerts/alertBoard.ts";
import { AlertBoard } from "../alerts/alertBoard.ts";
import { describeRules } from "../alerts/rules/catalogue.ts";
import type { Millis } from "../base/units.ts";
import { millis } from "../base/units.ts";
import type { Clock, Random, Timer } from "../base/world.ts";
import type { Account } from "../engine/account.ts";
import type { WireAnswer } from "../protocol/wire/wire.ts";
import type { OpenData } from "../store/backup/backup.ts";
import type { AccountKeys } from "./access/accountKeys.ts";
import type { PageSessions } from "./access/pageSessions.ts";
import { accountSurface } from "./admin/accountSurface.ts";
import { Backups } from "./admin/backup.ts";
import type { AdminDoor } from "./admin/door.ts";
import { openAdmin } from "./admin/door.ts";
import { KeyDesk } from "./admin/keys.ts";
import type { NodeDoor, NodesSurface } from "./admin/nodeDoor.ts";
import { NO_NODES, openNodeDoor } from "./admin/nodeDoor.ts";
import { Recordings } from "./admin/recordings.ts";
import type { SeedSurface } from "./admin/seedDesk.ts";
import { SeedDesk } from "./admin/seedDesk.ts";
import { Alerting, diskReportOf } from "./alerting.ts";
import type { FaultBook } from "./faultBook.ts";
import type { Outbox } from "./http/outbox.ts";
import { itemLines } from "./lab/itemLines.ts";
import { startLabCommand } from "./lab/labCommand.ts";
import { LabDesk } from "./lab/labDesk.ts";
import type { RequestLog } from "./requests/requestLog.ts";
import type { Log } from "./surroundings/log.ts";
import { adminAccessOf, alertSettingsOf } from "./surroundings/options.ts";
import type { OrreryOptions } from "./surroundings/orreryOptions.ts";
import { VERSION } from "./surroundings/version.ts";
import { parseWebhookUrls } from "./surroundings/webhookUrls.ts";
import { Webhook } from "./webhook.ts";

export interface OperatorSetting {
  readonly account: Account;
  readonly keys: AccountKeys;
  readonly seeding: SeedSurface;
  /** Absent where no page is served. */
  readonly pages?: PageSessions | undefined;
  readonly outbox: Outbox;
  readonly requests: RequestLog;
  readonly log: Log;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly random: Random;
  /** Where the data is; absent for a throw-away server. */
  readonly data: string | undefined;
  /** The open data, for backups; absent for a throw-away server. */
  readonly backupData?: OpenData | undefined;
  /** The faults of that data; absent for a throw-away server. */
  readonly faults?: FaultBook | undefined;
  /** Who knows of the nodes that share a database; absent where there is none. */
  readonly nodes?: NodesSurface | undefined;
}

export interface Operations {
  readonly door: AdminDoor;
  readonly recordings: Recordings;
  /** Counts and notes an answer that did not go out by the outbox. */
  readonly noteAnswer: (...noted: Parameters<RequestLog["noteAnswer"]>) => void;
  close(): Promise<void>;
}

const ROUND_INTERVAL: Millis = millis(10_000);
const GAP_MAX_MS = 60_000;
const HISTORY_COUNT_MAX = 500;

export function openOperations(options: OrreryOptions, setting: OperatorSetting): Operations {
  const { account, keys, pages, outbox, requests, log, clock } = setting;
  const recordings = new Recordings(setting);
  const lab = openLab(setting);
  const alerting = openAlerting(options, setting);
  const surface = accountSurface({
    account,
    clock,
    alerts: () => alertsOf(alerting.board),
    requests: () => requests.entries(),
    recordings,
    lab,
  });
  const statusCounts = new Map<number, number>();
  const count = ({ status }: WireAnswer): void => {
    statusCounts.set(status, (statusCounts.get(status) ?? 0) + 1);
    alerting.wake();
  };
  outbox.onAnswer = (response, answer) => {
    requests.note(response, answer);
    count(answer);
  };
  const adminSetting = {
    access: adminAccessOf(options),
    keys,
    pages,
    outbox,
    log,
    wallNow: () => clock.wallNow(),
    version: VERSION,
    moreFamilies: () => setting.nodes?.families() ?? [],
  };
  const admin = openAdmin({ ...adminSetting, surface, statusCounts: () => statusCounts });
  const backups = new Backups({
    ...adminSetting,
    data: setting.backupData,
    isOnDatabase: options.store !== undefined,
  });
  const desks = [
    backups,
    new KeyDesk(adminSetting),
    new SeedDesk({ ...adminSetting, surface: setting.seeding }),
    openNodeDoor({ ...adminSetting, surface: setting.nodes ?? NO_NODES }),
  ];
  return {
    door: doorOf(desks, admin),
    recordings,
    noteAnswer: (asked, answer, since) => {
      requests.noteAnswer(asked, answer, since);
      count(answer);
    },
    close: async () => {
      await backups.close();
      await lab.close();
      await alerting.close();
    },
  };
}

/** The first desk that a request is for, or else the rest of the admin API. */
function doorOf(desks: readonly NodeDoor[], admin: AdminDoor): AdminDoor {
  return (request, response) => {
    const one = desks.find((desk) => desk.isFor(request));
    if (one === undefined) admin(request, response);
    else one.serve(request, response);
  };
}

/** Runs of the lab work in folders that nobody else uses, and never among the data. */
function openLab({ account, clock, random }: OperatorSetting): LabDesk {
  return new LabDesk({
    start: startLabCommand,
    parent: tmpdir(),
    limits: account.limits,
    wallNow: () => clock.wallNow(),
    random: () => random.next(),
    linesOf: (database, name, countMax) => {
      const container = account.catalog.container(database, name);
      return container && itemLines(account.reporting.sample(container, countMax));
    },
  });
}

function openAlerting(
  options: OrreryOptions,
  { account, clock, timer, log, data, faults }: OperatorSetting,
): Alerting {
  // Checked with the other options, before anything was opened.
  const parsed = parseWebhookUrls(options.alertWebhook ?? [], options.allowWebhookHosts);
  const urls = parsed.ok ? parsed.value : [];
  const alerting = new Alerting({
    board: new AlertBoard({
      settings: alertSettingsOf(options),
      gapMaxMs: GAP_MAX_MS,
      historyCountMax: HISTORY_COUNT_MAX,
    }),
    interval: ROUND_INTERVAL,
    clock,
    timer,
    log,
    reports: async () => {
      // Rounds come every few seconds, and keys that matter to nobody need no name.
      const nameShareMin = 0.05;
      const containers = account.catalog.containers();
      const reports = await Promise.all(
        containers.map((container) => account.reporting.report(container, { nameShareMin })),
      );
      return reports.flatMap((report) => report ?? []);
    },
    server: async () => ({
      disk: data === undefined ? undefined : await diskReportOf(data),
      storage: faults?.report(),
    }),
    webhook: urls.length === 0 ? undefined : new Webhook({ urls, clock, timer, log }),
  });
  if (faults !== undefined) {
    faults.onChange = () => alerting.urge();
    // Opening the store may have found something before anybody could be told.
    if (!faults.isEmpty) alerting.urge();
  }
  return alerting;
}

function alertsOf(board: AlertBoard): AlertsReport {
  const rules = describeRules();
  return { alerts: board.alerts(), history: board.history(), rules, settings: board.settings() };
}
