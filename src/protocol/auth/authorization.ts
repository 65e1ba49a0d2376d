/**
 * Whether a request was signed with one of the account's keys.
 *
 * The header is the URL-encoded text `type=master&ver=1.0&sig=…`; the signature is a keyed hash
 * (HMAC-SHA256) over verb, resource type, resource link and date, each on a line of its own.
 *
 * Invariants
 * - Nothing is granted unless a digest computed here, or remembered from such a computation for
 *   the very same lines, equals the digest in the header.
 * - Digests are compared in constant time. What varies with time is only which account key fits
 *   and whether one does, and the answer tells both.
 * - No message shows a key or a digest, and no input makes `check` throw.
 *
 * As in the service, a captured request can be sent again while its date is fresh: only TLS
 * prevents that. Not here: other credentials (`credentials.ts`), what a read-only key may do
 * (`grants.ts`), and where the links come from (`request/resourcePath.ts`). A rotated key needs a
 * new authorizer, which then remembers nothing.
 */
import { timingSafeEqual } from "node:crypto";
import { assert } from "../../base/assert.ts";
import { no, ok, type Result } from "../../base/result.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import { HEADER } from "../wire/headerNames.ts";
import type { Grant } from "./grants.ts";
import { DIGEST_BYTES, KeyedHash } from "./keyedHash.ts";

/** One key of the account. Whoever reads it from the user has checked that it is base64. */
export interface AccountKey {
  readonly key: string;
  readonly isReadOnly: boolean;
}

/** The keys of an account, any of which may be exchanged while a server runs. */
export interface KeyRing {
  /** The primary key is the first. The array is the same one as long as no key was exchanged. */
  readonly list: readonly AccountKey[];
}

export interface SignedRequest {
  readonly method: string;
  readonly resourceType: string;
  /** What the client may have signed, the likeliest first. Never empty. */
  readonly resourceLinks: readonly string[];
  readonly authorization: string | undefined;
  /** The date in the header of the service. */
  readonly date: string | undefined;
  /** The date in the header of HTTP, which counts only when the other is missing. */
  readonly httpDate: string | undefined;
}

export interface Authorizer {
  check(request: SignedRequest): Result<Grant, Refusal>;
}

export function openAuthorizer(options: {
  readonly keys: readonly AccountKey[];
  /** Milliseconds since 1970. */
  readonly wallNow: () => number;
}): Authorizer {
  return new KeyAuthorizer(options.keys, options.wallNow);
}

const { clockSkewMsMax } = SERVICE_LIMITS;
const DATE_FORM = /^[a-z]{3}, \d{1,2} [a-z]{3} \d{4} \d\d:\d\d:\d\d (gmt|utc)$/;

/**
 * Dates have a resolution of one second, so creates and queries on one container repeat their
 * signature within it. A few slots spare most of those hashes; point reads differ in their link
 * and pass through the slots at no cost.
 */
const REMEMBERED_COUNT = 64;

// Scratch of one synchronous `check`; nothing in it is read by the next one.
const RECEIVED: Buffer = Buffer.alloc(DIGEST_BYTES);
const COMPUTED: Buffer = Buffer.alloc(DIGEST_BYTES);

interface HashedKey {
  readonly hash: KeyedHash;
  readonly grant: Result<Grant, Refusal>;
}

/** A request that was verified by hashing. A slot is overwritten, so no sender can add memory. */
interface Remembered {
  method: string;
  resourceType: string;
  link: string;
  dateLines: string;
  grant: Result<Grant, Refusal> | undefined;
  readonly digest: Buffer;
}

class KeyAuthorizer implements Authorizer {
  readonly #keys: readonly HashedKey[];
  readonly #wallNow: () => number;
  readonly #remembered: readonly Remembered[];
  /** The date seen last, the instant it stands for, and its two lines of the signed text. */
  #dateText = "";
  #dateIsHttp = false;
  #dateAt = Number.NaN;
  #dateLines = "";

  constructor(keys: readonly AccountKey[], wallNow: () => number) {
    this.#keys = keys.map(hashedKeyOf);
    this.#wallNow = wallNow;
    this.#remembered = Array.from({ length: REMEMBERED_COUNT }, () => ({
      method: "",
      resourceType: "",
      link: "",
      dateLines: "",
      grant: undefined,
      digest: Buffer.alloc(DIGEST_BYTES),
    }));
  }

  check(request: SignedRequest): Result<Grant, Refusal> {
    const problem = readSignature(request.authorization);
    if (problem !== undefined) return unauthorized(problem);
    this.#readDate(request);
    const dateAt = this.#dateAt;
    if (Number.isNaN(dateAt)) {
      return unauthorized(`The ${HEADER.date} header is missing, or not a date of RFC 1123.`);
    }
    const now = this.#wallNow();
    if (Math.abs(now - dateAt) > clockSkewMsMax) return notValidNow(dateAt, now);
    return this.#recall(request) ?? this.#verify(request);
  }

  #readDate({ date, httpDate }: SignedRequest): void {
    const isHttp = date === undefined || date === "";
    const text = isHttp ? (httpDate ?? "") : date;
    if (text === this.#dateText && isHttp === this.#dateIsHttp) return;
    const lower = text.toLowerCase();
    this.#dateText = text;
    this.#dateIsHttp = isHttp;
    this.#dateAt = DATE_FORM.test(lower) ? Date.parse(lower) : Number.NaN;
    this.#dateLines = isHttp ? `\n${lower}\n` : `${lower}\n\n`;
  }

  #recall(request: SignedRequest): Result<Grant, Refusal> | undefined {
    const slot = this.#slotOf(request);
    const isSame =
      slot.link === request.resourceLinks[0] &&
      slot.dateLines === this.#dateLines &&
      slot.resourceType === request.resourceType &&
      slot.method === request.method;
    return isSame && timingSafeEqual(slot.digest, RECEIVED) ? slot.grant : undefined;
  }

  #verify(request: SignedRequest): Result<Grant, Refusal> {
    for (const link of request.resourceLinks) {
      const text = this.#textOf(request, link);
      for (const { hash, grant } of this.#keys) {
        hash.write(text, COMPUTED);
        if (!timingSafeEqual(COMPUTED, RECEIVED)) continue;
        if (link === request.resourceLinks[0]) this.#remember(request, link, grant);
        return grant;
      }
    }
    const expected = this.#textOf(request, request.resourceLinks[0] ?? "");
    return unauthorized(
      "The input authorization token can't serve the request: it was made with another key, or " +
        `over another text. The server expected this text to be signed: '${expected}'`,
    );
  }

  #remember(request: SignedRequest, link: string, grant: Result<Grant, Refusal>): void {
    const slot = this.#slotOf(request);
    slot.method = request.method;
    slot.resourceType = request.resourceType;
    slot.link = link;
    slot.dateLines = this.#dateLines;
    slot.grant = grant;
    slot.digest.set(COMPUTED);
  }

  /** The slot that a request is remembered in. Any spread will do: a collision costs one hash. */
  #slotOf({ method, resourceType, resourceLinks }: SignedRequest): Remembered {
    const link = resourceLinks[0] ?? "";
    const lastCode = link.charCodeAt(link.length - 1) || 0;
    const mixed = link.length * 7 + lastCode * 5 + resourceType.length * 3 + method.length;
    return this.#remembered[mixed % REMEMBERED_COUNT]!;
  }

  #textOf({ method, resourceType }: SignedRequest, link: string): string {
    return `${method.toLowerCase()}\n${resourceType.toLowerCase()}\n${link}\n${this.#dateLines}`;
  }
}

function hashedKeyOf({ key, isReadOnly }: AccountKey): HashedKey {
  const bytes = Buffer.from(key, "base64");
  assert(bytes.length > 0, "an account key is empty: anybody could sign with it");
  return { hash: new KeyedHash(bytes), grant: ok({ kind: "accountKey", isReadOnly }) };
}

const unauthorized = (message: string): Result<never, Refusal> =>
  no({ kind: "unauthorized", message });

function notValidNow(dateAt: number, now: number): Result<never, Refusal> {
  const [start, expiry, server] = [dateAt, dateAt + clockSkewMsMax, now].map((at) =>
    new Date(at).toUTCString(),
  );
  const message =
    "The authorization token is not valid at this time; check the client's clock and sign again " +
    `(token start time: ${start}, token expiry time: ${expiry}, current server time: ${server}).`;
  return no({ kind: "forbidden", message });
}

const MASTER_START = "type=master&ver=1.0&sig=";
/** Nearly every client writes that start URL-encoded, with its escapes in either letter case. */
const USUAL_START = "type%3Dmaster%26ver%3D1.0%26sig%3D";
const USUAL_START_LOWER = "type%3dmaster%26ver%3d1.0%26sig%3d";
const GARBLED =
  `The authorization header is not the URL-encoded text ${MASTER_START}<signature>, nor a ` +
  "resource token, nor type=aad&ver=1.0&sig=<token>.";

/** Puts the digest of the header into `RECEIVED`, or says what is wrong with the header. */
function readSignature(header: string | undefined): string | undefined {
  if (header === undefined || header === "") return "The authorization header is required.";
  const start = header.slice(0, USUAL_START.length);
  const isUsual = start === USUAL_START || start === USUAL_START_LOWER;
  return isUsual && decodeDigest(header, start.length) ? undefined : readUnusualSignature(header);
}

/** Reads a header in which other characters are escaped than usual. */
function readUnusualSignature(header: string): string | undefined {
  const decoded = decodedOf(header) ?? "";
  if (decoded.startsWith("type=sas&")) {
    return "Authorization of type sas is not supported; sign with an account key.";
  }
  // An escape that is left after decoding was encoded twice.
  const isMaster = decoded.startsWith(MASTER_START) && !decoded.includes("%");
  return isMaster && decodeDigest(decoded, MASTER_START.length) ? undefined : GARBLED;
}

function decodedOf(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const SEXTET_COUNT = 43;
/** The value of each digit of base64 by its character code; −1 where a code is no digit. */
const SEXTETS: Int8Array = new Int8Array(128).fill(-1);
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
for (const [sextet, digit] of [...DIGITS].entries()) SEXTETS[digit.charCodeAt(0)] = sextet;

/**
 * Decodes the base64 digest that fills `text` from `start` on, reading the escapes of its three
 * special characters on the way. Only the canonical spelling will do, else one digest would have
 * several.
 */
function decodeDigest(text: string, start: number): boolean {
  let at = start;
  let bits = 0;
  let byteIndex = 0;
  for (let index = 0; index < SEXTET_COUNT; index++) {
    let sextet = SEXTETS[text.charCodeAt(at)] ?? -1;
    if (sextet < 0) {
      sextet = escapedSextet(text, at);
      if (sextet < 0) return false;
      at += 2;
    }
    at++;
    bits = (bits << 6) | sextet;
    // Four digits make three bytes; the first of each four completes none.
    const digit = index & 3;
    if (digit !== 0) RECEIVED[byteIndex++] = bits >>> (6 - 2 * digit);
  }
  const hasSpareBits = (bits & 3) !== 0;
  const ending = text.slice(at);
  return !hasSpareBits && (ending === "=" || ending === "%3D" || ending === "%3d");
}

function escapedSextet(text: string, at: number): number {
  const escaped = text.slice(at, at + 3).toLowerCase();
  if (escaped === "%2b") return 62;
  return escaped === "%2f" ? 63 : -1;
}
