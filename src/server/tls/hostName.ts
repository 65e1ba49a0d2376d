/**
 * The names a certificate can speak for: DNS names and IP addresses.
 *
 * A parsed name is always one that fits a subjectAltName and that `isCovered` finds there again,
 * so a leaf made for a list of names covers that list.
 */
import type { X509Certificate } from "node:crypto";
import { isIP } from "node:net";

export type HostName =
  | { readonly kind: "dns"; readonly name: string }
  | { readonly kind: "ip"; readonly name: string; readonly bytes: Uint8Array };

const DNS_LENGTH_MAX = 253;
const DNS_LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * `undefined` when no certificate can carry the text. Names beyond ASCII must come in their
 * `xn--` form, and an address without a zone: a zone means something on one machine only.
 */
export function parseHostName(text: string): HostName | undefined {
  const version = isIP(text);
  if (version === 4) return { kind: "ip", name: text, bytes: bytesOfIpv4(text) };
  if (version === 6) {
    return text.includes("%") ? undefined : { kind: "ip", name: text, bytes: bytesOfIpv6(text) };
  }
  const name = text.toLowerCase();
  const labels = name.replace(/^\*\.(?=.)/, "").split(".");
  // A number at the end would be read as an address by every client.
  const isDns = labels.every((label) => DNS_LABEL.test(label)) && !/^\d+$/.test(labels.at(-1)!);
  return isDns && name.length <= DNS_LENGTH_MAX ? { kind: "dns", name } : undefined;
}

/** Whether the certificate names exactly this. A wildcard covers itself, not what it matches. */
export function isCovered(host: HostName, certificate: X509Certificate): boolean {
  const found =
    host.kind === "ip"
      ? certificate.checkIP(host.name)
      : certificate.checkHost(host.name, { subject: "never", wildcards: false });
  return found !== undefined;
}

const bytesOfIpv4 = (text: string): Uint8Array => Uint8Array.from(text.split("."), Number);

function bytesOfIpv6(text: string): Uint8Array {
  // The URL parser knows every spelling and answers in one: hexadecimal groups, one "::" at most.
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = canonical
    .split("::")
    .map((side) => side.split(":").filter((group) => group !== ""));
  const gap = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  const groups = [...head, ...gap, ...tail].map((group) => Number.parseInt(group, 16));
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}
