/**
 * How nodes speak to each other: in TLS whose two ends know one secret, which is in the database
 * and nowhere else. Whoever can read that can read the data, too; nobody else comes in, also on
 * the same machine, and there are no certificates to be made or to run out.
 */
import type { ConnectionOptions, TlsOptions } from "node:tls";

export const SECRET_BYTES = 32;

/** Those with a shared secret and keys of their own for each connection. */
const CIPHERS = "ECDHE-PSK-CHACHA20-POLY1305:DHE-PSK-AES256-GCM-SHA384";
/** Node knows shared secrets up to this version only. */
const VERSIONS = { minVersion: "TLSv1.2", maxVersion: "TLSv1.2" } as const;

export function listeningTls(secret: Buffer): TlsOptions {
  return { ...VERSIONS, ciphers: CIPHERS, pskCallback: () => secret };
}

export function connectingTls(secret: Buffer, name: string): ConnectionOptions {
  return {
    ...VERSIONS,
    ciphers: CIPHERS,
    // Knowing the secret is what makes it the right one.
    checkServerIdentity: () => undefined,
    pskCallback: () => ({ psk: secret, identity: name }),
  };
}
