/**
 * What a request tells about who sent it: a program on this machine, this server's own web page, or
 * a page of another site.
 *
 * A page on any site can make a browser send requests here. What such a request cannot do is hide
 * where it comes from: browsers name the page's site in `Origin` with every request that may change
 * something or whose answer a script could read, and in `Sec-Fetch-Site` how the page relates to
 * us. Not here: the host allow-list, which the listener has checked before.
 */
import type { WireHeaders } from "../../protocol/wire/wire.ts";
import { headerOf } from "../../protocol/wire/wire.ts";

/** `unsaid` for programs, for what was typed into the address bar, and for old browsers. */
type PageRelation = "own" | "foreign" | "unsaid";

/** Another port of this machine is another site, and so is a page that has no site (`null`). */
export function pageRelationOf(headers: WireHeaders): PageRelation {
  const site = headerOf(headers, "sec-fetch-site")?.toLowerCase();
  if (site !== undefined && site !== "same-origin" && site !== "none") return "foreign";
  const origin = headerOf(headers, "origin");
  if (origin !== undefined) {
    return isOwn(origin, headerOf(headers, "host") ?? "") ? "own" : "foreign";
  }
  return site === "same-origin" ? "own" : "unsaid";
}

/** The scheme is not compared: in front of us TLS may have ended. */
function isOwn(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: originHost } = new URL(origin);
  if (protocol !== "http:" && protocol !== "https:") return false;
  const own = `${protocol}//${host}`;
  return URL.canParse(own) && new URL(own).host === originHost;
}

const FORWARDED: readonly string[] = ["forwarded", "x-forwarded-for", "x-real-ip"];

interface Peer {
  readonly headers: WireHeaders;
  /** The other end of the socket. */
  readonly remoteAddress: string | undefined;
}

/** A request that says it was forwarded comes from elsewhere, whoever handed it on. */
export function isOfThisMachine({ remoteAddress, headers }: Peer): boolean {
  if (FORWARDED.some((name) => headerOf(headers, name) !== undefined)) return false;
  const address = remoteAddress?.replace(/^::ffff:/i, "") ?? "";
  return address === "::1" || /^127(\.\d{1,3}){3}$/.test(address);
}
