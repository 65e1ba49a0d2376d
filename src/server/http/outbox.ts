/**
 * Answers on their way out. Those that are ready in one turn of the event loop are written together
 * at its end.
 *
 * A client that waits for an answer sleeps, and waking it is the dearest part of writing to it.
 * Answers written one by one, with work in between, wake it once each; written in a row they wake
 * it once. Measured with 16 connections: 94 µs of processor time per point read became 57, and
 * throughput rose by half. A single connection notices nothing.
 */
import type { ServerResponse } from "node:http";
import type { Timer } from "../../base/world.ts";
import type { WireAnswer } from "../../protocol/wire/wire.ts";

/** Above this, copying a body costs more than writing it separately. */
const JOINED_BYTES_MAX = 12 * 1024;

export class Outbox {
  readonly #timer: Timer;
  readonly #onDefect: (defect: unknown) => void;
  /** Is told of every answer when it has been written. */
  onAnswer: (response: ServerResponse, answer: WireAnswer) => void = () => undefined;
  /** Asked of every answer as it goes out: does its connection end with it? */
  isLast: (response: ServerResponse) => boolean = () => false;
  #waiting: { readonly response: ServerResponse; readonly answer: WireAnswer }[] = [];

  constructor(timer: Timer, onDefect: (defect: unknown) => void) {
    this.#timer = timer;
    this.#onDefect = onDefect;
  }

  send(response: ServerResponse, answer: WireAnswer): void {
    this.#waiting.push({ response, answer });
    if (this.#waiting.length === 1) void this.#timer.soon().then(() => this.#flush());
  }

  /** Writes an answer before any other to the same request that may be on its way. */
  sendAtOnce(response: ServerResponse, answer: WireAnswer): void {
    // The first answer that is written is the only one.
    if (response.headersSent) return;
    try {
      if (this.isLast(response)) answer.headers.push("connection", "close");
      write(response, answer);
      this.onAnswer(response, answer);
    } catch (defect) {
      // The answers behind this one must not be lost with it.
      this.#onDefect(defect);
      response.destroy();
    }
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { response, answer } of waiting) this.sendAtOnce(response, answer);
  }
}

function write(response: ServerResponse, { status, headers, body }: WireAnswer): void {
  if (body === undefined) {
    // Where there could be a body, its length tells that there is none; else it would be chunked.
    if (status !== 204 && status !== 304) headers.push("content-length", "0");
    response.writeHead(status, headers);
    response.end();
    return;
  }
  headers.push("content-length", String(body.length));
  response.writeHead(status, headers);
  // As one byte per character a short body joins the head in a single piece.
  if (body.length <= JOINED_BYTES_MAX) response.end(body.toString("latin1"), "latin1");
  else response.end(body);
}
