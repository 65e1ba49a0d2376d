/**
 * Reads a request body within its limit. One that is too long is read to its end and thrown away,
 * up to a point: a client that is still sending does not listen to an early answer. Beyond that
 * point the connection is cut.
 */
import type { IncomingMessage } from "node:http";

/** How much of an oversized body is listened to before the connection is cut. */
const PATIENCE_FACTOR = 8;

const NOTHING = Buffer.alloc(0);

export type BodyOutcome =
  | { readonly kind: "body"; readonly body: Buffer }
  | { readonly kind: "tooLarge" }
  /** The client went away before it had sent everything. */
  | { readonly kind: "aborted" };

export function readBody(
  request: IncomingMessage,
  { bytesMax, isKept }: { readonly bytesMax: number; readonly isKept: boolean },
  done: (outcome: BodyOutcome) => void,
): void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let isDone = false;
  const finish = (outcome: BodyOutcome): void => {
    if (isDone) return;
    isDone = true;
    done(outcome);
  };
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= bytesMax && isKept) chunks.push(chunk);
    else {
      chunks = [];
      if (bytes > bytesMax * PATIENCE_FACTOR) request.destroy();
    }
  });
  request.on("end", () => {
    if (bytes > bytesMax) finish({ kind: "tooLarge" });
    else if (chunks.length === 1) finish({ kind: "body", body: chunks[0]! });
    else finish({ kind: "body", body: chunks.length === 0 ? NOTHING : Buffer.concat(chunks) });
  });
  request.on("close", () => finish({ kind: "aborted" }));
}
