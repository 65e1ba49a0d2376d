/**
 * All connections of a server: how many there may be, how long each may take, and how they end
 * when the server closes.
 *
 * A look at all of them every now and then, by the clock that was passed in, finds those whose
 * time is over. Nothing is done for a connection in between, so a request costs nothing here; and
 * without connections nobody looks.
 *
 * Invariants
 * - Every connection ends: in each stage after its deadline, and none has more than one last word.
 * - When few more connections can be had, those that are idle or slow make room.
 * - A closing server answers every request that has come to it, and those that come afterwards with
 *   503. It does not end a connection before it has been quiet for a moment: a client that is busy
 *   has its next request on the way, and would find the connection closed in front of it.
 */
import type { ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";
import type { Millis } from "../../base/units.ts";
import { millis } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";
import { refusalAnswer, transportAnswer } from "../../protocol/answer/answers.ts";
import type { WireAnswer } from "../../protocol/wire/wire.ts";
import type { Outbox } from "../http/outbox.ts";
import type { Log } from "../surroundings/log.ts";
import type { Send } from "./connection.ts";
import { ClientConnection } from "./connection.ts";
import type { ConnectionStage, Deadlines, StageDeadlines } from "./patience.ts";
import { ENDING_MS } from "./patience.ts";

interface ConnectionsSetting {
  readonly clock: Pick<Clock, "now">;
  readonly timer: Timer;
  readonly log: Log;
  readonly deadlines: Deadlines;
  readonly connectionsMax: number;
}

/** A connection that speaks another protocol than HTTP: counted here, and served elsewhere. */
export interface LentConnection {
  /** The server closes: finish what has come, and end the connection. */
  close(): void;
  /** Asked every now and then: is its time over? Where connections are scarce, who is idle goes. */
  look(now: Millis, deadlines: StageDeadlines, isScarce: boolean): void;
}

/** How long nothing of an answer may be taken, besides what its size allows. */
const ANSWER_MS = 30_000;
const STRETCH_MS = 10_000;
/** From this share of the most connections on, whoever is idle or slow makes room. */
const CROWDED_SHARE = 0.9;
const CROWDED = { headMs: 2_000, idleMs: 1_000, stretchMs: 2_000 };
const CLOSING = { headMs: 1_000, stretchMs: STRETCH_MS };
const LOOK_MS_MIN = 20;
const LOOK_MS_MAX = 500;
/** A server that closes accepts until nobody else comes, but not for ever. */
const ACCEPTING_MS_MAX = 1_000;
/** The first turn may be the rest of one that has begun. */
const QUIET_TURNS = 3;
const CLOSING_LOOK_MS = 50;
/** A complaint that holds on is written down so often. */
const COMPLAINT_INTERVAL_MS = 60_000;

export class Connections {
  readonly #setting: ConnectionsSetting;
  readonly #open = new Map<Socket, ClientConnection>();
  /** The sockets under connections that have not finished the greeting of TLS, by their peers. */
  readonly #greeting = new Map<string, { readonly socket: Socket; readonly since: Millis }>();
  readonly #lent = new Map<Socket, LentConnection>();
  #send: Send = () => undefined;
  #sendAtOnce: Send = () => undefined;
  #cancelLook: (() => void) | undefined;
  #isClosing = false;
  #isHurried = false;
  #quiet: Millis = millis(0);
  #acceptedCount = 0;
  #nextComplaintAt = Number.NEGATIVE_INFINITY;

  constructor(setting: ConnectionsSetting) {
    this.#setting = setting;
  }

  /** The deadlines of a usual moment. */
  get deadlines(): Deadlines {
    return this.#setting.deadlines;
  }

  /** No request is begun any more. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  get count(): number {
    return this.#open.size + this.#greeting.size + this.#lent.size;
  }

  /** Takes charge of the connections of a server, whose answers go out by `outbox`. */
  watch(server: Server, outbox: Outbox): void {
    this.#send = (response, answer) => outbox.send(response, answer);
    this.#sendAtOnce = (response, answer) => outbox.sendAtOnce(response, answer);
    outbox.isLast = (response) => this.#isLast(response);
    server.maxConnections = this.#setting.connectionsMax;
    server.on("connection", (socket: Socket) => {
      this.#acceptedCount++;
      this.#add(socket);
    });
    // Without a listener the first connection that the system cannot open would end the process.
    server.on("error", (error: Error) => {
      // Whoever wanted to listen is told by itself that this failed.
      if (server.listening) this.#complain("connectionsFailed", error.message);
    });
    server.on("drop", () => this.#complain("connectionsRefused", "there are too many"));
  }

  /** A connection has begun TLS: `welcome` gets what comes out of it, unless it takes too long. */
  greet(socket: Socket): void {
    const peer = peerOf(socket);
    this.#open.delete(socket);
    this.#greeting.set(peer, { socket, since: this.#setting.clock.now() });
    socket.once("close", () => this.#greeting.delete(peer));
    this.#lookLater();
  }

  /** The greeting of TLS is over; `socket` is what has come out of it. */
  welcome(socket: Socket): void {
    this.#greeting.delete(peerOf(socket));
    this.#add(socket);
  }

  /** Somebody else serves a connection from now on. */
  lend(socket: Socket, holder: LentConnection): void {
    this.#open.delete(socket);
    if (socket.destroyed) return;
    this.#lent.set(socket, holder);
    socket.once("close", () => this.#lent.delete(socket));
    if (this.#isClosing) holder.close();
  }

  all(): Iterable<ClientConnection> {
    return this.#open.values();
  }

  of(socket: Socket): ClientConnection | undefined {
    return this.#open.get(socket);
  }

  /** Whether the connection ends with this answer, which is about to be written. */
  #isLast(response: ServerResponse): boolean {
    return this.#open.get(response.req.socket)?.isLast(response, this.#isClosing) ?? false;
  }

  /**
   * Resolves when there are no connections any more. Requests under way have until `patience` is
   * over; then they are told that the server closes. A connection is ended when nothing has come by
   * it for as long as `quiet`.
   */
  async close(
    server: Server,
    { patience, quiet }: { readonly patience: Millis; readonly quiet: Millis },
  ): Promise<void> {
    await this.#allAccepted();
    const ended = new Promise<void>((resolve) => server.close(() => resolve()));
    // Not before: whoever is told that the server closes may connect once more, at once.
    this.#isClosing = true;
    this.#quiet = quiet;
    for (const holder of this.#lent.values()) holder.close();
    const cancel = this.#setting.timer.after(patience, () => this.hurry());
    this.#lookSoon();
    await ended;
    cancel();
    this.#cancelLook?.();
  }

  /** Ends the patience of `close` now. */
  hurry(): void {
    this.#isHurried = true;
    this.#lookSoon();
  }

  /**
   * Who has connected but was not accepted yet would be reset when the server stops to listen. The
   * system accepts one of them in each turn of the event loop.
   */
  async #allAccepted(): Promise<void> {
    const { clock, timer } = this.#setting;
    const until = clock.now() + ACCEPTING_MS_MAX;
    for (let quietTurns = 0; quietTurns < QUIET_TURNS && clock.now() < until; quietTurns++) {
      const before = this.#acceptedCount;
      await timer.soon();
      if (this.#acceptedCount !== before) quietTurns = 0;
    }
  }

  #add(socket: Socket): void {
    this.#open.set(socket, new ClientConnection(socket));
    socket.once("close", () => this.#open.delete(socket));
    this.#lookLater();
  }

  #complain(event: string, reason: string): void {
    const now = this.#setting.clock.now();
    if (now < this.#nextComplaintAt) return;
    this.#nextComplaintAt = now + COMPLAINT_INTERVAL_MS;
    this.#setting.log(event, { reason, open: this.count, most: this.#setting.connectionsMax });
  }

  #lookLater(): void {
    this.#cancelLook ??= this.#setting.timer.after(this.#lookMs(), () => this.#lookSoon());
  }

  #lookMs(): Millis {
    if (this.#isClosing) return millis(CLOSING_LOOK_MS);
    const { headMs, bodyMs, idleMs } = this.#setting.deadlines;
    const quarter = Math.min(headMs, bodyMs, idleMs) / 4;
    return millis(Math.min(LOOK_MS_MAX, Math.max(LOOK_MS_MIN, quarter)));
  }

  /**
   * Not before everything has been read that has come by now: this process may have stood still
   * for a while, and clients are not to blame for that.
   */
  #lookSoon(): void {
    const now = this.#setting.clock.now();
    void this.#setting.timer.soon().then(() => this.#look(now));
  }

  #look(now: Millis): void {
    this.#cancelLook?.();
    this.#cancelLook = undefined;
    const deadlines = this.#deadlines();
    const { headMs } = deadlines;
    // A stranger has no more time between requests than for one.
    const strangers = { ...deadlines, idleMs: Math.min(deadlines.idleMs, headMs) };
    for (const connection of this.#open.values()) {
      const stage = connection.lateStage(now, connection.isTrusted ? deadlines : strangers);
      if (stage !== undefined) this.#endLate(connection, stage);
    }
    for (const { socket, since } of this.#greeting.values()) {
      if (now - since >= headMs) socket.destroy();
    }
    const isScarce = this.#isClosing || this.#isCrowded;
    for (const [socket, holder] of this.#lent) {
      if (this.#isHurried) socket.destroy();
      else holder.look(now, deadlines, isScarce);
    }
    if (this.count > 0) this.#lookLater();
  }

  #deadlines(): StageDeadlines {
    const { deadlines } = this.#setting;
    if (this.#isHurried) {
      return { headMs: 0, bodyMs: 0, idleMs: 0, workMs: 0, answerMs: ENDING_MS, stretchMs: 0 };
    }
    const usual = {
      ...deadlines,
      stretchMs: STRETCH_MS,
      workMs: Number.POSITIVE_INFINITY,
      answerMs: ANSWER_MS,
    };
    if (this.#isClosing) return shorter(usual, { ...CLOSING, idleMs: this.#quiet });
    return this.#isCrowded ? shorter(usual, CROWDED) : usual;
  }

  get #isCrowded(): boolean {
    return this.count >= this.#setting.connectionsMax * CROWDED_SHARE;
  }

  #endLate(connection: ClientConnection, stage: ConnectionStage): void {
    switch (stage) {
      case "idle":
        connection.end();
        return;
      case "head":
      case "body":
      case "work":
        if (this.#isClosing) connection.breakOff(closingAnswer, this.#send);
        else connection.refuse(lateAnswer, this.#sendAtOnce);
        return;
      case "answer":
      case "rest":
      case "ending":
        connection.socket.destroy();
    }
  }
}

function shorter(usual: StageDeadlines, most: typeof CROWDED): StageDeadlines {
  return {
    ...usual,
    headMs: Math.min(usual.headMs, most.headMs),
    idleMs: Math.min(usual.idleMs, most.idleMs),
    stretchMs: Math.min(usual.stretchMs, most.stretchMs),
  };
}

/** The answer to a request that comes too late, or is not done when patience ends. */
export function closingAnswer(activityId: string): WireAnswer {
  const message = "The server is closing. Send the request again when it is back.";
  return refusalAnswer({ kind: "unavailable", message }, activityId);
}

function lateAnswer(activityId: string): WireAnswer {
  const message = "The request took too long to arrive.";
  return transportAnswer({ status: 408, code: "RequestTimeout", message }, activityId);
}

/** Two connections never have the same peer at the same time. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
