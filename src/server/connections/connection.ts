/**
 * One connection: whose turn it is, what it is at, and how it ends.
 *
 * Invariants
 * - Requests that a client sends without waiting for answers are served one after the other. When
 *   many of them wait, no more is read until some have been answered.
 * - A connection that the server ends is ended in two steps: the server's side first, so that the
 *   peer gets every byte it was sent, and the rest when the peer has closed its side or has had
 *   time enough. To close at once would reset a connection on which something has come that nobody
 *   has read, and a reset takes the answer away from a peer that has not read it yet.
 * - Once it is ending, nothing that comes is looked at.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Millis } from "../../base/units.ts";
import type { WireAnswer } from "../../protocol/wire/wire.ts";
import { activityIdOf, newActivityId } from "../http/activityId.ts";
import { DISCARDED_BYTES_MAX } from "../http/requestBody.ts";
import { expectsContinue } from "../http/requestForm.ts";
import { lastWords } from "./lastWords.ts";
import type { ConnectionStage, StageDeadlines } from "./patience.ts";
import { Patience } from "./patience.ts";

/** Makes an answer that names the request it is about. */
export type AnswerOf = (activityId: string) => WireAnswer;
export type Send = (response: ServerResponse, answer: WireAnswer) => void;

/** So many requests may wait for their turn before the server stops to read on. */
const WAITING_MAX = 64;
/** So many requests are let pass on a connection that is ending before it is not read any more. */
const IGNORED_MAX = 16;

export class ClientConnection {
  readonly socket: Socket;
  /** Whether a request with a good credential has come by it. */
  isTrusted = false;
  readonly #patience = new Patience();
  /** The request that is served, or was the last to be, by its answer. */
  #current: ServerResponse | undefined;
  #newest: ServerResponse | undefined;
  #visit = 0;
  #waitingCount = 0;
  #ignoredCount = 0;
  #isHeld = false;
  #isEnding = false;
  /** Nothing that comes after the newest request can be read, or not all of that one. */
  #isBroken = false;
  /** The connection ends with the request that is served, whatever waits behind it. */
  #isCutShort = false;
  /** The peer speaks another protocol, and does not understand words of HTTP. */
  #isForeign = false;
  /** What the newest request gets instead of being served, when its turn comes. */
  #instead: (() => void) | undefined;
  #idleVisit = -1;
  #idleBytes = 0;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("resume", () => {
      if (this.#isHeld) socket.pause();
    });
  }

  /** Whether no request has come by it. */
  get isNew(): boolean {
    return this.#newest === undefined;
  }

  /** The peer speaks another protocol, and somebody else answers it. */
  giveAway(): void {
    this.#isForeign = true;
  }

  /** A request has come; `serve` is called when it is its turn, if that ever comes. */
  begin(response: ServerResponse, serve: () => void): void {
    if (this.#isEnding) {
      if (++this.#ignoredCount > IGNORED_MAX) this.socket.pause();
      return;
    }
    this.#newest = response;
    if (response.socket !== null) {
      this.#serve(response, serve);
      return;
    }
    if (++this.#waitingCount === WAITING_MAX) {
      this.#isHeld = true;
      this.socket.pause();
    }
    response.once("socket", () => {
      if (--this.#waitingCount === WAITING_MAX / 2 && this.#isHeld) {
        this.#isHeld = false;
        this.#readOn();
      }
      if (!this.#isEnding) this.#serve(response, serve);
    });
  }

  #serve(response: ServerResponse, serve: () => void): void {
    this.#current = response;
    this.#visit++;
    if (response === this.#newest && this.#instead !== undefined) this.#instead();
    else serve();
  }

  /** Node holds a connection, too, whose answers are not taken, and lets go of it by itself. */
  #readOn(): void {
    if (Reflect.get(this.socket, "_paused") !== true) this.socket.resume();
  }

  /** The stage in which the connection has been for too long; `undefined` if in none. */
  lateStage(now: Millis, deadlines: StageDeadlines): ConnectionStage | undefined {
    const stage = this.stage;
    const isOut = stage === "answer";
    const { socket } = this;
    const sight = {
      stage,
      visit: this.#visit,
      bytes: isOut ? socket.bytesWritten - socket.writableLength : socket.bytesRead,
      pendingBytes: isOut ? this.#current!.writableLength : 0,
    };
    return this.#patience.isOver(sight, now, deadlines) ? stage : undefined;
  }

  get stage(): ConnectionStage {
    if (this.#isEnding) return "ending";
    const current = this.#current;
    if (current === undefined) return "head";
    if (!current.writableFinished) {
      if (current.headersSent) return "answer";
      // What nobody has begun to read may come as late as it likes.
      return current.req.complete || current.req.readableFlowing !== true ? "work" : "body";
    }
    if (!current.req.complete) return "rest";
    const { bytesRead } = this.socket;
    if (this.#idleVisit !== this.#visit) {
      this.#idleVisit = this.#visit;
      this.#idleBytes = bytesRead;
    }
    return bytesRead > this.#idleBytes ? "head" : "idle";
  }

  /**
   * Asked for each answer when it is about to be written: is it the last one? Then the connection
   * ends with it. The rest of a short body is waited for, so that the connection can be kept.
   */
  isLast(response: ServerResponse, isClosing: boolean): boolean {
    const isWholeSoon = response.req.complete || hasShortRest(response.req);
    const isKept = isWholeSoon && !this.#isCutShort && !(isClosing && this.#waitingCount === 0);
    // Node calls this when it has written an answer that is the last.
    if (!isKept) this.socket.destroySoon = () => this.end();
    return !isKept;
  }

  /**
   * What comes is no request, or does not come to its end: the answer says so, and is the last.
   * It is not written before those of the requests in front: the client would take it for one of
   * them. If it is the newest request that is broken, the answer is that request's.
   */
  refuse(answerOf: AnswerOf, send: Send): void {
    if (this.#isEnding || this.#isBroken) return;
    this.#isBroken = true;
    const newest = this.#newest;
    if (newest === undefined) this.#endWith(answerOf);
    else if (newest.req.complete) {
      if (newest.writableFinished) this.#endWith(answerOf);
      else newest.once("close", () => this.#endWith(answerOf));
    } else if (newest.writableFinished) this.end();
    else if (newest.headersSent) newest.once("close", () => this.end());
    else if (newest === this.#current) this.breakOff(answerOf, send);
    else this.#instead = () => this.breakOff(answerOf, send);
  }

  /** Answers the request that is served, if that has not happened, and nothing after it. */
  breakOff(answerOf: AnswerOf, send: Send): void {
    this.#isCutShort = true;
    const current = this.#current;
    if (current === undefined || current.writableFinished) this.#endWith(answerOf);
    else if (!current.headersSent) send(current, answerOf(activityIdOf(current.req)));
  }

  #endWith(answerOf: AnswerOf): void {
    this.end(this.#isForeign ? undefined : lastWords(answerOf(newActivityId())));
  }

  /** The server's side is done, with some last words or without. */
  end(words?: Buffer): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#isHeld = false;
    if (words === undefined) this.socket.end();
    else this.socket.end(words);
    // Only who reads learns that the peer has closed its side, too.
    this.#readOn();
  }
}

/** A client that waits for a go-ahead and gets a refusal may send the body, or the next request. */
function hasShortRest(request: IncomingMessage): boolean {
  const declared = request.headers["content-length"];
  if (declared === undefined || expectsContinue(request)) return false;
  return Number(declared) <= DISCARDED_BYTES_MAX;
}
