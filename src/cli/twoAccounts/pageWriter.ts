/**
 * Puts copies into the target until each is there or is refused for good.
 *
 * An item is created. One that is there already is looked at: it may be the same, or an older copy
 * of the same source item, which is replaced; any other is a clash and is left alone. An older copy
 * is known by the key of its source and by being written since the copy began. So nothing that
 * somebody else has put there is ever overwritten, and a page may be written any number of times.
 */
import type { PartitionKey as ClientPartitionKey, Container, ItemDefinition } from "@azure/cosmos";
import { growingWait, pause, toldWait } from "../../base/retry.ts";
import { canonicalText } from "../../json/canonical.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { property } from "../../json/value.ts";
import { clientKey } from "../../keys/strategy.ts";
import type { SetAsideItem } from "../../model/copyJob.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { type CopyAccount, causeOf } from "./account.ts";
import type { AccountMapping, CopyDraft } from "./mapping.ts";
import type { RuPace } from "./pace.ts";
import type { AccountTally } from "./tally.ts";

/** The client takes no more at once. */
const BULK_COUNT = 100;
const BULK_COUNT_MIN = 4;
const WAIT_MS = { min: 100, max: 5000 };
/** In a row without one item that went in: then nobody is there any more. */
const FAILURES_MAX = 20;
const CONFLICT = 409;
const SERVICE_UNAVAILABLE = 503;
/** How a client begins its words where it has no status to give. */
const BULK_REFUSED = "Bulk request errored with:";

interface Refused {
  readonly draft: CopyDraft;
  readonly code: SetAsideItem["code"];
  readonly reason: string;
}

interface BulkAnswer {
  readonly statusCode: number;
  readonly subStatusCode?: number;
  readonly requestCharge?: number;
  readonly retryAfterMilliseconds?: number;
  readonly message?: string;
}

interface Attempt {
  /** To be sent again. */
  readonly later: readonly CopyDraft[];
  readonly waitMs: number;
  /** Why some could not be answered, beyond being throttled. */
  readonly failure?: unknown;
}

interface WriterSetting {
  readonly account: CopyAccount;
  readonly container: Container;
  readonly mapping: AccountMapping;
  readonly pace: RuPace;
  readonly tally: AccountTally;
  /** By the clock of the target, in seconds since 1970: what is older is not ours. */
  readonly ownSince: number;
}

export class PageWriter {
  readonly #setting: WriterSetting;

  constructor(setting: WriterSetting) {
    this.#setting = setting;
  }

  /** Those that cannot go in, with why. */
  async write(drafts: readonly CopyDraft[]): Promise<readonly Refused[]> {
    const starts = Array.from({ length: Math.ceil(drafts.length / BULK_COUNT) }, (_, at) => at);
    const refused = await Promise.all(
      starts.map((at) => this.#writeChunk(drafts.slice(at * BULK_COUNT, (at + 1) * BULK_COUNT))),
    );
    return refused.flat();
  }

  /** What is throttled comes again, and no more at once than was taken before. */
  async #writeChunk(drafts: readonly CopyDraft[]): Promise<readonly Refused[]> {
    const refused: Refused[] = [];
    let waiting = drafts;
    let count = BULK_COUNT;
    let failures = 0;
    while (waiting.length > 0) {
      const sent = waiting.slice(0, count);
      const { later, waitMs, failure } = await this.#attempt(sent, refused);
      waiting = [...later, ...waiting.slice(count)];
      if (later.length === 0) {
        count = Math.min(BULK_COUNT, count * 2);
        failures = 0;
        continue;
      }
      const takenCount = sent.length - later.length;
      count = Math.max(BULK_COUNT_MIN, takenCount);
      failures = takenCount > 0 ? 0 : failures + 1;
      if (failure !== undefined && failures > FAILURES_MAX) {
        throw this.#setting.account.failureOf(failure);
      }
      await pause(realTimer, Math.max(waitMs, growingWait(failures, WAIT_MS)));
    }
    return refused;
  }

  async #attempt(drafts: readonly CopyDraft[], refused: Refused[]): Promise<Attempt> {
    let answers: readonly BulkAnswer[];
    try {
      answers = await this.#bulk(drafts);
    } catch (thrown) {
      const error = await this.#named(thrown);
      if ((causeOf(error) as { readonly code?: unknown }).code === 404) throw goneTarget();
      if (!isPassing(error)) throw this.#setting.account.failureOf(error);
      return { later: drafts, waitMs: 0, failure: error };
    }
    const { tally } = this.#setting;
    const later: CopyDraft[] = [];
    const taken: { readonly draft: CopyDraft; readonly message: string }[] = [];
    let waitMs = 0;
    let failure: unknown;
    for (const [at, draft] of drafts.entries()) {
      const { statusCode: status, ...answer } = answers[at]!;
      if (status < 300) tally.wrote("created", draft.body);
      else if (status === 429) {
        tally.throttledCount++;
        waitMs = Math.max(waitMs, toldWait(answer.retryAfterMilliseconds, WAIT_MS.min));
        later.push(draft);
      } else if (isPassingStatus(status)) {
        failure = new Error(`the target answered ${status}`);
        later.push(draft);
      } else if (status === CONFLICT) taken.push({ draft, message: answer.message ?? "" });
      // Of an item that is created, nothing but its container can be missing.
      else if (status === 404) throw goneTarget();
      else refused.push(refusalOf(draft, status, answer));
    }
    const settled = await Promise.all(
      taken.map(({ draft, message }) => this.#settle(draft, message)),
    );
    for (const [at, outcome] of settled.entries()) {
      if (outcome === "again") later.push(taken[at]!.draft);
      else if (outcome !== "done") refused.push(outcome);
    }
    return { later, waitMs, failure };
  }

  /**
   * Client 4.9 drops the status of a bulk request that was refused as a whole. What is wrong with
   * the container is asked then, and if nothing is, the request may be sent again.
   */
  async #named(error: unknown): Promise<unknown> {
    const { code, message } = causeOf(error) as { code?: unknown; message?: unknown };
    if (code !== undefined || !String(message).startsWith(BULK_REFUSED)) return error;
    try {
      await this.#setting.container.read();
      return Object.assign(new Error(String(message)), { code: SERVICE_UNAVAILABLE });
    } catch (named) {
      return named;
    }
  }

  async #bulk(drafts: readonly CopyDraft[]): Promise<readonly BulkAnswer[]> {
    const { container, tally, pace } = this.#setting;
    const operations = drafts.map(({ key, body }) => ({
      operationType: "Create",
      partitionKey: clientKey(key),
      resourceBody: body,
    }));
    const options = { continueOnError: true };
    const answers = await container.items.bulk(operations as never, options);
    const ru = answers.reduce((sum, { requestCharge }) => sum + (requestCharge ?? 0), 0);
    tally.writeRu += ru;
    await pace.spent(ru);
    return answers;
  }

  /** What is there in its place is the same, an older copy, or another item's. */
  async #settle(draft: CopyDraft, message: string): Promise<"done" | "again" | Refused> {
    const { account, container, mapping, tally, ownSince } = this.#setting;
    const item = container.item(draft.id, clientPartitionKey(draft.key));
    try {
      const { resource, statusCode, requestCharge } = await item.read<ItemDefinition>();
      tally.writeRu += requestCharge;
      if (statusCode === 404 || resource === undefined) {
        // Not its id: a value that has to be unique within its key.
        if (message === "" || /unique/i.test(message)) {
          return { draft, code: "uniqueKey", reason: "a unique key of the target has its value" };
        }
        return "again";
      }
      const there = resource as unknown as JsonObject;
      if (sameText(mapping, there) === sameText(mapping, draft.body)) {
        tally.wrote("present", draft.body);
        return "done";
      }
      if (!isOlderCopy(mapping, there, draft, ownSince)) {
        return { draft, code: "clash", reason: clashReason(mapping, there, draft) };
      }
      const condition = { type: "IfMatch", condition: String(property(there, "_etag")) };
      const put = await item.replace(draft.body as never, { accessCondition: condition });
      tally.writeRu += put.requestCharge;
      tally.wrote("replaced", draft.body);
      return "done";
    } catch (error) {
      const { code } = causeOf(error) as { readonly code?: unknown };
      if (code === 412 || code === 404 || isPassing(error)) return "again";
      if (code === 403 || code === 413 || code === 400 || code === CONFLICT) {
        return refusalOf(draft, code, { message: (causeOf(error) as Error).message });
      }
      throw account.failureOf(error);
    }
  }
}

function goneTarget(): CommandFailure {
  return new CommandFailure("The target is gone: it was deleted during the copy.");
}

function sameText(mapping: AccountMapping, body: JsonObject): string {
  return canonicalText(mapping.comparable(body));
}

function isOlderCopy(
  mapping: AccountMapping,
  there: JsonObject,
  { sourceKey }: CopyDraft,
  ownSince: number,
): boolean {
  const writtenAt = Number(property(there, "_ts") ?? 0);
  return writtenAt >= ownSince && sameKey(mapping.sourceKeyOf(there), sourceKey);
}

function clashReason(mapping: AccountMapping, there: JsonObject, draft: CopyDraft): string {
  const key = JSON.stringify(clientKey(draft.key));
  return sameKey(mapping.sourceKeyOf(there), draft.sourceKey)
    ? `the target has another item with key ${key} and this id since before the copy`
    : `another item has the new key ${key} and this id`;
}

export function sameKey(a: PartitionKey, b: PartitionKey): boolean {
  return JSON.stringify(clientKey(a)) === JSON.stringify(clientKey(b));
}

export function clientPartitionKey(key: PartitionKey): ClientPartitionKey {
  return clientKey(key) as unknown as ClientPartitionKey;
}

function refusalOf(
  draft: CopyDraft,
  status: number,
  { subStatusCode, message = "" }: Partial<BulkAnswer>,
): Refused {
  const isFull =
    status === 403 && (subStatusCode === 1014 || /logical partition|1014/i.test(message));
  const code = isFull ? "keyFull" : status === 413 ? "tooLarge" : "refused";
  const said = plain(message);
  return { draft, code, reason: `the target answered ${status}${said === "" ? "" : `: ${said}`}` };
}

function plain(message: JsonValue): string {
  return String(message)
    .replace(/\s*\r?\nActivityId: [\s\S]*$/, "")
    .trim()
    .replace(/\.$/, "");
}

/** The server is busy or away, and may be asked again. */
export function isPassing(error: unknown): boolean {
  const { code, name } = causeOf(error) as { readonly code?: unknown; readonly name?: unknown };
  if (typeof code === "number") return isPassingStatus(code) || code === 429;
  const isNetwork = typeof code === "string" && /^(E[A-Z]+|UND_ERR)/.test(code);
  return isNetwork || name === "TimeoutError" || name === "AbortError";
}

function isPassingStatus(status: number): boolean {
  return [408, 410, 424, 449].includes(status) || status >= 500;
}
