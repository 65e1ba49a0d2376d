/**
 * What one node tells another of a request that it hands on, in one header. It is believed on the
 * port for nodes only; a client's header of this name goes no further than the node it came to.
 */
import type { IncomingMessage } from "node:http";
import type { RequestOrigin } from "../http/origin.ts";

export const FORWARDED = "orrery-forwarded";
/** With 421: the node that was asked does not work, and has done nothing. */
export const REFUSED = "orrery-refused";

export function forwardedText(from: string, { remoteAddress, isSecure }: RequestOrigin): string {
  const told = new URLSearchParams({ from, secure: isSecure ? "1" : "0" });
  if (remoteAddress !== undefined) told.set("for", remoteAddress);
  return told.toString();
}

/** `undefined` where the header is missing, or is there more than once. */
export function forwardedOrigin(request: IncomingMessage): RequestOrigin | undefined {
  const [text, ...more] = request.headersDistinct[FORWARDED] ?? [];
  if (text === undefined || more.length > 0) return undefined;
  const told = new URLSearchParams(text);
  if (told.get("from") === null) return undefined;
  return { remoteAddress: told.get("for") ?? undefined, isSecure: told.get("secure") === "1" };
}
