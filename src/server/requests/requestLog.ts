/**
 * What was asked of the server and what became of it: the last thousand requests for whoever looks
 * at the page or the admin API, and a line for each on the log, where the owner wants that.
 *
 * Noted are requests of the imitated service. What the page, the admin API and health checks ask
 * would only hide them.
 *
 * Always: what is kept is bounded in number and in bytes. A line is one line, whatever is in it; no
 * key, no item and no text of a query is.
 */
import type { ServerResponse } from "node:http";
import type { Clock } from "../../base/world.ts";
import type { RequestEntry } from "../../protocol/admin.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import type { WireAnswer } from "../../protocol/wire/wire.ts";
import type { RequestLogFormat, RequestLogLevel } from "../surroundings/orreryOptions.ts";
import { reasonIn } from "./reason.ts";

interface RequestLogSetting {
  readonly level: RequestLogLevel;
  readonly format: RequestLogFormat;
  readonly clock: Clock;
  write(line: string): void;
}

/** What was asked, and where. */
interface AskedThere {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

export const REQUESTS_KEPT = 1000;
const PATH_LENGTH_MAX = 2048;

export class RequestLog {
  readonly #setting: RequestLogSetting;
  readonly #begun = new WeakMap<ServerResponse, number>();
  /** A ring: the place of the next one is `#count` modulo its length. */
  readonly #kept: RequestEntry[] = [];
  #count = 0;

  constructor(setting: RequestLogSetting) {
    this.#setting = setting;
  }

  /** A request is served from now on; without this its answer is not noted. */
  begin(response: ServerResponse): void {
    this.#begun.set(response, this.#setting.clock.now());
  }

  /** Its answer has been written. */
  note(response: ServerResponse, answer: WireAnswer): void {
    const since = this.#begun.get(response);
    if (since !== undefined) this.noteAnswer(response.req, answer, since);
  }

  /** An answer to a request that came by any road and was begun at that time. */
  noteAnswer(asked: AskedThere, answer: WireAnswer, since: number): void {
    const { clock, level } = this.#setting;
    const entry = entryOf(asked, answer, { at: clock.wallNow(), ms: clock.now() - since });
    this.#kept[this.#count++ % REQUESTS_KEPT] = entry;
    if (level === "requests" || (level === "errors" && answer.status >= 400)) this.#write(entry);
  }

  /** The last ones, newest first. */
  entries(): readonly RequestEntry[] {
    const next = this.#count % REQUESTS_KEPT;
    return [...this.#kept.slice(next), ...this.#kept.slice(0, next)].reverse();
  }

  #write(entry: RequestEntry): void {
    const line = this.#setting.format === "json" ? jsonLine(entry) : textLine(entry);
    this.#setting.write(`${line}\n`);
  }
}

function entryOf(
  { method = "", url = "" }: AskedThere,
  { status, headers, body }: WireAnswer,
  { at, ms }: { readonly at: number; readonly ms: number },
): RequestEntry {
  let activityId = "";
  let charge: number | undefined;
  let substatus: number | undefined;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index];
    if (name === HEADER.activityId) activityId = headers[index + 1]!;
    else if (name === HEADER.requestCharge) charge = Number(headers[index + 1]);
    else if (name === HEADER.substatus) substatus = Number(headers[index + 1]);
  }
  return {
    at,
    method,
    path: url.slice(0, PATH_LENGTH_MAX),
    status,
    substatus: substatus === 0 ? undefined : substatus,
    charge,
    ms,
    activityId,
    reason: status >= 400 ? reasonIn(body) : undefined,
  };
}

function textLine(entry: RequestEntry): string {
  const { at, method, path, status, substatus, charge, ms, activityId, reason } = entry;
  const code = substatus === undefined ? String(status) : `${status}/${substatus}`;
  const price = charge === undefined ? "" : ` ${charge} RU`;
  const time = new Date(at).toISOString();
  const why = reason === undefined ? "" : ` ${reason}`;
  return `${time} ${method} ${path} ${code}${price} ${ms.toFixed(1)} ms ${activityId}${why}`;
}

function jsonLine({ at, ms, ...entry }: RequestEntry): string {
  const time = new Date(at).toISOString();
  return JSON.stringify({ at: time, event: "request", ...entry, ms: Number(ms.toFixed(3)) });
}
