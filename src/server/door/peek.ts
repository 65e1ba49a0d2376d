/**
 * Looks at the first bytes of a connection and leaves them where they were, for whoever serves it.
 *
 * Always: `hasSpoken` is called once at most, with every byte still to be read; not at all if the
 * connection ends, or is ended, before it has said what it speaks. How long it may take to say so
 * is not decided here (`connections/`).
 */
import type { Socket } from "node:net";
import type { Spoken } from "./firstBytes.ts";
import { spokenIn } from "./firstBytes.ts";

interface Peeking {
  /** The connection has had its last word: what still comes is not looked at. */
  isEnding(): boolean;
  hasSpoken(spoken: Spoken): void;
}

export function peek(socket: Socket, { isEnding, hasSpoken }: Peeking): void {
  let come: Buffer = Buffer.alloc(0);
  const look = (): void => {
    const bytes: Buffer | null = socket.read();
    if (bytes === null || isEnding()) return;
    // Bytes that are given back at once would be announced at once, again and again.
    come = come.length === 0 ? bytes : Buffer.concat([come, bytes]);
    const spoken = spokenIn(come);
    if (spoken === undefined) return;
    socket.off("readable", look).off("end", hangUp).off("error", ignore);
    socket.unshift(come);
    hasSpoken(spoken);
  };
  const hangUp = (): void => void socket.end();
  // A connection that breaks closes by itself, and has nobody to tell.
  const ignore = (): void => undefined;
  socket.on("readable", look).on("end", hangUp).on("error", ignore);
}
