/** Who gets a backup and when; what is in one is tested where it is made (`store/backup.test.ts`). */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, Server } from "node:http";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import { SegmentFiles } from "../../store/journal/segmentFiles.ts";
import { SimulatedDisk } from "../../store/simulatedDisk.fake.ts";
import { Outbox } from "../http/outbox.ts";
import { realTimer } from "../surroundings/realWorld.ts";
import type { BackupSetting } from "./backup.ts";
import { BACKUP_PATH, Backups } from "./backup.ts";

const KEY = "c2VjcmV0";
const HEADERS = { "content-type": "application/json", authorization: `Bearer ${KEY}` };

let directory: string;
let server: Server | undefined;
let events: string[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "orrery-backups-"));
  mkdirSync(join(directory, "tables"));
  writeFileSync(join(directory, "tables", "data.mdb"), "the tables");
  events = [];
});

afterEach(() => {
  server?.close();
  server?.closeAllConnections();
  rmSync(directory, { recursive: true, force: true });
});

test("the archive comes with its length, and what was held is given back", async () => {
  const { ask } = await listening(copying());
  const answer = await ask();
  const bytes = await buffer(answer);
  expect(answer.statusCode).toBe(200);
  expect(bytes.length).toBe(Number(answer.headers["content-length"]));
  expect(bytes.toString("latin1", 0, 8)).toBe("ORRERYB1");
  // Whoever has the last byte may ask for the next.
  expect(existsSync(join(directory, "backup.tmp"))).toBe(false);
  await expect.poll(() => events).toEqual(["backupStarted", "backupEnded"]);
});

test("a second one is refused while the first is under way", async () => {
  const { copy, isWanted, finish } = pausedCopy();
  const { ask } = await listening(copy);
  const first = ask();
  await isWanted;
  const second = await ask();
  expect(second.statusCode).toBe(409);
  expect(JSON.parse(await text(second)).message).toMatch(/Another backup is under way/);
  finish();
  expect((await buffer(await first)).length).toBeGreaterThan(0);
});

test("a client that hangs up ends it; closing waits for that", async () => {
  const { copy, isWanted, finish } = pausedCopy();
  const { ask, backups } = await listening(copy);
  const gone = new AbortController();
  const first = ask(HEADERS, gone.signal).catch(() => "hung up");
  await isWanted;
  gone.abort();
  expect(await first).toBe("hung up");
  let isClosed = false;
  const closed = backups.close().then(() => {
    isClosed = true;
  });
  await realTimer.soon();
  expect(isClosed).toBe(false);
  finish();
  await closed;
  expect(events).toEqual(["backupStarted", "backupAbandoned"]);
  expect(existsSync(join(directory, "backup.tmp"))).toBe(false);
});

test("a copy that fails is an answer with the reason, and the next one may succeed", async () => {
  let isBroken = true;
  const whole = copying();
  const { ask } = await listening((folder) =>
    isBroken ? Promise.reject(new Error("no such luck")) : whole(folder),
  );
  const failed = await ask();
  expect(failed.statusCode).toBe(500);
  expect(JSON.parse(await text(failed)).message).toMatch(/no such luck/);
  isBroken = false;
  const next = await ask();
  expect(next.statusCode).toBe(200);
  await buffer(next);
});

test.each([
  ["without a key", { "content-type": "application/json" }, 401],
  ["with a wrong key", { ...HEADERS, authorization: "Bearer c3RyYW5nZXI=" }, 401],
  ["with a key that only reads", { ...HEADERS, authorization: "Bearer cmVhZA==" }, 403],
  ["as a form", { ...HEADERS, "content-type": "text/plain" }, 415],
  ["from a page of another site", { ...HEADERS, origin: "http://evil.example" }, 403],
])("%s there is none", async (_how, headers, status) => {
  const { ask } = await listening(copying());
  expect((await ask(headers)).statusCode).toBe(status);
  expect(events).toEqual([]);
});

test("a server that keeps nothing has none", async () => {
  const { ask } = await listening(undefined);
  const answer = await ask();
  expect(answer.statusCode).toBe(400);
  expect(JSON.parse(await text(answer)).message).toMatch(/--memory/);
});

type Copy = (folder: string) => Promise<void>;

function copying(): Copy {
  return async (folder) => writeFileSync(join(folder, "data.mdb"), "the tables");
}

/** A copy that takes as long as the test likes. */
function pausedCopy(): { copy: Copy; isWanted: Promise<void>; finish(): void } {
  let begin = (): void => undefined;
  let finish = (): void => undefined;
  const isWanted = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const isOver = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const whole = copying();
  const copy: Copy = async (folder) => {
    begin();
    await isOver;
    await whole(folder);
  };
  return { copy, isWanted, finish: () => finish() };
}

async function listening(copyTables: Copy | undefined): Promise<{
  backups: Backups;
  ask(headers?: Record<string, string>, signal?: AbortSignal): Promise<IncomingMessage>;
}> {
  const journal = new SegmentFiles(new SimulatedDisk(seededRandom(1)));
  const setting: BackupSetting = {
    isOnDatabase: false,
    data: copyTables && { directory, holdJournal: () => journal.hold(), copyTables },
    access: "loopback",
    keys: {
      list: [
        { key: KEY, isReadOnly: false },
        { key: "cmVhZA==", isReadOnly: true },
      ],
    },
    outbox: new Outbox(realTimer, () => undefined),
    log: (event) => events.push(event),
    wallNow: () => 1_778_854_200_000,
    version: "0.0.0",
  };
  const backups = new Backups(setting);
  server = createServer((incoming, response) => {
    expect(backups.isFor(incoming)).toBe(true);
    backups.serve(incoming, response);
  });
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const ask = (headers: Record<string, string> = HEADERS, signal?: AbortSignal) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const options = { host: "127.0.0.1", port, path: BACKUP_PATH, method: "POST", headers };
      const sent = request({ ...options, agent: false, ...(signal && { signal }) }, resolve);
      sent.on("error", reject);
      sent.end();
    });
  return { backups, ask };
}
