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
 * prevents that. Not here: what a read-only key may do, and where the links come from
 * (`resourcePath.ts`). A rotated key needs a new authorizer, which then remembers nothing.
 */
import { timingSafeEqual } from "node:crypto";
import { assert } from "../base/assert.ts";
import { no, ok, type Result } from "../base/result.ts";
import type { Refusal } from "../model/refusal.ts";

/** One key of the account. Whoever reads it from the user has checked that it is base64. */
export interface AccountKey {
  readonly key: string;
  readonly isReadOnly: boolean;
}

export interface SignedRequest {
  readonly method: string;
  readonly resourceType: string;
  /** What the client may have signed, the likeliest first. Never empty. */
  readonly resourceLinks: readonly string[];
  readonly authorization: string | undefined;
  /** `x-ms-date`. */
  readonly date: string | undefined;
  /** `date`; counts only when the other is missing. */
  readonly httpDate: string | undefined;
}

export interface Grant {
  readonly isReadOnly: boolean;
}

export interface Authorizer {
  check(request: SignedRequest): Result<Grant, Refusal>;
}

export interface AuthorizerOptions {
  readonly keys: readonly AccountKey[];
  /** Milliseconds since 1970. */
  readonly wallNow: () => number;
}

export function openAuthorizer(options: AuthorizerOptions): Authorizer {
  return new KeyAuthorizer(options);
}

/** How far the client's clock may be off, as the service documents it. */
const SKEW_MS_MAX = 15 * 60 * 1000;

/**
 * Dates have a resolution of one second, so creates and queries of one container repeat their
 * signature within it. A few slots are enough to skip most of those hashes; point reads differ in
 * their link and pass through the slots at no cost.
 */
const REMEMBERED_COUNT = 64;

const DIGEST_BYTES = 32;
const BLOCK_BYTES = 64;
/** A one, at least, and the length in bits. */
const PADDING_BYTES_MIN = 9;

interface KeyPads {
  readonly grant: Result<Grant, Refusal>;
  /** The hash states after the key's first block: what remains is hashing the text. */
  readonly inner: Int32Array;
  readonly outer: Int32Array;
}

/** A request that was verified by hashing. A slot is overwritten, never extended. */
interface Remembered {
  method: string;
  resourceType: string;
  link: string;
  date: string;
  readonly digest: Buffer;
  grant: Result<Grant, Refusal>;
}

class KeyAuthorizer implements Authorizer {
  readonly #keys: readonly KeyPads[];
  readonly #wallNow: () => number;
  readonly #remembered: readonly Remembered[];
  /** The date text seen last, in lower case as it is signed, and the instant it stands for. */
  #dateText = "";
  #dateLower = "";
  #dateAt = Number.NaN;

  constructor({ keys, wallNow }: AuthorizerOptions) {
    this.#keys = keys.map(padsOf);
    this.#wallNow = wallNow;
    this.#remembered = Array.from({ length: REMEMBERED_COUNT }, () => ({
      method: "",
      resourceType: "",
      link: "",
      date: "",
      digest: Buffer.alloc(DIGEST_BYTES),
      grant: NOTHING_REMEMBERED,
    }));
  }

  check(request: SignedRequest): Result<Grant, Refusal> {
    const problem = readSignature(request.authorization);
    if (problem !== undefined) return unauthorized(problem);
    const date = request.date ?? request.httpDate;
    if (date === undefined) return unauthorized("The x-ms-date header is required.");
    this.#readDate(date);
    if (Number.isNaN(this.#dateAt)) {
      return unauthorized("The x-ms-date header is not a date in the form of RFC 1123.");
    }
    const now = this.#wallNow();
    if (Math.abs(now - this.#dateAt) > SKEW_MS_MAX) return forbiddenAt(now, this.#dateAt);
    return this.#recall(request) ?? this.#verify(request);
  }

  #readDate(text: string): void {
    if (text === this.#dateText) return;
    this.#dateText = text;
    this.#dateLower = text.toLowerCase();
    this.#dateAt = DATE_FORM.test(this.#dateLower) ? Date.parse(this.#dateLower) : Number.NaN;
  }

  #recall(request: SignedRequest): Result<Grant, Refusal> | undefined {
    const link = request.resourceLinks[0]!;
    const slot = this.#slotOf(request, link);
    const isSame =
      slot.link === link &&
      slot.date === this.#dateOf(request) &&
      slot.method === request.method &&
      slot.resourceType === request.resourceType;
    return isSame && timingSafeEqual(slot.digest, RECEIVED) ? slot.grant : undefined;
  }

  #verify(request: SignedRequest): Result<Grant, Refusal> {
    for (const link of request.resourceLinks) {
      const byteCount = loadText(this.#textOf(request, link));
      for (const pads of this.#keys) {
        writeDigest(pads, byteCount);
        if (!timingSafeEqual(COMPUTED, RECEIVED)) continue;
        if (link === request.resourceLinks[0]) this.#remember(request, link, pads.grant);
        return pads.grant;
      }
    }
    const expected = this.#textOf(request, request.resourceLinks[0]!);
    return unauthorized(
      "The input authorization token can't serve the request: the key is another one, or the " +
        `signed text differs. The server expected this text to be signed: '${expected}'`,
    );
  }

  #remember(request: SignedRequest, link: string, grant: Result<Grant, Refusal>): void {
    const slot = this.#slotOf(request, link);
    slot.method = request.method;
    slot.resourceType = request.resourceType;
    slot.link = link;
    slot.date = this.#dateOf(request);
    slot.digest.set(COMPUTED);
    slot.grant = grant;
  }
}
