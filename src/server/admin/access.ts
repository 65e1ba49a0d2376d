/**
 * Who may use the admin API.
 *
 * - By default programs on this machine and nobody else: peers with a loopback address. A request
 *   that says it was forwarded comes from elsewhere, whoever handed it on.
 * - Under `any` others too, with an account key as a bearer; the read-only key for what only reads.
 * - No web page but this server's own. A page on any site can make the browser of somebody on this
 *   machine send requests here; what such a request cannot do is hide where it comes from.
 *
 * Keys are compared in constant time, by digest. Not here: the host allow-list, which the listener
 * has checked before.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { AccountKey, KeyRing } from "../../protocol/auth/authorization.ts";
import type { WireHeaders } from "../../protocol/wire/wire.ts";
import { headerOf } from "../../protocol/wire/wire.ts";
import type { AdminAccess } from "../surroundings/options.ts";
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

export function accessCheck(access: AdminAccess, keys: KeyRing): AccessCheck {
  return (asker) => {
    if (access === "off") return problem(404, "The admin API of this server is switched off.");
    if (isForeignPage(asker.headers)) {
      return problem(403, "The admin API does not answer to web pages of other sites.");
    }
    if (isLocal(asker)) return undefined;
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

const FORWARDED: readonly string[] = ["forwarded", "x-forwarded-for", "x-real-ip"];

function isLocal({ remoteAddress, headers }: Asker): boolean {
  if (FORWARDED.some((name) => headerOf(headers, name) !== undefined)) return false;
  const address = remoteAddress?.replace(/^::ffff:/i, "") ?? "";
  return address === "::1" || /^127(\.\d{1,3}){3}$/.test(address);
}

/**
 * Browsers name the page's site in `Origin` with every request that may change something or whose
 * answer a script could read, and in `Sec-Fetch-Site` how the page relates to us with all others.
 * Another port of this machine is another site.
 */
function isForeignPage(headers: WireHeaders): boolean {
  const site = headerOf(headers, "sec-fetch-site")?.toLowerCase();
  if (site !== undefined && site !== "same-origin" && site !== "none") return true;
  const origin = headerOf(headers, "origin");
  return origin !== undefined && !isOwn(origin, headerOf(headers, "host") ?? "");
}

/** The scheme is not compared: in front of us TLS may have ended. */
function isOwn(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: originHost } = new URL(origin);
  if (protocol !== "http:" && protocol !== "https:") return false;
  const own = `${protocol}//${host}`;
  return URL.canParse(own) && new URL(own).host === originHost;
}

function keyProblem(asker: Asker, keys: readonly AccountKey[]): AdminProblem | undefined {
  const challenge = ["www-authenticate", 'Bearer realm="orrery"'];
  const sent = /^bearer +(\S+) *$/i.exec(headerOf(asker.headers, "authorization") ?? "")?.[1];
  if (sent === undefined) {
    return problem(401, "Send an account key: Authorization: Bearer <key>.", challenge);
  }
  const digest = digestOf(sent);
  // All of them are looked at, so that time tells nothing about which one came close.
  const fitting = keys.filter(({ key }) => timingSafeEqual(digestOf(key), digest));
  if (fitting.length === 0) return problem(401, "That is no key of this account.", challenge);
  if (asker.method === "GET" || fitting.some(({ isReadOnly }) => !isReadOnly)) return undefined;
  return problem(403, "The read-only key does not allow this operation.");
}

function digestOf(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
