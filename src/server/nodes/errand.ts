/**
 * A request that this node does for its client at another one: what is sent of it, and whether it
 * may be sent once more. Headers that are about the client's connection stay here, and so does
 * whatever looks like the word of a node.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import { isTrue } from "../../protocol/wire/wire.ts";
import { originOf } from "../http/origin.ts";
import { expectsContinue, hasBody } from "../http/requestForm.ts";
import { ForwardedBody } from "./forwardedBody.ts";
import { FORWARDED, forwardedText } from "./forwardedHeader.ts";

/** About one connection, by HTTP; and what is set anew. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "content-length",
  "host",
  "expect",
  HEADER.activityId,
  FORWARDED,
]);

export class Errand {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly activityId: string;
  readonly body: ForwardedBody;

  constructor(request: IncomingMessage, response: ServerResponse, activityId: string) {
    this.request = request;
    this.response = response;
    this.activityId = activityId;
    this.body = new ForwardedBody(request);
  }

  /** Whether the client waits for a word before it sends the body. */
  get waitsForGoAhead(): boolean {
    return expectsContinue(this.request) && hasBody(this.request);
  }

  /** It changes nothing, however often it is done. */
  get onlyReads(): boolean {
    const { method, headers } = this.request;
    if (method === "GET" || method === "HEAD") return true;
    const isQuery = isTrue(headers, HEADER.isQuery) || isTrue(headers, HEADER.isQueryPlan);
    return method === "POST" && isQuery;
  }

  /** As names and values in turn. `from` is the node that hands it on. */
  headersFrom(from: string): string[] {
    const { headers, rawHeaders } = this.request;
    const named = new Set((headers.connection ?? "").toLowerCase().split(/\s*,\s*/));
    const kept: string[] = ["host", headers.host ?? ""];
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at]!.toLowerCase();
      if (!OWN_HEADERS.has(name) && !named.has(name))
        kept.push(rawHeaders[at]!, rawHeaders[at + 1]!);
    }
    kept.push(HEADER.activityId, this.activityId);
    kept.push(FORWARDED, forwardedText(from, originOf(this.request)));
    if (headers["transfer-encoding"] !== undefined) kept.push("transfer-encoding", "chunked");
    else if (hasBody(this.request)) kept.push("content-length", headers["content-length"]!);
    else if (this.request.method !== "GET") kept.push("content-length", "0");
    if (this.waitsForGoAhead) kept.push("expect", "100-continue");
    return kept;
  }
}
