/**
 * The round of alerts: asks for reports every few seconds, tells the board, and delivers the events
 * that follow to the log, to listeners and to webhooks.
 *
 * It runs only while there is something to see. When no container had a request in the window, no
 * job is under way and no alert is about to be raised or cleared, waiting alone would change
 * nothing: the round stops, until `wake` says that something happened. An idle server stays idle.
 *
 * Nothing that goes wrong here reaches the server; it is logged, at most once a minute.
 */

import { statfs } from "node:fs/promises";
import type { AlertBoard, AlertEvent } from "../alerts/alertBoard.ts";
import type { DiskReport, ServerEvidence } from "../alerts/rules/alertRule.ts";
import type { MaybePromise } from "../base/result.ts";
import { type Millis, millis } from "../base/units.ts";
import type { Clock, Timer } from "../base/world.ts";
import type { ContainerReport } from "../statistics/report.ts";
import type { Log } from "./surroundings/log.ts";
import type { Webhook } from "./webhook.ts";

interface AlertingOptions {
  readonly board: AlertBoard;
  /** The time between the end of one round and the beginning of the next. */
  readonly interval: Millis;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  /** The reports of all containers there are: a container that is missing was deleted. */
  readonly reports: () => MaybePromise<readonly ContainerReport[]>;
  readonly server: () => MaybePromise<ServerEvidence>;
  readonly webhook?: Webhook | undefined;
}

type AlertListener = (event: AlertEvent) => void;

const COMPLAINT_EVERY: Millis = millis(60_000);

const LOG_EVENTS: Readonly<Record<AlertEvent["event"], string>> = {
  raised: "alertRaised",
  changed: "alertChanged",
  cleared: "alertCleared",
};

export class Alerting {
  readonly #options: AlertingOptions;
  readonly #listeners = new Set<AlertListener>();
  #cancel: (() => void) | undefined;
  #round: Promise<void> | undefined;
  #isClosed = false;
  /** Whether something happened since the last round began. */
  #isWoken = true;
  /** Whether the next round is not to wait. */
  #isUrged = false;
  #complainedAt: Millis | undefined;

  constructor(options: AlertingOptions) {
    this.#options = options;
    this.#schedule();
  }

  get board(): AlertBoard {
    return this.#options.board;
  }

  /** Something happened that reports may show. Cheap enough to be called for every request. */
  wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    this.#schedule();
  }

  /** Something happened that nobody should wait for: looks at once. */
  urge(): void {
    this.#isWoken = true;
    // A round under way may have asked already: another one follows it.
    this.#isUrged = this.#round !== undefined;
    if (this.#isClosed || this.#isUrged) return;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#round = this.#look();
  }

  /** Calls `listener` with every event from now on, until the returned function is called. */
  listen(listener: AlertListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    this.#cancel = undefined;
    await this.#round;
    await this.#options.webhook?.close();
    this.#listeners.clear();
  }

  #schedule(): void {
    const isUnderWay = this.#cancel !== undefined || this.#round !== undefined;
    if (this.#isClosed || isUnderWay) return;
    this.#cancel = this.#options.timer.after(this.#options.interval, () => {
      this.#cancel = undefined;
      this.#round = this.#look();
    });
  }

  async #look(): Promise<void> {
    // What happened in the second that is still running is in no report yet, so whoever was woken
    // looks twice.
    const wasWoken = this.#isWoken;
    this.#isWoken = false;
    let isIdle = false;
    try {
      isIdle = await this.#observe();
    } catch (error) {
      this.#complain("alertingFailed", error);
    }
    this.#round = undefined;
    if (this.#isUrged) this.urge();
    else if (!isIdle || wasWoken || this.#isWoken) this.#schedule();
  }

  /** Whether waiting alone would change nothing. */
  async #observe(): Promise<boolean> {
    const { board, clock } = this.#options;
    const reports = await this.#options.reports();
    const server = await this.#options.server();
    if (this.#isClosed) return true;
    const now = clock.wallNow();
    for (const report of reports) this.#deliver(board.observe(report, now));
    this.#deliver(board.observeServer(server, now));
    this.#deliver(board.keepOnly(new Set(reports.map(({ rid }) => rid)), now));
    return reports.every(isQuiet) && board.isSettled();
  }

  #deliver(events: readonly AlertEvent[]): void {
    for (const event of events) {
      const { alert } = event;
      const { rule, severity, says, scope } = alert;
      const where = scope.kind === "server" ? {} : { container: nameOf(scope) };
      this.#options.log(LOG_EVENTS[event.event], { rule, severity, ...where, says });
      this.#options.webhook?.send(event);
      for (const listener of this.#listeners) {
        try {
          listener(event);
        } catch (error) {
          this.#complain("alertListenerFailed", error);
        }
      }
    }
  }

  #complain(event: string, error: unknown): void {
    const now = this.#options.clock.now();
    const isEarly = this.#complainedAt !== undefined && now - this.#complainedAt < COMPLAINT_EVERY;
    if (isEarly) return;
    this.#complainedAt = now;
    this.#options.log(event, { reason: String(error) });
  }
}

/** The file system of the data directory; `undefined` when it cannot be asked. */
export async function diskReportOf(directory: string): Promise<DiskReport | undefined> {
  try {
    const { bsize, bavail, blocks } = await statfs(directory);
    return { freeBytes: bsize * bavail, totalBytes: bsize * blocks };
  } catch {
    return undefined;
  }
}

function isQuiet({ figures, partitions, jobs }: ContainerReport): boolean {
  const isUnused = partitions.every(({ lastMinute }) => lastMinute.requestCount === 0);
  return jobs.length === 0 && figures.requestCount === 0 && isUnused;
}

function nameOf({ database, container }: { database: string; container: string }): string {
  return `${database}/${container}`;
}
