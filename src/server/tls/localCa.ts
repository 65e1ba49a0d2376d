/**
 * A certificate authority of this machine, so that clients can use TLS without a purchased name.
 *
 * The directory keeps `ca.key` and `ca.pem`, made once, and `server.key` and `server.pem`, made
 * anew whenever they no longer serve. A client trusts `ca.pem` once and is never asked again.
 *
 * What always holds
 * - A CA key that exists is never replaced: what cannot be read or does not fit is a
 *   `LocalCaFault` that names the file and the remedy.
 * - Every file is whole or absent, and a key is written before its certificate. So a crash
 *   leaves at most a key alone, or a server pair that does not fit: both mend at the next open.
 * - Two processes may open one directory: the CA of the first is the CA of both.
 */

import type { X509Certificate } from "node:crypto";
import { mkdirSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { DAY_MS } from "../../base/units.ts";

import type { Authority, CertificateSource } from "./certificate.ts";
import { caCertificateOf, leafCertificateOf, newKey } from "./certificate.ts";
import { type HostName, isCovered, parseHostName } from "./hostName.ts";
import * as kept from "./keptFile.ts";

interface LocalCaOptions extends CertificateSource {
  readonly directory: string;
  /** DNS names and addresses to serve, besides those that always are. */
  readonly hostNames: readonly string[];
}

/** What a server needs to serve TLS, all in PEM. */
export interface LocalCa {
  readonly key: string;
  /** The certificate of the server, then that of the authority. */
  readonly cert: string;
  readonly caCert: string;
}

const LEAF_RENEWAL_MS = 30 * DAY_MS;

const RESTORE_CA =
  "Restore it from a backup; or delete both ca.key and ca.pem to make a new CA, " +
  "which clients must then trust anew.";
const REMAKE_CERT = "Restore it from a backup, or delete it: it is made again from ca.key.";
const REMAKE_LEAF = "Delete it: a new one is made at the next start.";

export function openLocalCa(options: LocalCaOptions): LocalCa {
  const hosts = hostsOf(options.hostNames);
  mkdirSync(options.directory, { recursive: true, mode: 0o700 });
  const ca = openAuthority(options);
  const { key, cert } = openLeaf(options, ca, hosts);
  const caCert = ca.certificate.toString();
  return { key, cert: cert + caCert, caCert };
}

function hostsOf(hostNames: readonly string[]): readonly HostName[] {
  const fixed = ["localhost", "127.0.0.1", "::1", "host.docker.internal"];
  const asked = [...fixed, ...hostNames].map((text) => {
    const host = parseHostName(text);
    if (host !== undefined) return host;
    throw new kept.LocalCaFault(
      `The host name ${JSON.stringify(text)} cannot be in a certificate. ` +
        "Give a DNS name (in its xn-- form if it is not ASCII) or an IP address without a zone.",
    );
  });
  // Nobody asked for the machine's own name, so an odd one is left out.
  const machine = parseHostName(hostname());
  const all = machine === undefined ? asked : [...asked, machine];
  return [...new Map(all.map((host) => [host.name, host])).values()];
}

function openAuthority(options: LocalCaOptions): Authority {
  const keyFile = { path: join(options.directory, "ca.key"), mode: 0o600, remedy: RESTORE_CA };
  const certFile = { path: join(options.directory, "ca.pem"), mode: 0o644, remedy: REMAKE_CERT };
  // The certificate first: it is written last, so its key must be there when we look.
  const isCertPresent = kept.readIfPresent(certFile) !== undefined;
  if (isCertPresent && kept.readIfPresent(keyFile) === undefined) {
    throw kept.faultOf(keyFile, "is missing, but its ca.pem is there");
  }
  const key = kept.parseKey(keyFile, kept.readOrCreate(keyFile, newKey));
  const text = kept.readOrCreate(certFile, () => caCertificateOf(key, options));
  const certificate = kept.parseCertificate(certFile, text);
  if (!kept.isPair(key, certificate)) {
    throw kept.faultOf(keyFile, "and ca.pem do not belong together");
  }
  if (!certificate.ca || !certificate.verify(certificate.publicKey)) {
    throw kept.faultOf(certFile, "is damaged: it is not a CA certificate signed by its own key");
  }
  const now = options.wallNow();
  if (!isValidAt(certificate, now)) {
    const validity = `from ${certificate.validFrom} to ${certificate.validTo}`;
    const clock = new Date(now).toISOString();
    throw kept.faultOf(certFile, `is valid ${validity}, but the clock says ${clock}`);
  }
  return { key, certificate };
}

/** The leaf on disk if it still serves, or a new one. */
function openLeaf(
  options: LocalCaOptions,
  ca: Authority,
  hosts: readonly HostName[],
): { readonly key: string; readonly cert: string } {
  const keyFile = { path: join(options.directory, "server.key"), mode: 0o600, remedy: REMAKE_LEAF };
  const certFile = { ...keyFile, path: join(options.directory, "server.pem"), mode: 0o644 };
  const keptKey = kept.readIfPresent(keyFile);
  const keptCert = kept.readIfPresent(certFile);
  if (keptKey !== undefined && keptCert !== undefined) {
    const certificate = kept.parseCertificate(certFile, keptCert);
    const isPair = kept.isPair(kept.parseKey(keyFile, keptKey), certificate);
    const isNamed = hosts.every((host) => isCovered(host, certificate));
    if (isPair && isNamed && isCurrent(certificate, ca, options.wallNow())) {
      return { key: keptKey, cert: keptCert };
    }
  }
  const key = newKey();
  const cert = leafCertificateOf(ca, { key: kept.parseKey(keyFile, key), hosts }, options);
  kept.replace(keyFile, key);
  kept.replace(certFile, cert);
  return { key, cert };
}

/** Issued by this CA, valid, and not to be renewed. One that ends with its CA cannot gain. */
function isCurrent(leaf: X509Certificate, ca: Authority, now: number): boolean {
  const isIssued = leaf.checkIssued(ca.certificate) && leaf.verify(ca.certificate.publicKey);
  const end = Date.parse(leaf.validTo);
  const isLasting = end - now > LEAF_RENEWAL_MS || end >= Date.parse(ca.certificate.validTo);
  return isIssued && isLasting && isValidAt(leaf, now);
}

function isValidAt(certificate: X509Certificate, now: number): boolean {
  return Date.parse(certificate.validFrom) <= now && now < Date.parse(certificate.validTo);
}
