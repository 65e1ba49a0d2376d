/**
 * An answer as bytes, for a connection on which no request has come that Node could answer: the
 * headers were malformed, too long or too late. It is the last thing the connection gets.
 */
import { STATUS_CODES } from "node:http";
import type { WireAnswer } from "../../protocol/wire/wire.ts";

export function lastWords({ status, headers, body }: WireAnswer): Buffer {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, "connection: close"];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  lines.push(`content-length: ${body?.length ?? 0}`, "", "");
  const head = Buffer.from(lines.join("\r\n"), "latin1");
  return body === undefined ? head : Buffer.concat([head, body]);
}
