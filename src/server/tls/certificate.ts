/**
 * Makes X.509 v3 certificates: one authority that signs itself, and leaves signed by it.
 *
 * All keys are ECDSA P-256, all signatures SHA-256. A leaf lives no longer than `LEAF_DAYS_MAX`
 * and never outlives its authority. An authority's name and key identifier follow from its key
 * alone; that may never change, or leaves stop matching the authorities already on disks.
 *
 * Not here: where keys and certificates are kept, and when they are made anew (`localCa.ts`).
 */

import * as crypto from "node:crypto";
import { DAY_MS, HOUR_MS } from "../../base/units.ts";

import * as der from "./der.ts";
import type { HostName } from "./hostName.ts";

/** Time and serial numbers. Keys draw on node's own randomness. */
export interface CertificateSource {
  readonly wallNow: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
}

export interface Authority {
  readonly key: crypto.KeyObject;
  readonly certificate: crypto.X509Certificate;
}

const CA_DAYS = 3_652;
/** Browsers refuse leaves that live longer than 398 days. */
const LEAF_DAYS_MAX = 397;
/** Certificates start in the past, for clients whose clock is behind (virtual machines). */
const BACKDATE_MS = HOUR_MS;

const P256_POINT_BYTES = 65;
const ECDSA_WITH_SHA256 = der.sequence(der.oid("1.2.840.10045.4.3.2"));

/** A private key, as PEM. */
export function newKey(): string {
  const { privateKey } = crypto.generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** The authority's own certificate, as PEM. */
export function caCertificateOf(key: crypto.KeyObject, source: CertificateSource): string {
  const start = source.wallNow() - BACKDATE_MS;
  return signed(key, source.randomBytes(16), [
    der.sequence(der.time(start), der.time(start + CA_DAYS * DAY_MS)),
    caNameOf(key),
    spkiOf(key),
    extensions(
      basicConstraints(der.booleanTrue(), der.integer(Uint8Array.of(0))), // No CA below this one.
      keyUsage(0b0000_0110, 1), // keyCertSign, cRLSign
      extension("2.5.29.14", der.octetString(keyIdOf(key))), // subjectKeyIdentifier
    ),
  ]);
}

/** A server's certificate for `hosts`, as PEM. */
export function leafCertificateOf(
  ca: Authority,
  { key, hosts }: { readonly key: crypto.KeyObject; readonly hosts: readonly HostName[] },
  source: CertificateSource,
): string {
  const start = Math.max(source.wallNow() - BACKDATE_MS, Date.parse(ca.certificate.validFrom));
  // Both ends of a validity belong to it, hence the second less.
  const longest = start + LEAF_DAYS_MAX * DAY_MS - 1_000;
  const end = Math.min(longest, Date.parse(ca.certificate.validTo));
  return signed(ca.key, source.randomBytes(16), [
    der.sequence(der.time(start), der.time(end)),
    nameOf("Orrery server"),
    spkiOf(key),
    extensions(
      basicConstraints(),
      keyUsage(0b1000_0000, 7), // digitalSignature
      extension("2.5.29.37", der.sequence(der.oid("1.3.6.1.5.5.7.3.1"))), // serverAuth
      extension("2.5.29.17", der.sequence(...hosts.map(generalName))), // subjectAltName
      extension("2.5.29.35", der.sequence(der.implicitTag(0, keyIdOf(ca.key)))), // authority's key
      extension("2.5.29.14", der.octetString(keyIdOf(key))), // subjectKeyIdentifier
    ),
  ]);
}

/** `rest` is what follows the issuer: validity, subject, public key, extensions. */
function signed(key: crypto.KeyObject, random: Uint8Array, rest: readonly Uint8Array[]): string {
  // Positive and never zero, whatever the random source says.
  const serial = Uint8Array.from(random, (byte, index) => (index > 0 ? byte : (byte & 63) | 64));
  const version = der.explicitTag(0, der.integer(Uint8Array.of(2))); // Version 3 is written as 2.
  const issuer = caNameOf(key);
  const body = der.sequence(version, der.integer(serial), ECDSA_WITH_SHA256, issuer, ...rest);
  const signature = der.bitString(crypto.sign("sha256", body, key));
  const certificate = der.sequence(body, ECDSA_WITH_SHA256, signature);
  const lines =
    Buffer.from(certificate)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

/** A part of the key is in the name, so that two authorities in one trust store differ. */
const caNameOf = (key: crypto.KeyObject): Uint8Array =>
  nameOf(`Orrery local CA ${Buffer.from(keyIdOf(key)).toString("hex").slice(0, 8)}`);

const nameOf = (commonName: string): Uint8Array =>
  der.sequence(der.setOf(der.sequence(der.oid("2.5.4.3"), der.utf8String(commonName))));

const spkiOf = (key: crypto.KeyObject): Uint8Array =>
  crypto.createPublicKey(key).export({ type: "spki", format: "der" });

/** The first 160 bits of the SHA-256 of the public point (RFC 7093, method 1). */
function keyIdOf(key: crypto.KeyObject): Uint8Array {
  const point = spkiOf(key).subarray(-P256_POINT_BYTES);
  return crypto.createHash("sha256").update(point).digest().subarray(0, 20);
}

const generalName = (host: HostName): Uint8Array =>
  host.kind === "ip" ? der.implicitTag(7, host.bytes) : der.implicitTag(2, Buffer.from(host.name));

const basicConstraints = (...parts: readonly Uint8Array[]): Uint8Array =>
  extension("2.5.29.19", der.sequence(...parts), [der.booleanTrue()]);

const keyUsage = (bits: number, unusedBits: number): Uint8Array =>
  extension("2.5.29.15", der.bitString(Uint8Array.of(bits), unusedBits), [der.booleanTrue()]);

const extensions = (...parts: readonly Uint8Array[]): Uint8Array =>
  der.explicitTag(3, der.sequence(...parts));

/** `critical` holds the mark that clients must understand the extension, or nothing. */
function extension(id: string, content: Uint8Array, critical: Uint8Array[] = []): Uint8Array {
  return der.sequence(der.oid(id), ...critical, der.octetString(content));
}
