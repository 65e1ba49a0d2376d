/**
 * Keys and certificates on disk: read into what they are, written whole or not at all.
 *
 * A file that is there but cannot be used is a `LocalCaFault` with the file's name and remedy,
 * never the same as an absent one. Writing goes through a temporary file in the same directory
 * that is synced before it gets its name.
 */
import {
  createPrivateKey,
  type KeyObject,
  randomUUID,
  sign,
  verify,
  X509Certificate,
} from "node:crypto";
import * as fs from "node:fs";

export interface KeptFile {
  readonly path: string;
  readonly mode: number;
  /** What the operator can do when the file is damaged: whole sentences. */
  readonly remedy: string;
}

/** What is kept, or asked for, cannot be used. The message is for the operator. */
export class LocalCaFault extends Error {
  override readonly name = "LocalCaFault";
}

export function faultOf(file: KeptFile, problem: string): LocalCaFault {
  return new LocalCaFault(`${file.path} ${problem}. ${file.remedy}`);
}

export function readIfPresent(file: KeptFile): string | undefined {
  try {
    return fs.readFileSync(file.path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw faultOf(file, `cannot be read (${codeOf(error)})`);
  }
}

export function parseKey(file: KeptFile, text: string): KeyObject {
  const key = parsed(() => createPrivateKey(text));
  if (key?.asymmetricKeyDetails?.namedCurve === "prime256v1") return key;
  throw faultOf(file, "is damaged: it holds no P-256 private key in PEM");
}

export function parseCertificate(file: KeptFile, text: string): X509Certificate {
  const certificate = parsed(() => new X509Certificate(text));
  if (certificate !== undefined) return certificate;
  throw faultOf(file, "is damaged: it holds no certificate in PEM");
}

/** Tried rather than compared: a damaged private half can sit beside an intact public one. */
export function isPair(key: KeyObject, certificate: X509Certificate): boolean {
  const probe = Buffer.from("probe");
  const tried = parsed(() =>
    verify("sha256", probe, certificate.publicKey, sign("sha256", probe, key)),
  );
  return tried === true;
}

/** What the file holds. Of several processes that find it absent, the first one's text stays. */
export function readOrCreate(file: KeptFile, make: () => string): string {
  const kept = readIfPresent(file);
  if (kept !== undefined) return kept;
  write(file, make(), linkOrLeave);
  const first = readIfPresent(file);
  if (first !== undefined) return first;
  throw faultOf(file, "vanishes when it is written");
}

export function replace(file: KeptFile, text: string): void {
  write(file, text, fs.renameSync);
}

type Publish = (temporary: string, path: string) => void;

function write({ path, mode }: KeptFile, text: string, publish: Publish): void {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    fs.writeFileSync(temporary, text, { mode, flag: "wx", flush: true });
    publish(temporary, path);
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

/** Unlike a rename, a link never takes the place of a file that came in between. */
function linkOrLeave(temporary: string, path: string): void {
  try {
    fs.linkSync(temporary, path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") fs.renameSync(temporary, path); // No links on this disk.
  }
}

/** `undefined` where node:crypto refuses the bytes. */
function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error);
