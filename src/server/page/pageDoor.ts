/**
 * Where requests under `/_explorer/` come in: the files of the web page, and its session. One of
 * the places that catch everything, as the listener is.
 *
 * Every address below that is not a file is the page itself: which view it shows is the page's own
 * matter, so that a link to a view can be sent to somebody. Not here: the certificate of the
 * server, which lies below the same address (`listener.ts`).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { PageSessionAnswer } from "../../protocol/admin.ts";
import { PAGE_ROOT, PAGE_SESSION_PATH } from "../../protocol/admin.ts";
import type { WireAnswer } from "../../protocol/wire/wire.ts";
import type { PageSessions, SessionProblem } from "../access/pageSessions.ts";
import { originOf } from "../http/origin.ts";
import type { Outbox } from "../http/outbox.ts";
import { discardBody, readBody } from "../http/requestBody.ts";
import type { Log } from "../surroundings/log.ts";
import { codingFor, fileAnswer, isKnown, PAGE_HEADERS } from "./pageAnswer.ts";
import type { PageFiles } from "./pageFiles.ts";

interface PageDoorSetting {
  readonly files: PageFiles;
  readonly sessions: PageSessions;
  readonly outbox: Outbox;
  readonly log: Log;
  readonly version: string;
  /** The address that clients are told to use; absent when it is the one they came by. */
  readonly publicEndpoint: string | undefined;
}

/** Takes over one request whose host has been checked. */
export type PageDoor = (request: IncomingMessage, response: ServerResponse) => void;

/** Whether a request is about the page. */
export function isPageUrl(url: string): boolean {
  return url.startsWith(PAGE_ROOT) || /^\/_explorer(\?|$)/.test(url);
}

const BODY_BYTES_MAX = 4096;
const ASSETS = "assets/";
const INDEX = "index.html";

const STATUS_OF: Readonly<Record<SessionProblem["kind"], readonly [status: number, code: string]>> =
  {
    keyNeeded: [401, "KeyNeeded"],
    wrongKey: [401, "WrongKey"],
    tooManyTries: [429, "TooManyRequests"],
    foreign: [403, "Forbidden"],
  };

export function openPage(setting: PageDoorSetting): PageDoor {
  return (request, response) => {
    const send = (answer: WireAnswer): void => setting.outbox.send(response, answer);
    const path = (request.url ?? "").replace(/[?#].*$/s, "");
    if (path === PAGE_SESSION_PATH) {
      serveSession(setting, request, response);
      return;
    }
    discardBody(request);
    if (request.method !== "GET" && request.method !== "HEAD") {
      send(
        problemAnswer(405, "MethodNotAllowed", "The page is only read.", ["allow", "GET, HEAD"]),
      );
      return;
    }
    answerFile(setting, request, path).then(send, (fault: unknown) => {
      setting.log("pageFailed", { url: request.url, reason: String(fault) });
      send(problemAnswer(500, "InternalServerError", "The page could not be read from disk."));
    });
  };
}

async function answerFile(
  { files }: PageDoorSetting,
  { headers }: IncomingMessage,
  path: string,
): Promise<WireAnswer> {
  const name = path.slice(PAGE_ROOT.length);
  const isAsset = name.startsWith(ASSETS);
  const file = await files.find(isAsset ? name : INDEX);
  if (file === undefined) {
    const message = isAsset
      ? `The page has no file '${name}'. Reload the page: it may have been updated.`
      : "The page is not part of this build. Build it with 'npm run build'.";
    return problemAnswer(404, "NotFound", message);
  }
  const coding = codingFor(headers, file);
  if (isKnown(headers, file, coding)) return fileAnswer(file, coding, undefined);
  return fileAnswer(file, coding, await files.bytes(file, coding));
}

function serveSession(
  setting: PageDoorSetting,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { outbox, sessions } = setting;
  const { method = "", headers } = request;
  const send = (answer: WireAnswer): void => outbox.send(response, answer);
  if (method === "DELETE") {
    discardBody(request);
    const closed = sessions.close({ method, headers });
    if (!closed.ok) send(sessionProblem(closed.error));
    else send({ status: 204, headers: ["set-cookie", closed.value, ...unkept()] });
    return;
  }
  if (method !== "POST") {
    discardBody(request);
    const message = "A POST opens a session of the page, a DELETE ends it.";
    send(problemAnswer(405, "MethodNotAllowed", message, ["allow", "POST, DELETE"]));
    return;
  }
  readBody(response, { bytesMax: BODY_BYTES_MAX }, (outcome) => {
    if (outcome.kind === "aborted") return;
    const key = outcome.kind === "body" ? keyIn(headers["content-type"], outcome.body) : null;
    if (key === null) {
      const message = 'The body must be JSON, such as {} or {"key":"…"}.';
      send(problemAnswer(400, "BadRequest", message));
      return;
    }
    const asker = { method, headers, remoteAddress: originOf(request).remoteAddress };
    const opened = sessions.open(asker, key);
    if (!opened.ok) {
      if (opened.error.kind === "wrongKey") setting.log("pageKeyRefused", {});
      send(sessionProblem(opened.error));
      return;
    }
    const { cookie, ...session } = opened.value;
    const { version, publicEndpoint } = setting;
    const answer: PageSessionAnswer = { ...session, version, publicEndpoint };
    send(jsonAnswer(200, answer, cookie === undefined ? [] : ["set-cookie", cookie]));
  });
}

/** The key in a body, `undefined` where it has none, `null` where it is no body of ours. */
function keyIn(contentType: string | undefined, body: Buffer): string | undefined | null {
  // A page of another site can send forms and plain text unasked, but never this type.
  if (contentType?.split(";")[0]?.trim().toLowerCase() !== "application/json") return null;
  try {
    const question: unknown = JSON.parse(body.toString());
    if (typeof question !== "object" || question === null || Array.isArray(question)) return null;
    const { key, ...rest } = question as Readonly<Record<string, unknown>>;
    if (Object.keys(rest).length > 0) return null;
    return key === undefined || typeof key === "string" ? key : null;
  } catch {
    return null;
  }
}

function sessionProblem(problem: SessionProblem): WireAnswer {
  const [status, code] = STATUS_OF[problem.kind];
  const wait = problem.kind === "tooManyTries" ? ["retry-after", String(problem.seconds)] : [];
  return problemAnswer(status, code, problem.message, wait);
}

function problemAnswer(
  status: number,
  code: string,
  message: string,
  headers: readonly string[] = [],
): WireAnswer {
  return jsonAnswer(status, { code, message }, headers);
}

function jsonAnswer(status: number, value: object, headers: readonly string[]): WireAnswer {
  return {
    status,
    headers: ["content-type", "application/json", ...headers, ...unkept()],
    body: Buffer.from(`${JSON.stringify(value)}\n`),
  };
}

function unkept(): readonly string[] {
  return ["cache-control", "no-store", ...PAGE_HEADERS];
}
