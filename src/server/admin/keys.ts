/**
 * `GET /_orrery/v1/keys` and `POST /_orrery/v1/keys/{name}/regenerate`: the account's keys, shown
 * and exchanged while the server runs.
 *
 * Whoever asks needs a read-write key, also on the server's own machine where the rest of the admin
 * API asks for none, and also to look: the answers are keys.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { AccountKeyName, KeysAnswer, RouteEntry } from "../../protocol/admin.ts";
import { ADMIN_API, KEY_NAMES } from "../../protocol/admin.ts";
import type { AccountKeys } from "../access/accountKeys.ts";
import type { PageSessions } from "../access/pageSessions.ts";
import { originOf } from "../http/origin.ts";
import type { Outbox } from "../http/outbox.ts";
import { discardBody, readBody } from "../http/requestBody.ts";
import type { Log } from "../surroundings/log.ts";
import type { AdminAccess } from "../surroundings/orreryOptions.ts";
import type { AccessCheck } from "./access.ts";
import { accessCheck } from "./access.ts";
import type { AdminProblem } from "./problem.ts";
import { jsonAnswer, problem, problemAnswer } from "./problem.ts";
import { membersOf, parametersOf, reading } from "./questions.ts";

const KEYS_PATH = `${ADMIN_API}keys`;

export const KEY_ROUTES: readonly RouteEntry[] = [
  { method: "GET", path: KEYS_PATH, about: "the account keys", parameters: [] },
  {
    method: "POST",
    path: `${KEYS_PATH}/{name}/regenerate`,
    about: "makes an account key anew; the former one ends at once",
    parameters: [],
  },
];

interface KeyDeskSetting {
  readonly access: AdminAccess;
  readonly keys: AccountKeys;
  /** Absent where no page is served. */
  readonly pages?: PageSessions | undefined;
  readonly outbox: Outbox;
  readonly log: Log;
}

const BODY_BYTES_MAX = 1024;

export class KeyDesk {
  readonly #setting: KeyDeskSetting;
  readonly #mayAsk: AccessCheck;
  readonly #hasKey: AccessCheck;

  constructor(setting: KeyDeskSetting) {
    this.#setting = setting;
    this.#mayAsk = accessCheck(setting.access, setting.keys, setting.pages);
    this.#hasKey = accessCheck("any", setting.keys, setting.pages);
  }

  /** Whether a request is about account keys. */
  isFor({ url = "" }: IncomingMessage): boolean {
    const path = pathOf(url);
    return path === KEYS_PATH || path.startsWith(`${KEYS_PATH}/`);
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    const { outbox } = this.#setting;
    const unauthorized = this.#accessProblem(request);
    if (unauthorized !== undefined) {
      discardBody(request);
      outbox.send(response, problemAnswer(unauthorized));
      return;
    }
    readBody(response, { bytesMax: BODY_BYTES_MAX }, (outcome) => {
      if (outcome.kind === "aborted") return;
      const body = outcome.kind === "body" ? outcome.body : undefined;
      void this.#answerTo(request, body).then((answer) => {
        outbox.send(
          response,
          answer.ok ? jsonAnswer(200, answer.value) : problemAnswer(answer.error),
        );
      });
    });
  }

  /** Looking takes the same key as changing: what is looked at are keys. */
  #accessProblem(request: IncomingMessage): AdminProblem | undefined {
    const { method = "", headers } = request;
    const { remoteAddress } = originOf(request);
    return (
      this.#mayAsk({ method, headers, remoteAddress }) ??
      this.#hasKey({ method: "POST", headers, remoteAddress: undefined })
    );
  }

  async #answerTo(
    { method, url = "", headers }: IncomingMessage,
    body: Buffer | undefined,
  ): Promise<Result<KeysAnswer, AdminProblem>> {
    if (body === undefined) {
      return no(problem(413, `A body has at most ${BODY_BYTES_MAX} bytes here.`));
    }
    const question = reading(() => {
      parametersOf(url.split("?")[1] ?? "", []);
      membersOf(body, []);
    });
    if (!question.ok) return no(problem(400, question.error));
    const path = pathOf(url);
    if (path === KEYS_PATH) {
      if (method !== "GET") return no(wrongMethod("GET"));
      return ok({ keys: this.#setting.keys.entries() });
    }
    const [name, verb, ...rest] = path.slice(KEYS_PATH.length + 1).split("/");
    if (verb !== "regenerate" || rest.length > 0) return no(NOTHING_THERE);
    if (method !== "POST") return no(wrongMethod("POST"));
    // A page of another site can send forms and plain text unasked, but never this type.
    if (headers["content-type"] !== "application/json") {
      return no(problem(415, "A POST needs content-type: application/json."));
    }
    return this.#regenerate(name ?? "");
  }

  async #regenerate(text: string): Promise<Result<KeysAnswer, AdminProblem>> {
    const name = KEY_NAMES.find((known) => known === text);
    if (name === undefined) {
      return no(problem(404, `There is no key '${text}'; there are ${KEY_NAMES.join(", ")}.`));
    }
    const entry = await this.#made(name);
    if (!entry.ok) return entry;
    this.#setting.log("keyRegenerated", { name });
    return ok({ keys: [entry.value] });
  }

  /** A disk or a database that does not take it leaves the key as it was. */
  async #made(name: AccountKeyName): Promise<Result<KeysAnswer["keys"][number], AdminProblem>> {
    try {
      const entry = await this.#setting.keys.regenerate(name);
      return entry.ok ? entry : no(problem(409, entry.error));
    } catch (fault) {
      this.#setting.log("keyNotKept", { name, reason: String(fault) });
      const message = "The new key could not be kept, so the former one stays in force.";
      return no(problem(500, message));
    }
  }
}

const NOTHING_THERE = problem(
  404,
  `There is nothing here; there are ${KEY_ROUTES.map(({ path }) => path).join(" and ")}.`,
);

function wrongMethod(allowed: string): AdminProblem {
  return problem(405, `Only ${allowed} is allowed here.`, ["allow", allowed]);
}

function pathOf(url: string): string {
  return url.replace(/\?.*$/, "").replace(/\/$/, "");
}
