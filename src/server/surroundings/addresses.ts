/** What can be told of an address without asking anybody: what it is, and who can reach it. */
import { isIP } from "node:net";

/** Some options take a file or a URL: this tells them apart. */
export function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

/** Only programs on this machine can reach a loopback address. */
export function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  if (isIP(host) === 4) return host.startsWith("127.");
  return host === "::1";
}
