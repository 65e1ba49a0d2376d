/**
 * Messages as JSON to URLs that the owner of the server named.
 *
 * Nobody waits for a receiver: `send` puts the message into a lane of its URL and returns. A lane
 * delivers in order, one at a time. It tries again a few times if the receiver cannot be reached or
 * says that it is overloaded, and then gives up on that message; when too many wait it drops the
 * oldest. Whatever goes wrong is logged, at most once a minute for each lane, and nothing is
 * thrown.
 *
 * Where messages may go is decided once, when the URLs are parsed. An answer cannot send them
 * elsewhere: redirects are not followed.
 */

import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { retried } from "../base/retry.ts";
import { type Millis, millis } from "../base/units.ts";
import type { Clock, Timer } from "../base/world.ts";
import type { Log } from "./surroundings/log.ts";

interface WebhookOptions {
  readonly urls: readonly URL[];
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
}

/** The time for one attempt, from connecting to the status of the answer. */
const ATTEMPT_MAX: Millis = millis(5000);
/** The waits before the second attempt, the third and the fourth. */
const BACKOFFS: readonly Millis[] = [millis(1000), millis(4000), millis(16_000)];
const WAITING_COUNT_MAX = 100;
const COMPLAINT_EVERY: Millis = millis(60_000);
/** How long closing waits for an attempt that is under way. */
const CLOSE_PATIENCE: Millis = millis(1000);

export class Webhook {
  readonly #lanes: readonly Lane[];

  constructor(options: WebhookOptions) {
    this.#lanes = options.urls.map((url) => new Lane(url, options));
  }

  /** `message` must be fit for JSON. */
  send(message: unknown): void {
    const body = Buffer.from(JSON.stringify(message));
    for (const lane of this.#lanes) lane.add(body);
  }

  /** An attempt that is under way may end; what waits is dropped. */
  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }
}

type Delivery = "delivered" | "abandoned" | { readonly problem: string; readonly isFinal: boolean };

class Lane {
  readonly #url: URL;
  readonly #options: WebhookOptions;
  readonly #waiting: Buffer[] = [];
  #working: Promise<void> | undefined;
  #isClosing = false;
  /** Ends the attempt or the wait that is under way. */
  #interrupt: (() => void) | undefined;
  #abandon: (() => void) | undefined;
  #complainedAt: Millis | undefined;
  #lostCount = 0;

  constructor(url: URL, options: WebhookOptions) {
    this.#url = url;
    this.#options = options;
  }

  add(body: Buffer): void {
    if (this.#isClosing) return;
    if (this.#waiting.length >= WAITING_COUNT_MAX) {
      this.#waiting.shift();
      this.#lose("too many messages wait for it");
    }
    this.#waiting.push(body);
    this.#working ??= this.#work();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#waiting.length = 0;
    this.#interrupt?.();
    const cancel = this.#options.timer.after(CLOSE_PATIENCE, () => this.#abandon?.());
    await this.#working;
    cancel();
  }

  async #work(): Promise<void> {
    // Begins in a turn of its own, so that whoever sends is done first.
    await this.#options.timer.soon();
    for (let body = this.#waiting.shift(); body !== undefined; body = this.#waiting.shift()) {
      await this.#deliver(body);
    }
    this.#working = undefined;
  }

  async #deliver(body: Buffer): Promise<void> {
    const outcome = await retried(
      async (): Promise<Delivery> => (this.#isClosing ? "abandoned" : await this.#attempt(body)),
      {
        tryCountMax: BACKOFFS.length + 1,
        waitAfter: (delivery, tryCount) => {
          if (typeof delivery === "string" || delivery.isFinal) return undefined;
          return this.#isClosing ? undefined : BACKOFFS[tryCount - 1];
        },
        wait: (ms) => this.#pause(ms),
      },
    );
    if (typeof outcome !== "string") this.#lose(outcome.problem);
  }

  #attempt(body: Buffer): Promise<Delivery> {
    return new Promise((resolve) => {
      const send = this.#url.protocol === "https:" ? httpsRequest : httpRequest;
      const request = send(this.#url, {
        method: "POST",
        // A connection of its own: messages are rare, and nothing has to be closed later.
        agent: false,
        headers: {
          "content-type": "application/json",
          "content-length": body.length,
          "user-agent": "orrery",
        },
      });
      const give = (up: string): void => void request.destroy(new Error(up));
      this.#abandon = () => give("the server closes");
      const cancel = this.#options.timer.after(ATTEMPT_MAX, () => give("no answer in time"));
      let isSettled = false;
      const settle = (attempt: Delivery): void => {
        // After the status there may still be an error: of the connection that was just closed.
        if (isSettled) return;
        isSettled = true;
        cancel();
        this.#abandon = undefined;
        resolve(attempt);
      };
      request.on("error", (error) => settle({ problem: error.message, isFinal: false }));
      request.on("response", (response) => {
        settle(attemptOf(response.statusCode ?? 0));
        // The status is the answer; a body without end must not keep the connection.
        response.destroy();
      });
      request.end(body);
    });
  }

  #pause(delay: Millis): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#interrupt = undefined;
        cancel();
        resolve();
      };
      const cancel = this.#options.timer.after(delay, done);
      this.#interrupt = done;
    });
  }

  #lose(problem: string): void {
    this.#lostCount += 1;
    const now = this.#options.clock.now();
    const isEarly = this.#complainedAt !== undefined && now - this.#complainedAt < COMPLAINT_EVERY;
    if (isEarly) return;
    this.#complainedAt = now;
    this.#options.log("webhookFailed", {
      host: this.#url.host,
      problem,
      lostCount: this.#lostCount,
    });
    this.#lostCount = 0;
  }
}

/** Overloaded or broken receivers get another chance; those that say no do not. */
function attemptOf(status: number): Delivery {
  if (status >= 200 && status < 300) return "delivered";
  const isTemporary = status >= 500 || status === 408 || status === 429;
  return { problem: `answered ${status}`, isFinal: !isTemporary };
}
