/**
 * One run of a bulk writer: reads the source into queues, keeps requests under way, and sorts what
 * comes back into written, failed, and to be sent again.
 *
 * Whatever is refused for lack of budget makes its key rest as long as the service says, and halves
 * the number of requests under way; every request that is taken whole adds one again. If a key gets
 * nothing through, its rests double, up to a second.
 */
import { growingWait, type WaitRange } from "../../base/retry.ts";
import type { KeyComponent } from "../component.ts";
import { valueAt } from "../paths.ts";
import { clientKey } from "../strategy.ts";
import type { KeyQueue, Pending } from "./bulkQueues.ts";
import { BulkQueues, OPERATIONS_MAX } from "./bulkQueues.ts";
import type { BulkFailure, BulkProgress, BulkResult, BulkWriterOptions } from "./bulkReport.ts";
import type {
  ClientBulkAnswer,
  ClientBulkContainer,
  ClientBulkOperation,
  Item,
} from "./container.ts";
import { KeyLoadTally } from "./keyTally.ts";
import { countOf } from "./parallel.ts";
import { componentsOf, idIn, keyText, parsedPaths } from "./partitionKey.ts";
import type { ClientRefusal } from "./refusal.ts";
import { clientRefusalOf, isPassing } from "./refusal.ts";
import { isSameItem } from "./sameItem.ts";

const BUFFER_BYTES = 64 * 1024 * 1024;
const REST_MS: WaitRange = { min: 10, max: 1000 };

export class BulkRun<T extends object> {
  readonly #container: ClientBulkContainer;
  readonly #options: BulkWriterOptions<T>;
  readonly #paths: readonly (readonly string[])[];
  readonly #operation: "create" | "upsert";
  readonly #concurrency: number;
  readonly #bufferCount: number;
  readonly #patience: number;
  readonly #failureLimit: number;
  readonly #topCount: number;
  readonly #queues = new BulkQueues();
  readonly #tally = new KeyLoadTally();
  readonly #failures: BulkFailure<T>[] = [];
  readonly #startedAt: number | undefined;
  #degree: number;
  #requests = 0;
  #readCount = 0;
  #writtenCount = 0;
  #failureCount = 0;
  #retryCount = 0;
  #requestCount = 0;
  #ru = 0;
  /** Requests in a row that nobody answered. */
  #silentCount = 0;
  #isStopped = false;
  /** What a callback of the user threw; the run ends with it. */
  #thrown: { readonly cause: unknown } | undefined;
  #changed: (() => void) | undefined;

  constructor(container: ClientBulkContainer, options: BulkWriterOptions<T>) {
    this.#container = container;
    this.#options = options;
    this.#paths = typeof options.key === "function" ? [] : parsedPaths(options.key.paths);
    this.#operation = options.operation ?? "create";
    this.#concurrency = countOf("concurrency", options.concurrency, 8);
    this.#bufferCount = countOf("bufferCount", options.bufferCount, 5000);
    this.#patience = countOf("patience", options.patience, 30);
    this.#failureLimit = countOf("failureLimit", options.failureLimit, 1000);
    this.#topCount = countOf("topCount", options.topCount, 10);
    this.#degree = this.#concurrency;
    this.#startedAt = options.world.now?.();
  }

  /** Resolves when everything is written or given up; with the cause if the source failed. */
  async readAll(
    items: Iterable<T> | AsyncIterable<T>,
  ): Promise<{ readonly cause: unknown } | undefined> {
    let failed: { readonly cause: unknown } | undefined;
    try {
      for await (const item of items) {
        this.#readCount++;
        this.#accept(item);
        if (this.#isOver()) break;
        this.#pump(false);
        while (this.#isFull() && !this.#isOver()) await this.#change();
      }
    } catch (cause) {
      failed = { cause };
    }
    for (;;) {
      if (this.#isOver()) this.#queues.clear();
      this.#pump(true);
      if (this.#requests === 0 && (this.#queues.count === 0 || this.#isOver())) break;
      await this.#change();
    }
    if (this.#thrown !== undefined) throw this.#thrown.cause;
    return failed;
  }

  result(): BulkResult<T> {
    const { now } = this.#options.world;
    const isTimed = this.#startedAt !== undefined && now !== undefined;
    return {
      count: this.#writtenCount,
      ru: this.#ru,
      failures: this.#failures,
      failureCount: this.#failureCount,
      retries: this.#retryCount,
      requestCount: this.#requestCount,
      elapsed: isTimed ? now.call(this.#options.world) - this.#startedAt : undefined,
      byKey: { top: this.#tally.top(this.#topCount), isExact: this.#tally.isExact },
      isStopped: this.#isStopped,
    };
  }

  #isOver(): boolean {
    if (this.#options.signal?.aborted === true) this.#isStopped = true;
    return this.#isStopped || this.#thrown !== undefined;
  }

  #isFull(): boolean {
    return this.#queues.count >= this.#bufferCount || this.#queues.bytes >= BUFFER_BYTES;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#changed = resolve;
    });
  }

  #wakeReader(): void {
    const wake = this.#changed;
    this.#changed = undefined;
    wake?.();
  }

  /** Into its queue, or among the failures if it cannot be sent at all. */
  #accept(item: T): void {
    let key: BulkFailure["key"];
    try {
      const id = idIn(item);
      if (typeof id !== "string" || id === "") {
        throw new TypeError("the item has no id; a repeated attempt would write it twice");
      }
      const keyed = this.#keyed(item);
      key = keyed.key;
      const text = JSON.stringify(keyed.body);
      const queue = this.#queues.queueOf(keyText(key), key);
      const body = keyed.body as ClientBulkOperation["resourceBody"];
      const bytes = text.length;
      this.#queues.add({ item, id, body, bytes, queue, isUnknown: false, isAlone: false });
    } catch (error) {
      const { message } = clientRefusalOf(error);
      const id = typeof item === "object" && item !== null ? idIn(item) : undefined;
      this.#fail({
        item,
        id: typeof id === "string" ? id : undefined,
        key,
        status: undefined,
        substatus: undefined,
        message,
      });
    }
  }

  #keyed(item: T): { readonly body: Item; readonly key: NonNullable<BulkFailure["key"]> } {
    const { key } = this.#options;
    if (typeof key === "function") return { body: item, key: componentsOf(key(item)) };
    // Drawn once: a strategy by chance gives another key each time.
    const body = key.withKey(item);
    return { body, key: this.#paths.map((steps) => componentAt(body, steps)) };
  }

  /** Sends what may be sent. Less than a whole request if it is due, or nothing is under way. */
  #pump(isDue: boolean): void {
    while (this.#requests < this.#degree && !this.#isOver()) {
      const isWorth = isDue || this.#requests === 0 || this.#queues.waitingCount >= OPERATIONS_MAX;
      const batch = isWorth ? this.#queues.take() : [];
      if (batch.length === 0) return;
      this.#requests++;
      this.#send(batch)
        .catch((cause: unknown) => {
          this.#thrown ??= { cause };
        })
        .finally(() => {
          this.#requests--;
          this.#pump(true);
          this.#wakeReader();
        });
    }
  }

  async #send(batch: readonly Pending[]): Promise<void> {
    const operationType = this.#operation === "create" ? "Create" : "Upsert";
    const operations = batch.map(
      ({ body, queue }): ClientBulkOperation => ({
        operationType,
        partitionKey: clientKey(queue.key),
        resourceBody: body,
      }),
    );
    this.#requestCount++;
    const sent = await this.#container.items.bulk(operations, { continueOnError: true }).then(
      (answers) => ({ answers }),
      (error: unknown) => ({ error }),
    );
    if ("answers" in sent) {
      this.#silentCount = 0;
      await this.#settle(batch, (index) => outcomeOf(sent.answers[index]));
    } else {
      await this.#settleAll(batch, clientRefusalOf(sent.error));
    }
    this.#options.onProgress?.(this.#progress());
  }

  /** The request failed as a whole, and with it perhaps items that are good by themselves. */
  async #settleAll(batch: readonly Pending[], refusal: ClientRefusal): Promise<void> {
    if (refusal.isUnknown) this.#silentCount++;
    if (isPassing(refusal) || batch.length === 1) {
      await this.#settle(batch, () => ({ refusal, charge: refusal.charge / batch.length }));
      return;
    }
    for (const pending of batch) pending.isAlone = true;
    this.#retryCount += batch.length;
    this.#queues.putBack(batch);
  }

  async #settle(batch: readonly Pending[], outcomeAt: (index: number) => Outcome): Promise<void> {
    const again: Pending[] = [];
    const refused = new Map<KeyQueue, ClientRefusal>();
    const written = new Map<KeyQueue, number>();
    for (const [index, pending] of batch.entries()) {
      const { refusal, charge } = outcomeAt(index);
      if (refusal?.status !== 429) this.#ru += charge;
      if (refusal === undefined) {
        this.#written(pending, charge);
        written.set(pending.queue, (written.get(pending.queue) ?? 0) + 1);
      } else if (isPassing(refusal) && this.#hasPatience(pending.queue)) {
        pending.isUnknown ||= refusal.isUnknown;
        again.push(pending);
        refused.set(pending.queue, longer(refused.get(pending.queue), refusal));
      } else if (await this.#isThereAlready(pending, refusal)) {
        this.#written(pending, 0);
      } else {
        this.#refuse(pending, refusal);
      }
    }
    this.#retryCount += again.length;
    for (const [queue, count] of written) {
      queue.stuckCount = 0;
      queue.window = refused.has(queue) ? count : queue.window * 2;
    }
    for (const [queue, refusal] of refused) this.#rest(queue, refusal, written.has(queue));
    this.#queues.putBack(again);
    const isThrottled = refused.size > 0;
    this.#degree = isThrottled
      ? Math.max(1, Math.floor(this.#degree / 2))
      : Math.min(this.#concurrency, this.#degree + 1);
  }

  #hasPatience(queue: KeyQueue): boolean {
    return queue.stuckCount < this.#patience && this.#silentCount <= this.#patience;
  }

  #rest(queue: KeyQueue, refusal: ClientRefusal, hasWritten: boolean): void {
    if (!hasWritten) {
      queue.stuckCount++;
      queue.window = Math.max(1, Math.floor(Math.min(queue.window, OPERATIONS_MAX) / 2));
    }
    const growing = queue.stuckCount === 0 ? 0 : growingWait(queue.stuckCount, REST_MS);
    const least = Math.max(refusal.retryAfterMs ?? REST_MS.min, growing);
    const { world } = this.#options;
    // Those who were refused together need not come back together.
    const ms = Math.ceil(least * (1 + (world.random?.() ?? 0) / 4));
    this.#queues.rest(queue);
    world
      .wait(ms)
      .catch((cause: unknown) => {
        this.#thrown ??= { cause };
      })
      .finally(() => {
        this.#queues.wake(queue);
        this.#pump(true);
        this.#wakeReader();
      });
  }

  /** A create that was done although its answer was lost comes back as a conflict. */
  async #isThereAlready(pending: Pending, refusal: ClientRefusal): Promise<boolean> {
    if (refusal.status !== 409 || !pending.isUnknown) return false;
    try {
      const { id, queue } = pending;
      const answer = await this.#container.item(id, clientKey(queue.key)).read();
      this.#ru += answer.requestCharge;
      return isSameItem(answer.resource, pending.body);
    } catch {
      return false; // The conflict is what is reported.
    }
  }

  #written(pending: Pending, charge: number): void {
    const { queue } = pending;
    this.#writtenCount++;
    this.#tally.add(queue.name, queue.key, charge);
    this.#queues.close(pending);
  }

  #refuse(pending: Pending, { status, substatus, message }: ClientRefusal): void {
    this.#queues.close(pending);
    const { item, id, queue } = pending;
    this.#fail({ item: item as T, id, key: queue.key, status, substatus, message });
  }

  #fail(failure: BulkFailure<T>): void {
    this.#failureCount++;
    if (this.#failures.length < this.#failureLimit) this.#failures.push(failure);
    if (this.#options.stopOnError === true) this.#isStopped = true;
    this.#options.onFailure?.(failure);
  }

  #progress(): BulkProgress {
    return {
      readCount: this.#readCount,
      writtenCount: this.#writtenCount,
      failureCount: this.#failureCount,
      retryCount: this.#retryCount,
      waitingCount: this.#queues.count,
      ru: this.#ru,
    };
  }
}

interface Outcome {
  readonly refusal: ClientRefusal | undefined;
  readonly charge: number;
}

/** An operation without an answer is one of which nobody knows what became of it. */
function outcomeOf(answer: ClientBulkAnswer | undefined): Outcome {
  if (answer === undefined) {
    const refusal = clientRefusalOf({ code: "NO_ANSWER", message: "there was no answer for it" });
    return { refusal, charge: 0 };
  }
  const isDone = answer.statusCode >= 200 && answer.statusCode < 300;
  const refusal = isDone ? undefined : clientRefusalOf(answer);
  return { refusal, charge: answer.requestCharge };
}

function longer(a: ClientRefusal | undefined, b: ClientRefusal): ClientRefusal {
  return (a?.retryAfterMs ?? 0) >= (b.retryAfterMs ?? 0) && a !== undefined ? a : b;
}

function componentAt(item: Item, steps: readonly string[]): KeyComponent {
  const value = valueAt(item, steps);
  const isObject = typeof value === "object" && value !== null;
  return isObject ? undefined : (value as KeyComponent);
}
