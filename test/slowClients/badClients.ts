/**
 * Clients that are slow, dead or speak no HTTP: what each sends, what it does then, and what a
 * server may answer. Whatever they do, the server has to end the connection.
 */
import type { Socket } from "node:net";
import { connect } from "node:net";
import { splitAnswers } from "../http/rawAnswers.ts";
import type { Answer } from "../http/wire.ts";
import { ITEMS, PARTITION_KEY, textOf } from "../http/wire.ts";

/** A server under test, as far as a client has to know it. */
export interface Target {
  readonly port: number;
  readonly key: string;
  /** The shortest of its deadlines. */
  readonly deadlineMs: number;
}

/** What a client does when it has sent its bytes, besides listening. */
type Manner =
  | { readonly kind: "waits" }
  | { readonly kind: "drips"; readonly bytes: string }
  /** Closes its side, and listens on. */
  | { readonly kind: "ends" }
  /** Is gone, without a word. */
  | { readonly kind: "resets" };

export interface BadClient {
  readonly name: string;
  readonly bytes: (target: Target) => string | Buffer;
  readonly manner: Manner;
  /** The answers it may get; one of these lists, exactly. */
  readonly statuses: readonly (readonly number[])[];
}

const WAITS: Manner = { kind: "waits" };
const ENDS: Manner = { kind: "ends" };
const RESETS: Manner = { kind: "resets" };

const GET = "GET /dbs HTTP/1.1\r\nhost: localhost\r\n";
const POST = "POST /dbs HTTP/1.1\r\nhost: localhost\r\n";
const LARGE = 3 * 1024 * 1024;

const signed =
  (more: Readonly<Record<string, string>>, rest = "") =>
  (target: Target): string =>
    textOf(target, "POST", ITEMS, { headers: { ...PARTITION_KEY, ...more } }) + rest;

const said = (bytes: string | Buffer) => (): string | Buffer => bytes;

const one = (status: number): readonly (readonly number[])[] => [[status]];
const CHUNKED = { "transfer-encoding": "chunked" };
const HALF = { "content-length": "1000" };

function client(
  name: string,
  bytes: BadClient["bytes"],
  statuses: BadClient["statuses"],
  manner: Manner = WAITS,
): BadClient {
  return { name, bytes, manner, statuses };
}

const drips = (bytes: string): Manner => ({ kind: "drips", bytes });

export const BAD_CLIENTS: readonly BadClient[] = [
  client("says nothing", said(""), one(408)),
  client("stops in its headers", said(`${GET}x-more: `), one(408)),
  client("drips its headers", said(GET), one(408), drips("x-more: 1\r\n")),
  client("stops in a body that it may send", signed(HALF, "{"), one(408)),
  client("drips such a body", signed({ "content-length": "100000" }), one(408), drips("x")),
  client("stops in a chunk", signed(CHUNKED, "ff\r\n{"), one(408)),
  client("drips chunks", signed(CHUNKED), one(408), drips("1\r\nx\r\n")),
  client("stops in a body as a stranger", said(`${POST}content-length: 1000\r\n\r\n{`), one(401)),
  client("drips as a stranger", said(`${POST}content-length: 1000\r\n\r\n{`), one(401), drips("x")),
  client("says nothing after an answer", said(`${GET}\r\n`), one(401)),
  client("begins anew and stops", said(`${GET}\r\n${GET}x-more: `), [[401, 408], [401]]),
  client("sends a broken chunk", signed(CHUNKED, "zz\r\n"), one(400)),
  client("codes twice", signed({ "transfer-encoding": "gzip, chunked" }, "0\r\n\r\n"), one(400)),
  client(
    "codes otherwise",
    signed({ "transfer-encoding": "chunked, gzip" }, "0\r\n\r\n"),
    one(400),
  ),
  client("has a length and chunks", signed({ ...CHUNKED, ...HALF }), one(400)),
  client("has two hosts", said(`${GET}host: example.com\r\n\r\n`), one(400)),
  client("has no host", said("GET /dbs HTTP/1.1\r\n\r\n"), one(400)),
  client("begins TLS and stops", said(Buffer.from("160301020001000200030300", "hex")), [[]]),
  client("speaks garbage", said(Buffer.alloc(3000, 0xf7)), one(400)),
  client("greets in HTTP/2", said("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), [[]]),
  client("wants a tunnel", said("CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n"), one(405)),
  client("expects miracles", said(`${GET}expect: miracles\r\n\r\n`), one(417)),
  client("has large headers", said(`${GET}x: ${"x".repeat(20_000)}\r\n\r\n`), one(431)),
  client("announces too much", signed({ "content-length": String(LARGE) }), one(413)),
  client("sends too much", signed(CHUNKED, chunkOf(LARGE)), one(413)),
  client(
    "waits for a go-ahead as a stranger",
    said(`${POST}expect: 100-continue\r\ncontent-length: 9\r\n\r\n`),
    one(401),
  ),
  client("asks and asks", said(`${GET}\r\n`.repeat(200)), [new Array<number>(200).fill(401)]),
  client("ends in its headers", said(`${GET}x-more: `), one(400), ENDS),
  client("ends in its body", signed(HALF, "{"), one(400), ENDS),
  client("ends without a word", said(""), [[]], ENDS),
  client("is gone at once", said(""), [[]], RESETS),
  client("is gone in its headers", said(`${GET}x-more: `), [[]], RESETS),
  client("is gone in its body", signed(HALF, "{"), [[]], RESETS),
];

function chunkOf(bytes: number): string {
  return `${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n`;
}

const DRIP_MS = 200;

export interface Experience {
  readonly answers: readonly Answer[] | "no HTTP";
  /** Who ended the connection; nobody, if that has not happened when patience was over. */
  readonly endedBy: "server" | "client" | "nobody";
  /** This process kept the server waiting, so that nothing can be said of the server. */
  readonly isOwnFault: boolean;
}

/** Plays a client to the end of its connection. */
export function play(
  { bytes, manner, statuses }: BadClient,
  target: Target,
  patienceMs: number,
): Promise<Experience> {
  return new Promise((resolve) => {
    const heard: Buffer[] = [];
    const beganAt = performance.now();
    let sentAt = Number.POSITIVE_INFINITY;
    const socket = connect({ port: target.port, host: "127.0.0.1", allowHalfOpen: true });
    let timers: NodeJS.Timeout[] = [];
    const finish = (endedBy: Experience["endedBy"]): void => {
      for (const timer of timers) clearTimeout(timer);
      timers = [];
      socket.destroy();
      const isOwnFault = endedBy !== "nobody" && isLate(target, sentAt - beganAt);
      resolve({ answers: answersIn(Buffer.concat(heard), statuses), endedBy, isOwnFault });
    };
    socket.on("data", (chunk: Buffer) => heard.push(chunk));
    socket.on("error", () => finish("server"));
    socket.on("end", () => finish("server"));
    socket.on("connect", () => {
      timers.push(setTimeout(() => finish("nobody"), patienceMs));
      socket.write(bytes(target), () => {
        sentAt = performance.now();
        behave(socket, manner, timers, finish);
      });
    });
  });
}

/** Whether a client of ours was nearly as slow with all it had to send as it may be with a part. */
export function isLate({ deadlineMs }: Target, tookMs: number): boolean {
  return tookMs > deadlineMs / 2;
}

function behave(
  socket: Socket,
  manner: Manner,
  timers: NodeJS.Timeout[],
  finish: (endedBy: Experience["endedBy"]) => void,
): void {
  if (manner.kind === "drips") {
    timers.push(setInterval(() => socket.write(manner.bytes), DRIP_MS));
  } else if (manner.kind === "ends") socket.end();
  else if (manner.kind === "resets") {
    socket.resetAndDestroy();
    finish("client");
  }
}

/** Whoever expects no answer in HTTP is not asked whether it was one. */
function answersIn(bytes: Buffer, statuses: BadClient["statuses"]): Experience["answers"] {
  if (statuses.every((list) => list.length === 0)) return [];
  try {
    return splitAnswers(bytes);
  } catch {
    return "no HTTP";
  }
}
