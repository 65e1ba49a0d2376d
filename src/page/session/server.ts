/**
 * Requests of the page to the server it came from: to the admin API, which is free, and to the data
 * plane, whose charges are added to the tally.
 *
 * Always: a request carries the header that says it is the page's own, and no key; what goes wrong
 * is a value that says so in a sentence. Not here: when something is asked again (`schedule.ts`),
 * and what was answered before (`answers.ts`).
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { PageSessionAnswer, PageSessionQuestion } from "../../protocol/admin.ts";
import { ADMIN_API, PAGE_SESSION_PATH } from "../../protocol/admin.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import type { RuTally } from "./tally.ts";

export interface AskFailure {
  /**
   * `unreachable`: no answer came. `signedOut`: the session has ended. `notAllowed`: the session
   * may not do that. `absent`: there is no such thing. `cancelled`: somebody cancelled the request.
   */
  readonly kind:
    | "unreachable"
    | "signedOut"
    | "notAllowed"
    | "absent"
    | "throttled"
    | "refused"
    | "cancelled";
  /** A sentence for people. */
  readonly message: string;
  /** The status of the answer; absent when none came. */
  readonly status?: number | undefined;
  /** The service's own word for it, such as `KeyNeeded`. */
  readonly code?: string | undefined;
  /** What the refused request cost. */
  readonly charge?: number | undefined;
  readonly activityId?: string | undefined;
}

export type ServerReply<T> = Result<T, AskFailure>;

/** A request to the data plane. */
interface DataQuestion {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Begins with a slash; names in it are encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

interface DataAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it came: numbers with many digits are not rounded before somebody reads them. */
  readonly text: string;
  /** RU, as the header says it. */
  readonly charge: number;
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export class Server {
  readonly #fetch: Fetch;
  readonly #tally: Pick<RuTally, "add">;
  /**
   * Is called when a request is answered with the news that the session has ended. Resolves with
   * true when there is a session again: nothing was done, so the request is then sent once more.
   */
  onSignedOut: () => Promise<boolean> = () => Promise.resolve(false);

  constructor(setting: { readonly fetch: Fetch; readonly tally: Pick<RuTally, "add"> }) {
    this.#fetch = setting.fetch;
    this.#tally = setting.tally;
  }

  /** `route` is what comes after `/_orrery/v1/`; the answer is what its type says. */
  async admin<T>(route: string, signal?: AbortSignal): Promise<ServerReply<T>> {
    return parsed<T>(await this.#ask(ADMIN_API + route, { method: "GET", signal: signal ?? null }));
  }

  /** Changes something by way of the admin API. */
  async change<T>(
    method: "POST" | "DELETE",
    route: string,
    body?: object,
  ): Promise<ServerReply<T>> {
    const init: RequestInit = { method };
    if (body !== undefined) {
      init.headers = { "content-type": "application/json" };
      init.body = JSON.stringify(body);
    }
    return parsed<T>(await this.#ask(ADMIN_API + route, init));
  }

  async data({
    method,
    path,
    headers,
    body,
    signal,
  }: DataQuestion): Promise<ServerReply<DataAnswer>> {
    const init: RequestInit = { method, headers: { ...headers }, signal: signal ?? null };
    if (body !== undefined) init.body = typeof body === "string" ? body : JSON.stringify(body);
    return this.#ask(path, init);
  }

  /** Opens a session of the page, or finds the one there is. */
  async openSession(question: PageSessionQuestion): Promise<ServerReply<PageSessionAnswer>> {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(question) };
    return parsed<PageSessionAnswer>(await this.#send(PAGE_SESSION_PATH, init));
  }

  async closeSession(): Promise<ServerReply<unknown>> {
    return this.#send(PAGE_SESSION_PATH, { method: "DELETE" });
  }

  async #ask(url: string, init: RequestInit): Promise<ServerReply<DataAnswer>> {
    const answer = await this.#send(url, init);
    if (answer.ok || answer.error.kind !== "signedOut") return answer;
    return (await this.onSignedOut()) ? this.#send(url, init) : answer;
  }

  async #send(url: string, init: RequestInit): Promise<ServerReply<DataAnswer>> {
    try {
      const headers = { ...(init.headers as Record<string, string>), [HEADER.page]: "1" };
      // A browser that keeps answers asks again with their etags, and in the change feed an etag is
      // the place to read on from: it would go on where another reader has come to.
      const cache = "no-store";
      const response = await this.#fetch(url, {
        ...init,
        headers,
        credentials: "same-origin",
        cache,
      });
      // Charged as soon as the headers are there, whatever becomes of the body.
      this.#tally.add(response.headers.get(HEADER.requestCharge));
      const text = await response.text();
      return response.ok || response.status === 304
        ? ok(answerOf(response, text))
        : no(failureOf(response, text));
    } catch (error) {
      return no(noAnswer(error));
    }
  }
}

function answerOf({ status, headers }: Response, text: string): DataAnswer {
  return { status, headers, text, charge: chargeIn(headers) };
}

function chargeIn(headers: Headers): number {
  return Number(headers.get(HEADER.requestCharge) ?? 0);
}

const KINDS: Readonly<Record<number, AskFailure["kind"]>> = {
  401: "signedOut",
  403: "notAllowed",
  404: "absent",
  429: "throttled",
};

function failureOf({ status, headers }: Response, text: string): AskFailure {
  const { code, message } = wordsIn(text);
  return {
    kind: KINDS[status] ?? "refused",
    message: message ?? `The server answered with status ${status}.`,
    status,
    code,
    charge: chargeIn(headers),
    activityId: headers.get(HEADER.activityId) ?? undefined,
  };
}

function wordsIn(text: string): { readonly code?: string; readonly message?: string } {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== "object" || body === null) return {};
    const { code, message } = body as Readonly<Record<string, unknown>>;
    return {
      ...(typeof code === "string" && { code }),
      // The id of the activity is a line of its own there; here it has a member of its own.
      ...(typeof message === "string" && { message: message.replace(/\r?\nActivityId:.*$/, "") }),
    };
  } catch {
    return {};
  }
}

function noAnswer(error: unknown): AskFailure {
  if (error instanceof Error && error.name === "AbortError") {
    return { kind: "cancelled", message: "The request was cancelled." };
  }
  const message = "The server does not answer. It may have ended, or be starting again.";
  return { kind: "unreachable", message };
}

function parsed<T>(answer: ServerReply<DataAnswer>): ServerReply<T> {
  if (!answer.ok) return answer;
  try {
    return ok(JSON.parse(answer.value.text) as T);
  } catch {
    return no({ kind: "refused", message: "The server's answer is not JSON." });
  }
}
