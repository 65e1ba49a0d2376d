/**
 * Seeds over the admin API: `GET /_orrery/v1/seed` says what is there as a seed, a POST of one
 * makes what is missing, `…/containers/{database}/{container}/seedItems` writes items beside all
 * rates, and `…/reset` goes back to the beginnings. `orrery snapshot` is made of these.
 *
 * A seed that comes this way names no files: they would be files of the server's machine.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { parseJson } from "../../json/parse.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import type { RouteEntry } from "../../protocol/admin.ts";
import { ADMIN_API } from "../../protocol/admin.ts";
import type { KeyRing } from "../../protocol/auth/authorization.ts";
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

const SEED_PATH = `${ADMIN_API}seed`;
const RESET_PATH = `${ADMIN_API}reset`;
const ITEMS = /^containers\/([^/]+)\/([^/]+)\/seedItems$/;

export const SEED_ROUTES: readonly RouteEntry[] = [
  {
    method: "GET",
    path: SEED_PATH,
    about: "what is there as a seed, without items",
    parameters: [],
  },
  {
    method: "POST",
    path: SEED_PATH,
    about: "makes what a seed says and is not there",
    parameters: ["databases"],
  },
  {
    method: "POST",
    path: `${ADMIN_API}containers/{database}/{container}/seedItems`,
    about: "writes the items of a seed that are not there; nothing is paid for it",
    parameters: ["items"],
  },
  {
    method: "POST",
    path: RESET_PATH,
    about: "drops every database, and makes anew what the server began with",
    parameters: [],
  },
];

/** Who makes seeds. What cannot be made is an error whose message says why. */
export interface SeedSurface {
  written(): object;
  makeValue(value: JsonObject): Promise<Result<object, string>>;
  fill(
    database: string,
    container: string,
    items: readonly JsonValue[],
  ): Promise<Result<object, string>>;
  resetNow(): Promise<Result<object, string>>;
}

interface SeedDeskSetting {
  readonly surface: SeedSurface;
  readonly access: AdminAccess;
  readonly keys: KeyRing;
  /** Absent where no page is served. */
  readonly pages?: PageSessions | undefined;
  readonly outbox: Outbox;
  readonly log: Log;
}

const BODY_BYTES_MAX = 64 * 1024 * 1024;

export class SeedDesk {
  readonly #setting: SeedDeskSetting;
  readonly #mayAsk: AccessCheck;

  constructor(setting: SeedDeskSetting) {
    this.#setting = setting;
    this.#mayAsk = accessCheck(setting.access, setting.keys, setting.pages);
  }

  isFor({ url = "" }: IncomingMessage): boolean {
    return url === SEED_PATH || url === RESET_PATH || ITEMS.test(url.slice(ADMIN_API.length));
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    const { outbox, log } = this.#setting;
    const { method = "", headers, url } = request;
    const { remoteAddress } = originOf(request);
    const refused = this.#mayAsk({ method, headers, remoteAddress }) ?? formProblem(request);
    if (refused !== undefined) {
      discardBody(request);
      outbox.send(response, problemAnswer(refused));
      return;
    }
    readBody(response, { bytesMax: BODY_BYTES_MAX }, (outcome) => {
      if (outcome.kind === "aborted") return;
      const body = outcome.kind === "body" ? outcome.body : undefined;
      this.#answerTo(request, body).then(
        (answer) =>
          outbox.send(
            response,
            answer.ok ? jsonAnswer(200, answer.value) : problemAnswer(answer.error),
          ),
        (defect: unknown) => {
          const reason = defect instanceof Error ? (defect.stack ?? defect.message) : defect;
          log("adminRequestFailed", { url, reason: String(reason) });
          const message = "This server made a mistake; its log says which.";
          outbox.send(response, problemAnswer(problem(500, message)));
        },
      );
    });
  }

  async #answerTo(
    { method, url = "" }: IncomingMessage,
    body: Buffer | undefined,
  ): Promise<Result<object, AdminProblem>> {
    const { surface } = this.#setting;
    if (body === undefined) {
      return no(problem(413, `A body has at most ${BODY_BYTES_MAX} bytes here.`));
    }
    if (method === "GET") return ok(surface.written());
    const value = parsed(body);
    if (!isObject(value)) return no(problem(400, "The body must be a JSON object."));
    if (url === RESET_PATH) return answered(await surface.resetNow(), 409);
    if (url === SEED_PATH) return answered(await surface.makeValue(value), 400);
    const items = property(value, "items");
    if (!Array.isArray(items)) return no(problem(400, "The body must have a list of items."));
    const [, database = "", container = ""] = ITEMS.exec(url.slice(ADMIN_API.length)) ?? [];
    const names = [decoded(database), decoded(container)] as const;
    return answered(await surface.fill(...names, items as JsonValue[]), 400);
  }
}

function answered(
  outcome: Result<object, string>,
  status: 400 | 409,
): Result<object, AdminProblem> {
  return outcome.ok ? outcome : no(problem(status, outcome.error));
}

/** A page of another site can send forms and plain text unasked, but never this type. */
function formProblem({ method, headers, url }: IncomingMessage): AdminProblem | undefined {
  if (method === "GET" && url === SEED_PATH) return undefined;
  if (method !== "POST") {
    const allowed = url === SEED_PATH ? "GET, POST" : "POST";
    return problem(405, `The verb ${method} is not allowed here; ${allowed} is.`, [
      "allow",
      allowed,
    ]);
  }
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (type === "application/json") return undefined;
  return problem(415, "A POST needs content-type: application/json.");
}

function parsed(body: Buffer): JsonValue | undefined {
  if (body.length === 0) return {};
  try {
    return parseJson(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
