/**
 * Which certificate authority is meant: a file, the one in a data directory, or that of a running
 * server. What comes from a server is written to a file, because clients are told a file.
 */
import { X509Certificate } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { CERTIFICATE_PATH } from "../../protocol/admin.ts";
import { isLoopback } from "../../server/surroundings/addresses.ts";
import { BadOption, DEFAULT_DATA, readFile } from "../../server/surroundings/options.ts";
import { ServerConnection } from "../connect/connection.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { accountOf } from "../connect/serverOptions.ts";
import { CommandFailure } from "../terminal/failure.ts";

export interface TrustedAuthority {
  readonly path: string;
  readonly pem: string;
  /** False if it came from another machine, and anybody on the way could have sent it. */
  readonly isOwn: boolean;
}

interface AuthorityValues {
  readonly ca?: string | undefined;
  readonly data?: string | undefined;
  readonly out?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly key?: string | undefined;
  readonly "connection-string"?: string | undefined;
}

/** Where `orrery start` keeps it below its data. */
const KEPT = join("tls", "ca.pem");
const OUT = "orrery-ca.pem";

export async function authorityOf(
  values: AuthorityValues,
  environment: Environment,
): Promise<TrustedAuthority> {
  const { ca, data, out = OUT } = values;
  if (ca !== undefined) return ofFile(resolve(ca), "--ca");
  if (data !== undefined) return ofFile(resolve(data, KEPT), "--data");
  const isServerNamed = (values.endpoint ?? values["connection-string"]) !== undefined;
  const kept = resolve(DEFAULT_DATA, KEPT);
  if (!isServerNamed && existsSync(kept)) return ofFile(kept, "--data");
  const account = accountOf(values, environment);
  const { endpoint } = account;
  // Whom to trust is not known yet, so nothing is checked here, and nothing is sent.
  const connection = new ServerConnection({ ...account, isUnverified: true });
  try {
    const { status, body } = await connection.ask({
      method: "GET",
      path: CERTIFICATE_PATH,
      headers: {},
    });
    if (status !== 200 || !isCertificate(body)) {
      throw new CommandFailure(`The server at ${endpoint.origin} has no certificate to trust.`);
    }
    const path = resolve(out);
    writeFileSync(path, body);
    return { path, pem: body, isOwn: isLoopback(endpoint.hostname.replace(/^\[(.*)\]$/, "$1")) };
  } finally {
    connection.close();
  }
}

function ofFile(path: string, option: string): TrustedAuthority {
  const pem = readFile(path, option);
  if (isCertificate(pem)) return { path, pem, isOwn: true };
  throw new BadOption(`${option} names ${path}, which is no certificate in PEM.`);
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).ca;
  } catch {
    return false;
  }
}
