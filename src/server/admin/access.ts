/**
 * Who may use the admin API.
 *
 * - By default programs on this machine and nobody else: peers with a loopback address. A request
 *   that says it was forwarded comes from elsewhere, whoever handed it on.
 * - Under `any` others too, with an account key as a bearer; the read-only key for what only reads.
 * - No web page but this server's own. A page on any site can make the browser of somebody on this
 *   machine send requests here; what such a request cannot do is hide where it comes from.
 *
 * - A request of that page is judged by the session of the page, wherever the browser is: whoever
 *   has a session has shown an account key, or is on this machine where the key is known to all.
 *
 * Not here: the host allow-list, which the listener has checked before.
 */
import type { AccountKey, KeyRing } from "../../protocol/auth/authorization.ts";
import { heldKeyOf } from "../../protocol/auth/heldKey.ts";
import type { WireHeaders } from "../../protocol/wire/wire.ts";
import { headerOf } from "../../protocol/wire/wire.ts";
import type { PageSessions } from "../access/pageSessions.ts";
import { isOfThisMachine, pageRelationOf } from "../http/sender.ts";
import type { AdminAccess } from "../surroundings/orreryOptions.ts";
import type { AdminProblem } from "./problem.ts";
import { problem } from "./problem.ts";

interface Asker {
  readonly method: string;
  readonly headers: WireHeaders;
  /** The other end of the socket. */
  readonly remoteAddress: string | undefined;
}

/** `undefined` when the request may go on. */
export type AccessCheck = (asker: Asker) => AdminProblem | undefined;

/** `pages` is absent where no page is served. */
export function accessCheck(
  access: AdminAccess,
  keys: KeyRing,
  pages?: Pick<PageSessions, "isOfPage" | "check">,
): AccessCheck {
  return (asker) => {
    if (access === "off") return problem(404, "The admin API of this server is switched off.");
    if (pageRelationOf(asker.headers) === "foreign") {
      return problem(403, "The admin API does not answer to web pages of other sites.");
    }
    if (pages?.isOfPage(asker.headers) === true) return pageProblem(asker, pages);
    if (isOfThisMachine(asker)) return undefined;
    if (access !== "any") {
      return problem(
        403,
        "The admin API answers only to programs on the server's own machine. " +
          "Start the server with --admin any to open it to holders of an account key.",
      );
    }
    return keyProblem(asker, keys.list);
  };
}

function pageProblem(asker: Asker, pages: Pick<PageSessions, "check">): AdminProblem | undefined {
  const granted = pages.check(asker);
  if (!granted.ok) {
    const { kind, message } = granted.error;
    return problem(kind === "unauthorized" ? 401 : 403, message);
  }
  if (asker.method === "GET" || !granted.value.isReadOnly) return undefined;
  return problem(403, "This session of the page was opened with a read-only key.");
}

function keyProblem(asker: Asker, keys: readonly AccountKey[]): AdminProblem | undefined {
  const challenge = ["www-authenticate", 'Bearer realm="orrery"'];
  const sent = /^bearer +(\S+) *$/i.exec(headerOf(asker.headers, "authorization") ?? "")?.[1];
  if (sent === undefined) {
    return problem(401, "Send an account key: Authorization: Bearer <key>.", challenge);
  }
  const held = heldKeyOf(sent, keys);
  if (held === undefined) return problem(401, "That is no key of this account.", challenge);
  if (asker.method === "GET" || !held.isReadOnly) return undefined;
  return problem(403, "The read-only key does not allow this operation.");
}
