/**
 * Where requests under `/_orrery/` come in: who asks is checked before anything is read, a body is
 * read within its limit, and whatever happens there is an answer. One of the places that catch
 * everything, as the listener is.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { METRICS_PATH } from "../../protocol/admin.ts";
import type { KeyRing } from "../../protocol/auth/authorization.ts";
import type { WireAnswer } from "../../protocol/wire/wire.ts";
import type { PageSessions } from "../access/pageSessions.ts";
import { originOf } from "../http/origin.ts";
import type { Outbox } from "../http/outbox.ts";
import { discardBody, readBody } from "../http/requestBody.ts";
import type { Log } from "../surroundings/log.ts";
import type { AdminAccess } from "../surroundings/orreryOptions.ts";
import { accessCheck } from "./access.ts";
import { bringsData } from "./jobs/labRoutes.ts";
import { familiesOf } from "./metrics.ts";
import { adminAnswer, jsonAnswer, problem, problemAnswer } from "./problem.ts";
import { processFigures } from "./processFigures.ts";
import type { Family } from "./prometheus.ts";
import { PROMETHEUS_TYPE, prometheusText } from "./prometheus.ts";
import { answerAdmin } from "./routes.ts";
import type { AdminSurface } from "./surface.ts";

export interface AdminSetting {
  readonly surface: AdminSurface;
  readonly access: AdminAccess;
  readonly keys: KeyRing;
  /** Absent where no page is served. */
  readonly pages?: PageSessions | undefined;
  readonly outbox: Outbox;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly wallNow: () => number;
  readonly version: string;
  /** How many answers had which status, where somebody counts them. */
  readonly statusCounts?: (() => ReadonlyMap<number, number>) | undefined;
  /** What there is to tell besides the data and the process. */
  readonly moreFamilies?: (() => readonly Family[]) | undefined;
}

/** Takes over one request whose host has been checked. */
export type AdminDoor = (request: IncomingMessage, response: ServerResponse) => void;

const BODY_BYTES_MAX = 64 * 1024;
/** Of bodies that bring data along. */
const DATA_BYTES_MAX = 64 * 1024 * 1024;
const NO_BODY = Buffer.alloc(0);

export function openAdmin(setting: AdminSetting): AdminDoor {
  const check = accessCheck(setting.access, setting.keys, setting.pages);
  return (request, response) => {
    const { method = "GET", headers } = request;
    const { remoteAddress } = originOf(request);
    const send = (answer: WireAnswer): void => setting.outbox.send(response, answer);
    const refused = check({ method, headers, remoteAddress }) ?? mediaProblem(request);
    if (refused !== undefined || method === "GET") {
      discardBody(request);
      if (refused !== undefined) send(problemAnswer(refused));
      else answerWith(setting, request, NO_BODY, send);
      return;
    }
    const bytesMax = bringsData(request.url ?? "") ? DATA_BYTES_MAX : BODY_BYTES_MAX;
    readBody(response, { bytesMax }, (outcome) => {
      if (outcome.kind === "aborted") return;
      if (outcome.kind === "body") answerWith(setting, request, outcome.body, send);
      else send(problemAnswer(problem(413, `A body has at most ${bytesMax} bytes here.`)));
    });
  };
}

/** A page of another site can send forms and plain text unasked, but never this type. */
function mediaProblem({
  method,
  headers,
}: IncomingMessage): ReturnType<typeof problem> | undefined {
  if (method !== "POST") return undefined;
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (type === "application/json") return undefined;
  return problem(415, "A POST needs content-type: application/json.");
}

function answerWith(
  setting: AdminSetting,
  request: IncomingMessage,
  body: Buffer,
  send: (answer: WireAnswer) => void,
): void {
  answerTo(setting, request, body).then(send, (defect: unknown) => {
    const reason = defect instanceof Error ? (defect.stack ?? defect.message) : String(defect);
    setting.log("adminRequestFailed", { url: request.url, reason });
    send(problemAnswer(problem(500, "This server made a mistake; its log says which.")));
  });
}

async function answerTo(
  setting: AdminSetting,
  { method = "GET", url = "" }: IncomingMessage,
  body: Buffer,
): Promise<WireAnswer> {
  if (method === "GET" && url === METRICS_PATH) {
    return adminAnswer(200, PROMETHEUS_TYPE, await metricsOf(setting));
  }
  const request = { method, url, body, now: setting.wallNow() };
  const reply = await answerAdmin(setting.surface, request);
  return reply.ok ? jsonAnswer(reply.value.status, reply.value.body) : problemAnswer(reply.error);
}

async function metricsOf({
  surface,
  version,
  statusCounts,
  moreFamilies,
  wallNow,
}: AdminSetting): Promise<string> {
  return prometheusText(
    familiesOf({
      containers: await surface.counters(),
      copies: surface.copies.entries(),
      lifecycles: await surface.lifecycles.entries(),
      wallNow: wallNow(),
      archives: surface.archives.noted,
      archiveJobs: surface.archives.entries,
      process: processFigures(),
      version,
      statusCounts: statusCounts?.(),
      more: moreFamilies?.(),
    }),
  );
}
