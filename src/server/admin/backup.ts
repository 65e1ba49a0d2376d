/**
 * `POST /_orrery/v1/backup`: a backup of a running server, as one stream of bytes.
 *
 * It holds every item, so whoever asks for it needs an account key, also on the server's own
 * machine where the rest of the admin API asks for none. One backup at a time; one whose client is
 * gone ends at once, and whatever was held for it is given back.
 *
 * What can fail without anything having been sent is an answer with a reason. After that a failure
 * can only break the stream off; its length and checksums tell the client.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ADMIN_API } from "../../protocol/admin.ts";
import type { KeyRing } from "../../protocol/auth/authorization.ts";
import type { OpenData, Snapshot } from "../../store/backup/backup.ts";
import { NoRoom, takeSnapshot } from "../../store/backup/backup.ts";
import { ARCHIVE_FORMAT, archiveBytesOf, writeArchive } from "../../store/backup/backupArchive.ts";
import type { PageSessions } from "../access/pageSessions.ts";
import { originOf } from "../http/origin.ts";
import type { Outbox } from "../http/outbox.ts";
import { discardBody, readBody } from "../http/requestBody.ts";
import type { Log } from "../surroundings/log.ts";
import type { AdminAccess } from "../surroundings/orreryOptions.ts";
import { accessCheck } from "./access.ts";
import type { AdminProblem } from "./problem.ts";
import { problem, problemAnswer } from "./problem.ts";
import { membersOf, parametersOf, reading } from "./questions.ts";

export const BACKUP_PATH: string = `${ADMIN_API}backup`;

export interface BackupSetting {
  /** Absent for a throw-away server. */
  readonly data: OpenData | undefined;
  /** True if a database keeps the data. */
  readonly isOnDatabase: boolean;
  readonly access: AdminAccess;
  readonly keys: KeyRing;
  /** Absent where no page is served. */
  readonly pages?: PageSessions | undefined;
  readonly outbox: Outbox;
  readonly log: Log;
  readonly wallNow: () => number;
  readonly version: string;
}

const BODY_BYTES_MAX = 1024;

const IN_MEMORY = "This server keeps nothing on disk (--memory): there is nothing to back up.";
const ON_DATABASE =
  "This server keeps its data in a database (--store): back that up with its own tools, such as " +
  "pg_dump; every consistent copy of it is one of this server.";

export class Backups {
  readonly #setting: BackupSetting;
  readonly #check: (request: IncomingMessage) => AdminProblem | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(setting: BackupSetting) {
    this.#setting = setting;
    const mayAsk = accessCheck(setting.access, setting.keys, setting.pages);
    const hasKey = accessCheck("any", setting.keys, setting.pages);
    this.#check = (request) => {
      const { method = "", headers } = request;
      const { remoteAddress } = originOf(request);
      return (
        mayAsk({ method, headers, remoteAddress }) ??
        hasKey({ method, headers, remoteAddress: undefined })
      );
    };
  }

  /** Whether a request is about backups. */
  isFor({ method, url }: IncomingMessage): boolean {
    return method === "POST" && pathOf(url ?? "") === BACKUP_PATH;
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    const { outbox } = this.#setting;
    const refuse = (refused: AdminProblem): void => outbox.send(response, problemAnswer(refused));
    const unauthorized = this.#check(request);
    if (unauthorized !== undefined) {
      discardBody(request);
      refuse(unauthorized);
      return;
    }
    readBody(response, { bytesMax: BODY_BYTES_MAX }, (outcome) => {
      if (outcome.kind === "aborted") return;
      const body = outcome.kind === "body" ? outcome.body : undefined;
      const refused = this.#refusal(request, body);
      if (refused !== undefined) refuse(refused);
      else {
        this.#running = this.#run(response, refuse).finally(() => {
          this.#running = undefined;
        });
      }
    });
  }

  /** Resolves when no backup is under way any more. Its connection should be closed by then. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  #refusal(request: IncomingMessage, body: Buffer | undefined): AdminProblem | undefined {
    if (body === undefined) return problem(413, `A body has at most ${BODY_BYTES_MAX} bytes here.`);
    // A page of another site can send forms and plain text unasked, but never this type.
    if (request.headers["content-type"] !== "application/json") {
      return problem(415, "A POST needs content-type: application/json.");
    }
    const question = reading(() => {
      parametersOf(request.url?.split("?")[1] ?? "", []);
      membersOf(body, []);
    });
    if (!question.ok) return problem(400, question.error);
    if (this.#setting.data === undefined) {
      return problem(400, this.#setting.isOnDatabase ? ON_DATABASE : IN_MEMORY);
    }
    if (this.#running === undefined && !this.#isClosed) return undefined;
    return problem(409, "Another backup is under way. Try again when it has ended.");
  }

  /** Sends a backup, or says why there is none. It never rejects. */
  async #run(response: ServerResponse, refuse: (refused: AdminProblem) => void): Promise<void> {
    const { data, log, wallNow, version } = this.#setting;
    const at = wallNow();
    let snapshot: Snapshot | undefined;
    const giveBack = async (): Promise<void> => {
      await snapshot?.release().catch((error: unknown) => {
        log("backupReleaseFailed", { reason: String(error) });
      });
    };
    try {
      log("backupStarted");
      snapshot = await takeSnapshot(data!);
      const { files, read } = snapshot;
      const manifest = { format: ARCHIVE_FORMAT, version, at, files };
      const bytes = archiveBytesOf(manifest);
      if (response.destroyed) throw new Error("the client has gone");
      response.writeHead(200, headersOf(bytes));
      const archive = heldBack(writeArchive(manifest, read), giveBack);
      await pipeline(Readable.from(archive), response);
      log("backupEnded", { bytes });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log(response.destroyed ? "backupAbandoned" : "backupFailed", { reason });
      if (response.headersSent) response.destroy();
      else refuse(error instanceof NoRoom ? noRoom(reason) : failed(reason));
    } finally {
      await giveBack();
    }
  }
}

/**
 * The last piece leaves when something was done: whoever has all of a backup may ask for the next,
 * and finds nothing of the first in its way.
 */
async function* heldBack(
  pieces: AsyncIterable<Buffer>,
  done: () => Promise<void>,
): AsyncGenerator<Buffer, void, undefined> {
  let last: Buffer | undefined;
  for await (const piece of pieces) {
    if (last !== undefined) yield last;
    last = piece;
  }
  await done();
  if (last !== undefined) yield last;
}

function pathOf(url: string): string {
  return url.replace(/\?.*$/, "").replace(/\/$/, "");
}

function headersOf(bytes: number): Record<string, string> {
  return {
    "content-type": "application/octet-stream",
    "content-length": String(bytes),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
  };
}

function noRoom(reason: string): AdminProblem {
  const message = `There is no room on the server's disk for a copy of the tables: ${reason}`;
  return { status: 507, error: { code: "InsufficientStorage", message } };
}

function failed(reason: string): AdminProblem {
  return problem(500, `The backup could not be taken: ${reason}`);
}
