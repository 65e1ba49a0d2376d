/**
 * Hashes of values, each recording with a salt of its own: what is counted by hash can be counted,
 * and two recordings cannot be laid side by side.
 *
 * `numberOf` is quick and for counting; `digestOf` is for secrets. Whoever holds the process holds
 * the salt and can try values one by one; nobody else can.
 */
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import type { Random } from "../base/world.ts";

/** Longer texts are looked at in as many places, evenly apart. */
const UNITS_MAX = 4_096;
const SALT_BYTES = 32;
const DIGEST_LENGTH = 16;

export class SaltedHash {
  readonly #saltText: string;
  readonly #first: number;
  readonly #second: number;

  constructor(random: Random) {
    const salt = Buffer.from(random.bytes(SALT_BYTES));
    this.#saltText = salt.toString("base64");
    this.#first = salt.readInt32LE(0);
    this.#second = salt.readInt32LE(4);
  }

  /** A whole number below 2^53. */
  numberOf(text: string): number {
    let first = this.#first ^ text.length;
    let second = this.#second;
    const step = Math.ceil(text.length / UNITS_MAX);
    for (let at = 0; at < text.length; at += step) {
      const unit = text.charCodeAt(at);
      first = Math.imul(first ^ unit, 0x01000193);
      second = Math.imul(second + unit, 0x5bd1e995) ^ (second >>> 13);
    }
    first = mixed(first);
    second = mixed(second ^ first);
    return (second >>> 11) * 2 ** 32 + (first >>> 0);
  }

  digestOf(text: string): string {
    return hash("sha256", this.#saltText + text, "base64url").slice(0, DIGEST_LENGTH);
  }
}

/** Every bit of the outcome depends on every bit of what goes in. */
function mixed(bits: number): number {
  let state = bits;
  state = Math.imul(state ^ (state >>> 16), 0x7feb352d);
  state = Math.imul(state ^ (state >>> 15), 0x846ca68b);
  return state ^ (state >>> 16);
}
