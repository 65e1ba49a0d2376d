/**
 * Which `Host` headers are served.
 *
 * A web page can point a name of its own at 127.0.0.1 and then call a local server as if from the
 * same origin (DNS rebinding). The browser still sends that name as the host, so refusing hosts
 * nobody named for this server closes the door. Ports are not looked at: a published port differs
 * from the bound one, and the name alone says whose page it is.
 */

import { isIP } from "node:net";

/** Names that always mean this machine, whatever a page's own DNS says. */
const LOCAL_NAMES: readonly string[] = ["localhost", "host.docker.internal", "::1"];

/** In the list, this admits every request. */
const ANY_HOST = "*";
/** A server that listens on one of these is meant for other machines, by any name of theirs. */
const ALL_ADDRESSES: readonly string[] = ["0.0.0.0", "::"];

/**
 * `allow` holds what else may name this server: the bound address, the host of the public
 * endpoint, container names; each with or without a port.
 */
export function isAllowedHost(hostHeader: string | undefined, allow: readonly string[]): boolean {
  if (allow.includes(ANY_HOST)) return true;
  const host = hostOf(hostHeader ?? "");
  if (host === undefined) return false;
  if (isLocalHost(host) || allow.some((allowed) => hostOf(allowed) === host)) return true;
  return isOfNoPage(host) && ALL_ADDRESSES.some((address) => allow.includes(address));
}

/**
 * An address, or a name without a dot, as containers and machines of a private network have them.
 * Neither is a name that a page could point somewhere else: whoever sends it means this server.
 */
const isOfNoPage = (host: string): boolean => !host.includes(".") || isIP(host) !== 0;

const isLocalHost = (host: string): boolean =>
  LOCAL_NAMES.includes(host) || host.endsWith(".localhost") || isLoopbackAddress(host);

/** 127.0.0.0/8 in its usual spelling; browsers turn every other spelling into it. */
function isLoopbackAddress(host: string): boolean {
  return host.startsWith("127.") && /^127(\.(0|[1-9]\d{0,2})){3}$/.test(host) && isIpv4(host);
}

const isIpv4 = (host: string): boolean => host.split(".").every((part) => Number(part) <= 255);

/** The host without port, brackets and final dot, in lower case; `undefined` if malformed. */
function hostOf(text: string): string | undefined {
  const lower = text.toLowerCase();
  if (lower.startsWith("[")) {
    const end = lower.indexOf("]");
    return end > 1 && isPortOrNothing(lower.slice(end + 1)) ? lower.slice(1, end) : undefined;
  }
  const portStart = lower.indexOf(":");
  // More than one colon and no brackets: an IPv6 address as options may give it.
  if (portStart >= 0 && lower.indexOf(":", portStart + 1) >= 0) return lower;
  const nameEnd = portStart < 0 ? lower.length : portStart;
  if (!isPortOrNothing(lower.slice(nameEnd))) return undefined;
  const name = lower.slice(0, lower[nameEnd - 1] === "." ? nameEnd - 1 : nameEnd);
  return name === "" ? undefined : name;
}

const isPortOrNothing = (text: string): boolean => text === "" || /^:\d{1,5}$/.test(text);

/** Remembers the last host that was allowed: clients keep to one spelling of it. */
export function hostGate(allow: readonly string[]): (hostHeader: string | undefined) => boolean {
  let lastAllowed: string | undefined;
  return (hostHeader) => {
    if (hostHeader !== undefined && hostHeader === lastAllowed) return true;
    if (!isAllowedHost(hostHeader, allow)) return false;
    lastAllowed = hostHeader;
    return true;
  };
}
