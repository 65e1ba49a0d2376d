/**
 * How long a connection may be at what it is doing. Every stage but one has a deadline; the
 * server's own work has none while the server is open.
 *
 * - A body has a deadline as a whole, and must besides come at a least rate: whoever drips is
 *   not waited for until the end.
 * - An answer has no deadline as a whole, because a backup may take hours, but its reader must take
 *   some of it from time to time.
 *
 * Invariant: a stage begins anew with every request, so a busy connection is never taken for one
 * that has been at the same thing for long.
 *
 * Not here: sockets, clocks, and what happens to a connection whose time is over.
 */
import type { Millis } from "../../base/units.ts";

/**
 * What a connection is at:
 *
 * - `head`: the first bytes of a request have come and its headers are not complete, or the
 *   connection is new and has not sent anything;
 * - `body`: the server reads a body that has not come to its end;
 * - `work`: the server makes the answer;
 * - `answer`: the answer is on its way out;
 * - `rest`: the answer is out, and the body that nobody wants is still coming;
 * - `idle`: nothing of a next request has come;
 * - `ending`: the server has said its last word and waits for the peer to close.
 */
export type ConnectionStage = "head" | "body" | "work" | "answer" | "rest" | "idle" | "ending";

/** The deadlines that an owner can set. */
export interface Deadlines {
  readonly headMs: number;
  /** The time in which a whole body has to come. */
  readonly bodyMs: number;
  readonly idleMs: number;
}

/** All deadlines of one moment: shorter when connections are scarce or the server closes. */
export interface StageDeadlines extends Deadlines {
  /** In each such stretch of a body some of it has to come. */
  readonly stretchMs: number;
  readonly workMs: number;
  /** How long nothing of an answer may be taken. */
  readonly answerMs: number;
}

/** What can be seen of a connection from outside. */
export interface ConnectionSight {
  readonly stage: ConnectionStage;
  /** How many requests of this connection have been served, with the one that is. */
  readonly visit: number;
  /** How many bytes have come, or of an answer: have been taken. */
  readonly bytes: number;
  /** How many bytes of an answer still wait to be taken. */
  readonly pendingBytes: number;
}

/** How long who has been answered may go on sending, and who has been hung up on may take. */
export const ENDING_MS = 2_000;
/** A body that comes more slowly than this drips. */
const SENT_BYTES_PER_MS = 0.5;
/** A reader slower than this is taken for none; pieces of answers have up to 4 MB. */
const TAKEN_BYTES_PER_MS = 16;

export class Patience {
  #stage: ConnectionStage | undefined;
  #visit = -1;
  #since = 0;
  #markedAt = 0;
  #markedBytes = 0;

  /** Whether the time is over. Is to be asked every now and then, with what is seen at the time. */
  isOver(sight: ConnectionSight, now: Millis, deadlines: StageDeadlines): boolean {
    const { stage, visit, bytes } = sight;
    if (stage !== this.#stage || visit !== this.#visit) {
      this.#stage = stage;
      this.#visit = visit;
      this.#since = now;
      this.#mark(bytes, now);
    }
    const elapsed = now - this.#since;
    switch (stage) {
      case "head":
        return elapsed >= deadlines.headMs;
      case "body":
        return elapsed >= deadlines.bodyMs || this.#drips(bytes, now, deadlines);
      case "work":
        return elapsed >= deadlines.workMs;
      case "answer":
        return this.#isUntaken(sight, now, deadlines);
      case "idle":
        return elapsed >= deadlines.idleMs;
      case "rest":
      case "ending":
        return elapsed >= ENDING_MS;
    }
  }

  #mark(bytes: number, now: Millis): void {
    this.#markedAt = now;
    this.#markedBytes = bytes;
  }

  #drips(bytes: number, now: Millis, { stretchMs }: StageDeadlines): boolean {
    const elapsed = now - this.#markedAt;
    if (elapsed < stretchMs) return false;
    if (bytes - this.#markedBytes < elapsed * SENT_BYTES_PER_MS) return true;
    this.#mark(bytes, now);
    return false;
  }

  #isUntaken(
    { bytes, pendingBytes }: ConnectionSight,
    now: Millis,
    { answerMs }: StageDeadlines,
  ): boolean {
    if (bytes !== this.#markedBytes) this.#mark(bytes, now);
    return now - this.#markedAt >= answerMs + pendingBytes / TAKEN_BYTES_PER_MS;
  }
}
