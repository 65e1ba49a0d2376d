/**
 * Which addresses may be an account. A URL comes from a command line, a script or a ticket, and
 * this process sends a signed request to it: addresses of the link, of nobody and of the services
 * that give out a machine's credentials are refused, in whatever way they are written, and so are
 * names that lead to them. The machine itself and private networks are where emulators run.
 */
import { lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { BadOption } from "../../server/surroundings/options.ts";

/** What a forbidden address is, each as a network of version 4. */
const NETWORKS: readonly (readonly [string, number])[] = [
  // Nobody's, and in effect this machine's.
  ["0.0.0.0", 8],
  // Link-local; among them the address at which clouds give out credentials.
  ["169.254.0.0", 16],
  // The same of other clouds.
  ["168.63.129.16", 32],
  ["100.100.100.200", 32],
  ["192.0.0.192", 32],
  // Many at once.
  ["224.0.0.0", 4],
  ["255.255.255.255", 32],
];
const NETWORKS_6: readonly (readonly [string, number])[] = [
  ["::", 128],
  ["fe80::", 10],
  ["fec0::", 10],
  ["fd00:ec2::254", 128],
  ["ff00::", 8],
];
const NAMES: ReadonlySet<string> = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "metadata.azure.internal",
  "instance-data",
  "instance-data.ec2.internal",
]);

const FORBIDDEN: BlockList = forbidden();

function forbidden(): BlockList {
  const list = new BlockList();
  for (const [network, bits] of NETWORKS_6) list.addSubnet(network, bits, "ipv6");
  for (const [network, bits] of NETWORKS) {
    // The list knows the mapped form (::ffff:a.b.c.d) by itself.
    list.addSubnet(network, bits, "ipv4");
    const bytes = network.split(".").map(Number);
    const high = ((bytes[0]! << 8) | bytes[1]!).toString(16);
    const low = ((bytes[2]! << 8) | bytes[3]!).toString(16);
    // By the translations of networks and by the tunnel that have such an address within theirs.
    list.addSubnet(`64:ff9b::${high}:${low}`, 96 + bits, "ipv6");
    list.addSubnet(`64:ff9b:1::${high}:${low}`, 96 + bits, "ipv6");
    list.addSubnet(`::ffff:0:${high}:${low}`, 96 + bits, "ipv6");
    // The oldest way to write one; nobody's network of it is where ::1 is, this machine.
    if (bytes[0] !== 0) list.addSubnet(`::${high}:${low}`, 96 + bits, "ipv6");
    list.addSubnet(`2002:${high}:${low}::`, 16 + bits, "ipv6");
  }
  return list;
}

export function isForbiddenAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  return FORBIDDEN.check(address, version === 4 ? "ipv4" : "ipv6");
}

/** Checked as far as that can be done without asking anybody. `option` is who gave it. */
export function accountUrl(option: string, text: string): URL {
  if (!URL.canParse(text)) {
    throw new BadOption(`${option} is no URL; an account is an http or https URL.`);
  }
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new BadOption(`${option} is a ${url.protocol} URL; an account is an http or https URL.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new BadOption(
      `${option} has a name or a password in its URL, where it would end up in logs. Give the ` +
        `key with ${option}-key, or in the environment.`,
    );
  }
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    throw new BadOption(
      `${option} is '${url.origin}' with more behind it; the URL of an account ends there.`,
    );
  }
  const host = hostOf(url);
  if (isForbiddenAddress(host) || NAMES.has(host.replace(/\.$/, ""))) {
    throw new BadOption(`${option} is '${url.origin}', ${NO_ACCOUNT}.`);
  }
  return url;
}

const NO_ACCOUNT = "which is no address of an account: link-local, unspecified, or a machine's own";

/** Without the brackets that a URL puts around the addresses of version 6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase();
}

export class ForbiddenAddress extends Error {
  override readonly name = "ForbiddenAddress";
}

/**
 * For sockets: each connection looks its name up anew, and a name that led to an account a moment
 * ago may lead elsewhere now.
 */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error !== null) {
      callback(error, "", 0);
      return;
    }
    const wrong = found.find(({ address }) => isForbiddenAddress(address));
    if (wrong !== undefined) {
      const why = `'${hostname}' leads to ${wrong.address}, ${NO_ACCOUNT}`;
      callback(new ForbiddenAddress(why), "", 0);
    } else if (options.all === true) callback(null, found);
    else callback(null, found[0]!.address, found[0]!.family);
  });
};
