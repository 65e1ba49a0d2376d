/**
 * What is wrong with the form of a request that Node's parser lets pass: headers that contradict
 * each other, codings nobody here can undo, expectations that cannot be met. It is looked at before
 * anything else of the request is.
 */
import type { IncomingMessage } from "node:http";
import type { TransportRefusal } from "../../protocol/answer/answers.ts";

export function formRefusal(request: IncomingMessage): TransportRefusal | undefined {
  const { headers } = request;
  if (hostCount(request) > 1) {
    return badRequest("The request has several Host headers. Send one.");
  }
  if (headers.host === undefined && request.httpVersion === "1.1") {
    return badRequest("The request has no Host header.");
  }
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.trim().toLowerCase() !== "chunked") {
    return badRequest(`The transfer encoding '${coding}' is not supported; send 'chunked'.`);
  }
  if (headers.expect !== undefined && request.httpVersion === "1.1" && !expectsContinue(request)) {
    const message = `The expectation '${headers.expect}' cannot be met.`;
    return { status: 417, code: "ExpectationFailed", message };
  }
  return undefined;
}

function badRequest(message: string): TransportRefusal {
  return { status: 400, code: "BadRequest", message };
}

/** How many Host headers a request has. Node keeps the first of several. */
function hostCount({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === "host") count++;
  }
  return count;
}

/** Whether the client waits to be told that it may send the body. */
export function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  const { expect } = headers;
  return expect !== undefined && httpVersion === "1.1" && /^100-continue$/i.test(expect.trim());
}

/** Whether there is something to read besides the headers. */
export function hasBody({ headers }: IncomingMessage): boolean {
  if (headers["transfer-encoding"] !== undefined) return true;
  const declared = headers["content-length"];
  return declared !== undefined && declared !== "0";
}
