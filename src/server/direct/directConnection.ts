/**
 * A connection of a client in direct mode: requests that share it, each answered when its answer is
 * there, in whatever order that is.
 *
 * Invariants
 * - The first frame says who speaks; nothing else is looked at before. What cannot be read ends the
 *   connection, because nobody knows where the next frame begins.
 * - So many requests are served at a time, and so many bytes of answers wait to be taken; beyond
 *   that nothing is read until there is room.
 * - Answers that are ready in one turn of the event loop are written together at its end.
 * - A closing server answers what has come, tells later requests to look elsewhere, and ends the
 *   connection when it has been quiet for a moment.
 */
import type { TLSSocket } from "node:tls";
import type { Millis } from "../../base/units.ts";
import type { Timer } from "../../base/world.ts";
import {
  decodeContext,
  encodeAcceptance,
  encodeContextRefusal,
  isContext,
} from "../../protocol/rntbd/context.ts";
import type { ComeFrame } from "../../protocol/rntbd/frameReader.ts";
import { FrameReader } from "../../protocol/rntbd/frameReader.ts";
import type { ConnectionFacts } from "../../protocol/rntbd/requestFrame.ts";
import { requestHasBody, requestIdOf } from "../../protocol/rntbd/requestFrame.ts";
import type { LentConnection } from "../connections/connections.ts";
import type { StageDeadlines } from "../connections/patience.ts";
import { DirectPatience } from "./directPatience.ts";
import type { FrameAnswerer } from "./frameAnswerer.ts";

interface DirectSetting {
  readonly answerer: FrameAnswerer;
  readonly timer: Timer;
  readonly bodyBytesMax: number;
  readonly serverVersion: string;
  /** What clients are told of how long they may be idle. */
  readonly idleSeconds: number;
  readonly unauthenticatedSeconds: number;
}

/** The official clients send at most 30 at a time by one connection. */
const SERVED_MAX = 128;
const UNTAKEN_BYTES_MAX = 16 * 1024 * 1024;
/** The .NET client warns of longer ones. */
const HEAD_BYTES_MAX = 128 * 1024;
/** Above this, copying an answer costs more than writing it separately. */
const JOINED_BYTES_MAX = 12 * 1024;

export class DirectConnection implements LentConnection {
  readonly #socket: TLSSocket;
  readonly #setting: DirectSetting;
  readonly #reader: FrameReader;
  readonly #patience = new DirectPatience();
  #facts: ConnectionFacts | undefined;
  #waiting: ComeFrame[] = [];
  #out: Buffer[] = [];
  #outBytes = 0;
  #servedCount = 0;
  #frameCount = 0;
  #isTrusted = false;
  #isHeld = false;
  #isClosing = false;
  #isEnding = false;

  constructor(socket: TLSSocket, setting: DirectSetting) {
    this.#socket = socket;
    this.#setting = setting;
    const { bodyBytesMax } = setting;
    this.#reader = new FrameReader({ headBytesMax: HEAD_BYTES_MAX, bodyBytesMax }, requestHasBody);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.on("error", () => undefined);
    socket.on("data", (bytes: Buffer) => this.#read(bytes));
    socket.on("drain", () => this.#goOn());
    socket.on("end", () => this.#end());
  }

  /** Ends the connection if it has been at the same thing for too long. */
  look(now: Millis, deadlines: StageDeadlines, isScarce: boolean): void {
    const { bytesRead, bytesWritten, writableLength } = this.#socket;
    const sight = {
      isNew: this.#facts === undefined,
      isTrusted: this.#isTrusted,
      isEnding: this.#isEnding,
      isWithinFrame: this.#reader.isWithin && !this.#isHeld,
      isWithinBody: this.#reader.isWithinBody,
      isServing: this.#servedCount > 0,
      frameCount: this.#frameCount,
      comeBytes: bytesRead,
      takenBytes: bytesWritten - writableLength,
      pendingBytes: writableLength,
    };
    const verdict = this.#patience.verdict(sight, now, deadlines, isScarce);
    if (verdict === "end") this.#end();
    else if (verdict === "destroy") this.#socket.destroy();
  }

  close(): void {
    this.#isClosing = true;
  }

  #read(bytes: Buffer): void {
    if (this.#isEnding) return;
    const frames = this.#reader.push(bytes);
    if (frames.length > 0) this.#frameCount += frames.length;
    this.#waiting.push(...frames);
    this.#goOn();
  }

  #goOn(): void {
    while (this.#waiting.length > 0 && this.#hasRoom && !this.#isEnding) {
      this.#take(this.#waiting.shift()!);
    }
    if (this.#waiting.length === 0 && this.#reader.complaint !== undefined) this.#end();
    const isHeld = this.#waiting.length > 0 || !this.#hasRoom;
    if (isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    if (isHeld) this.#socket.pause();
    else this.#socket.resume();
  }

  get #hasRoom(): boolean {
    const untakenBytes = this.#outBytes + this.#socket.writableLength;
    return this.#servedCount < SERVED_MAX && untakenBytes < UNTAKEN_BYTES_MAX;
  }

  #take(frame: ComeFrame): void {
    const facts = this.#facts;
    if (facts === undefined || isContext(frame)) {
      this.#greet(frame);
      return;
    }
    const requestId = requestIdOf(frame);
    // Nobody could tell what an answer without the number is the answer to.
    if (requestId === undefined) {
      this.#end();
      return;
    }
    const { answerer } = this.#setting;
    if (this.#isClosing) {
      this.#send(answerer.refuse({ frame, requestId }, { kind: "replicaGone" }));
      return;
    }
    const served = answerer.serve({
      frame,
      requestId,
      facts,
      since: answerer.now,
      asked: {},
      isGone: () => this.#socket.destroyed,
      onAdmitted: () => {
        this.#isTrusted = true;
      },
    });
    if (!(served instanceof Promise)) {
      this.#send(served);
      return;
    }
    this.#servedCount++;
    void served.then((answer) => {
      this.#servedCount--;
      this.#send(answer);
      if (this.#isHeld) this.#goOn();
    });
  }

  #greet(frame: ComeFrame): void {
    const { serverVersion, idleSeconds, unauthenticatedSeconds } = this.#setting;
    const facts = isContext(frame) && this.#facts === undefined ? decodeContext(frame) : MISPLACED;
    if (!facts.ok) {
      this.#send(encodeContextRefusal(facts.error, frame.activityId));
      this.#end();
      return;
    }
    this.#facts = facts.value;
    const clientVersion = facts.value.version;
    const accepted = { clientVersion, serverVersion, idleSeconds, unauthenticatedSeconds };
    this.#send(encodeAcceptance(accepted, frame.activityId));
  }

  #send(answer: Buffer): void {
    this.#out.push(answer);
    this.#outBytes += answer.length;
    if (this.#out.length === 1) void this.#setting.timer.soon().then(() => this.#flush());
  }

  #flush(): void {
    const out = this.#out;
    this.#out = [];
    this.#outBytes = 0;
    if (this.#socket.destroyed || !this.#socket.writable) return;
    let small: Buffer[] = [];
    const writeSmall = (): void => {
      if (small.length > 0)
        this.#socket.write(small.length === 1 ? small[0]! : Buffer.concat(small));
      small = [];
    };
    for (const answer of out) {
      if (answer.length <= JOINED_BYTES_MAX) small.push(answer);
      else {
        writeSmall();
        this.#socket.write(answer);
      }
    }
    writeSmall();
    if (this.#isHeld) this.#goOn();
  }

  /** What has been answered is still sent; nothing more is read. */
  #end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#waiting = [];
    this.#flush();
    this.#socket.end();
    this.#socket.resume();
  }
}

const KEEP_ALIVE_MS = 60_000;
const MISPLACED = {
  ok: false,
  error: "A connection begins with one frame that says who speaks, and has no other such frame.",
} as const;
