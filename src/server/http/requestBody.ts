/**
 * Reads a request body within its limit. One that is too long is told so as soon as that is known:
 * before anything is read if its length is declared, else at the first byte beyond the limit.
 *
 * Always: of a body that nobody wants, no more than `DISCARDED_BYTES_MAX` is read. A client that is
 * still sending may not look at an answer before it has sent everything; so a moderate rest is
 * taken from it and thrown away.
 *
 * Not here: how long a body may take (`connections/patience.ts`), and when the connection ends.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { expectsContinue, hasBody } from "./requestForm.ts";

/** How much is read of a body after it is known that nobody wants it. */
export const DISCARDED_BYTES_MAX: number = 1024 * 1024;

const NOTHING = Buffer.alloc(0);

type BodyOutcome =
  | { readonly kind: "body"; readonly body: Buffer }
  | { readonly kind: "tooLarge" }
  /** The client went away before it had sent everything. */
  | { readonly kind: "aborted" };

/** Reads the body of the request that `response` is going to answer. */
export function readBody(
  response: ServerResponse,
  { bytesMax }: { readonly bytesMax: number },
  done: (outcome: BodyOutcome) => void,
): void {
  const request = response.req;
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) {
    discardBody(request);
    done({ kind: "tooLarge" });
    return;
  }
  if (expectsContinue(request) && hasBody(request)) response.writeContinue();
  let chunks: Buffer[] = [];
  let bytes = 0;
  let isDone = false;
  const finish = (outcome: BodyOutcome): void => {
    if (isDone) return;
    isDone = true;
    done(outcome);
  };
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes <= bytesMax) {
      chunks.push(chunk);
      return;
    }
    chunks = [];
    discardBody(request);
    request.off("data", onData);
    finish({ kind: "tooLarge" });
  };
  request.on("data", onData);
  request.on("end", () => {
    if (chunks.length === 1) finish({ kind: "body", body: chunks[0]! });
    else finish({ kind: "body", body: chunks.length === 0 ? NOTHING : Buffer.concat(chunks) });
  });
  request.on("close", () => finish({ kind: "aborted" }));
}

/** Takes what else comes of a body and forgets it, up to a point; beyond that nothing is read. */
export function discardBody(request: IncomingMessage): void {
  if (!hasBody(request)) return;
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DISCARDED_BYTES_MAX) request.pause();
  });
}
