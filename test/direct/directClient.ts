/**
 * A client in direct mode that sends what it is told to: it asks for addresses over HTTP, signs its
 * own requests, and shares one connection among them, as the official clients do.
 *
 * Every answer passes `checkedFrame`, which reads as strictly as the .NET client: by the type that
 * a token must have, and with everything in it that clients cannot do without.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { TLSSocket } from "node:tls";
import { connect } from "node:tls";
import { expect } from "vitest";
import { parseResourcePath } from "../../src/protocol/request/resourcePath.ts";
import type { ReadAnswer } from "../../src/protocol/rntbd/answerFrame.ts";
import { answerHasBody, decodeAnswerFrame } from "../../src/protocol/rntbd/answerFrame.ts";
import { ANSWER_HEADER_TOKENS, ANSWER_TOKEN } from "../../src/protocol/rntbd/answerTokens.ts";
import { encodeContext } from "../../src/protocol/rntbd/context.ts";
import type { RntbdFrame, TokenForm } from "../../src/protocol/rntbd/frame.ts";
import { FrameReader } from "../../src/protocol/rntbd/frameReader.ts";
import { encodeRequestFrame } from "../../src/protocol/rntbd/requestFrame.ts";
import type { Call } from "../http/wire.ts";
import { signatureOf } from "../http/wire.ts";

/** Where a client finds a server, and how it signs. */
interface Served {
  readonly port: number;
  readonly key: string;
}

interface DirectCall extends Call {
  /** The path of the replica that is asked; by default the first one of the first range. */
  readonly replicaPath?: string;
}

export interface DirectClient extends AsyncDisposable {
  readonly socket: TLSSocket;
  call(method: string, segments: readonly string[], call?: DirectCall): Promise<ReadAnswer>;
  /** Sends the frame of a request whose path is given as it is; `undefined` if there is none. */
  send(method: string, url: string, call: DirectCall): Promise<ReadAnswer> | undefined;
  /** The frames that came and were no answer to a request: that of the greeting first. */
  readonly others: readonly RntbdFrame[];
  /** Resolves when the server has ended the connection. */
  readonly ended: Promise<unknown>;
}

const GREETING = { version: "2020-07-15", userAgent: "direct-test/1" };
const LIMITS = { headBytesMax: 1 << 20, bodyBytesMax: 1 << 26 };
const NO_BODY = Buffer.alloc(0);

export async function connectDirect(
  server: Served,
  { isGreeting = true }: { readonly isGreeting?: boolean } = {},
): Promise<DirectClient> {
  const { port, key } = server;
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  const ended = new Promise((resolve) => socket.once("close", resolve));
  socket.on("error", () => undefined);
  await once(socket, "secureConnect");
  const waiting = new Map<number, (answer: ReadAnswer) => void>();
  const others: RntbdFrame[] = [];
  const reader = new FrameReader(LIMITS, answerHasBody);
  let wake = (): void => undefined;
  socket.on("data", (bytes: Buffer) => {
    for (const frame of reader.push(bytes)) {
      const id = frame.tokens.get(ANSWER_TOKEN.requestId.id);
      const found = typeof id === "number" ? waiting.get(id) : undefined;
      if (found === undefined) others.push(frame);
      else {
        waiting.delete(id as number);
        found(decodeAnswerFrame(checkedFrame(frame)));
      }
      wake();
    }
  });
  if (isGreeting) {
    const greeted = new Promise<void>((resolve) => {
      wake = resolve;
    });
    socket.write(encodeContext(GREETING, randomUUID()));
    await greeted;
  }
  let requestId = 0;
  const send: DirectClient["send"] = (method, url, call) => {
    const path = parseResourcePath(url)!;
    const body = call.body === undefined ? NO_BODY : Buffer.from(call.body);
    const id = ++requestId;
    const terms = {
      activityId: randomUUID(),
      requestId: id,
      replicaPath: call.replicaPath ?? "/apps/orrery/services/master/partitions/M/replicas/1p",
    };
    const frame = encodeRequestFrame({ method, path, headers: call.headers ?? {}, body }, terms);
    if (frame === undefined) return undefined;
    const answered = new Promise<ReadAnswer>((resolve, reject) => {
      waiting.set(id, resolve);
      void ended.then(() => reject(new Error("the server ended the connection")));
    });
    socket.write(frame);
    return answered;
  };
  return {
    socket,
    others,
    ended,
    send,
    call(method, segments, call = {}) {
      const signature = call.key === null ? {} : signatureOf(call.key ?? key, method, segments);
      const url = `/${segments.map(encodeURIComponent).join("/")}`;
      return send(method, url, { ...call, headers: { ...signature, ...call.headers } })!;
    },
    async [Symbol.asyncDispose]() {
      socket.destroy();
      await ended;
    },
  };
}

const FORMS: ReadonlyMap<number, TokenForm> = new Map(
  [...Object.values(ANSWER_TOKEN), ...ANSWER_HEADER_TOKENS].map((form) => [form.id, form]),
);
const ALWAYS = [
  ANSWER_TOKEN.hasBody,
  ANSWER_TOKEN.requestId,
  ANSWER_TOKEN.lsn,
  ANSWER_TOKEN.localLsn,
  ANSWER_TOKEN.ackedLsn,
  ANSWER_TOKEN.ackedLocalLsn,
  ANSWER_TOKEN.globalCommittedLsn,
  ANSWER_TOKEN.readRegionCount,
  ANSWER_TOKEN.writeQuorum,
  ANSWER_TOKEN.replicaSetSize,
];

/** What a client that checks nothing would fall over, or wait for. */
function checkedFrame(frame: RntbdFrame): RntbdFrame {
  const { word, tokens, body } = frame;
  for (const [id, value] of tokens) {
    const form = FORMS.get(id);
    expect(form, `token ${id.toString(16)}`).toBeDefined();
    const isText = form!.type === "string";
    expect(typeof value, `token ${id.toString(16)}`).toBe(isText ? "string" : "number");
  }
  for (const { id } of ALWAYS) expect(tokens.has(id), `token ${id.toString(16)}`).toBe(true);
  const lsn = tokens.get(ANSWER_TOKEN.lsn.id);
  expect(lsn).toBeGreaterThan(0);
  for (const form of [ANSWER_TOKEN.localLsn, ANSWER_TOKEN.ackedLsn]) {
    expect(tokens.get(form.id)).toBe(lsn);
  }
  expect(tokens.get(ANSWER_TOKEN.writeQuorum.id)).toBe(tokens.get(ANSWER_TOKEN.replicaSetSize.id));
  if (tokens.get(ANSWER_TOKEN.hasBody.id) === 1) expect(body?.length).toBeGreaterThan(0);
  if (word === 204 || word === 304) expect(body).toBeUndefined();
  if (word >= 400) {
    const { code, message } = JSON.parse(String(body)) as Record<string, unknown>;
    expect(code).toMatch(/^[A-Z][A-Za-z]+$/);
    expect(message).toMatch(/\w{2}/);
  }
  expect(word).not.toBe(500);
  return frame;
}
