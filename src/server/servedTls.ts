/**
 * How a server serves TLS: with a certificate of its owner, or with one of the local authority. The
 * second is made when somebody first begins TLS or asks whom to trust, so a server that nobody
 * reaches by TLS makes no keys.
 */
import { X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { SecureContextOptions } from "node:tls";
import { createSecureContext } from "node:tls";
import { BadOption, DEFAULT_DATA, readBytes } from "./surroundings/options.ts";
import type { OrreryOptions } from "./surroundings/orreryOptions.ts";
import { realClock, realRandom } from "./surroundings/realWorld.ts";
import type { LocalCa } from "./tls/localCa.ts";
import { openLocalCa } from "./tls/localCa.ts";

export interface ServedTls {
  /** Whoever comes without TLS is refused. */
  readonly isOnly: boolean;
  /** May be made when it is first asked for, and then may throw. */
  readonly identity: TlsIdentity;
  /** The file of what a client is to trust, once there is one; absent if it is not kept. */
  readonly caPath: string | undefined;
}

interface TlsIdentity {
  readonly context: SecureContextOptions;
  /** What a client is to trust, in PEM. */
  readonly caCert: string;
}

/** Below the data. */
const FOLDER = "tls";
const CA_FILE = "ca.pem";

export function servedTlsOf(
  options: OrreryOptions,
  { data, host }: { readonly data: string | undefined; readonly host: string },
): ServedTls {
  const served = tlsOf(options, { data, host });
  if (options.caFile !== undefined) writeCa(options.caFile, served.identity.caCert);
  return served;
}

function tlsOf(
  options: OrreryOptions,
  { data, host }: { readonly data: string | undefined; readonly host: string },
): ServedTls {
  const isOnly = options.https ?? options.cert !== undefined;
  const own = ownIdentity(options);
  if (own !== undefined) return { isOnly, identity: own, caPath: ownCaPath(options) };
  const directory = authorityDirectory(options, data);
  let made: TlsIdentity | undefined;
  const served: ServedTls = {
    isOnly,
    get identity() {
      made ??= localIdentity(options, directory, host);
      return made;
    },
    get caPath() {
      const path = directory === undefined ? undefined : join(directory, CA_FILE);
      return path !== undefined && existsSync(path) ? path : undefined;
    },
  };
  // What is wrong with the authority on disk is to be known now.
  if (isOnly) void served.identity;
  return served;
}

/** Whole or not at all: somebody may wait for the file to be there. */
function writeCa(path: string, pem: string): void {
  const file = resolve(path);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.draft`, pem);
    renameSync(`${file}.draft`, file);
  } catch (error) {
    const { code = String(error) } = error as { readonly code?: string };
    throw new BadOption(`caFile names ${path}, which cannot be written (${code}).`);
  }
}

function ownIdentity(options: OrreryOptions): TlsIdentity | undefined {
  const { cert: path, certKey, certSecret: passphrase } = options;
  if (path === undefined) return undefined;
  const bytes = bytesIn(path, "cert");
  const isPem = bytes.includes("-----BEGIN ");
  const files = isPem
    ? { cert: bytes, key: certKey === undefined ? bytes : bytesIn(certKey, "certKey") }
    : { pfx: bytes };
  const context = passphrase === undefined ? files : { ...files, passphrase };
  const { certificate, problem } = served(context);
  if (certificate !== undefined) {
    return { context, caCert: isPem ? withoutKey(bytes.toString()) : certificate.toString() };
  }
  const kind = isPem ? "PEM certificate with its private key" : "PFX file";
  throw new BadOption(
    `cert names ${path}, which cannot be used as a ${kind}: ${problem}. ` +
      "Check the file and certSecret; no other certificate is served in its place.",
  );
}

function bytesIn(path: string, name: string): Buffer {
  return Buffer.from(readBytes(path, name));
}

/** Keys are no matter of those who ask whom to trust. */
function withoutKey(pem: string): string {
  return (pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----\n?/g) ?? []).join(
    "",
  );
}

/** The certificate that would be served, if what is in the files fits together. */
function served(context: SecureContextOptions): {
  readonly certificate?: X509Certificate;
  readonly problem?: string;
} {
  try {
    const native: { getCertificate(): Buffer | null } = createSecureContext(context).context;
    const bytes = native.getCertificate();
    return bytes === null
      ? { problem: "it holds no certificate" }
      : { certificate: new X509Certificate(bytes) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function localIdentity(
  options: OrreryOptions,
  kept: string | undefined,
  host: string,
): TlsIdentity {
  const { publicEndpoint, allowHosts = [] } = options;
  const publicHost = publicEndpoint === undefined ? [] : [new URL(publicEndpoint).hostname];
  const authority = {
    hostNames: [...publicHost, host, ...allowHosts].filter(isCertifiable),
    wallNow: realClock.wallNow,
    randomBytes: realRandom.bytes,
  };
  if (kept !== undefined) return identityOf(openLocalCa({ ...authority, directory: kept }));
  const directory = mkdtempSync(join(tmpdir(), "orrery-tls-"));
  try {
    return identityOf(openLocalCa({ ...authority, directory }));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Where the authority is kept. */
function authorityDirectory(
  { https }: OrreryOptions,
  data: string | undefined,
): string | undefined {
  if (data !== undefined) return join(data, FOLDER);
  // A throw-away server whose owner wants TLS keeps its authority where others do, so that it is
  // trusted once.
  return https === true ? join(resolve(DEFAULT_DATA), FOLDER) : undefined;
}

/** A certificate in PEM is a file that clients can be given, too. */
function ownCaPath({ cert, certKey }: OrreryOptions): string | undefined {
  return certKey === undefined || cert === undefined ? undefined : resolve(cert);
}

function identityOf({ key, cert, caCert }: LocalCa): TlsIdentity {
  return { context: { key, cert }, caCert };
}

/** Wildcards and "all addresses" are not names a certificate can vouch for. */
function isCertifiable(name: string): boolean {
  return name !== "*" && name !== "0.0.0.0" && name !== "::";
}
