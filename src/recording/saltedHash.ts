/**
 * Hashes of values, with a salt of its own for each recording: values can be counted by hash, but
 * hashes of two recordings cannot be compared.
 *
 * `numberOf` is quick and for counting; `digestOf` is for secrets. Only code in the process has the
 * salt, and could try values one by one.
 */
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import type { Random } from "../base/world.ts";

/** Number of characters that are hashed; of a longer text as many, evenly apart. */
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

  /** Returns a whole number below 2^53. */
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

/** Mixes bits so that every bit of the result depends on every bit of the input. */
function mixed(bits: number): number {
  let state = bits;
  state = Math.imul(state ^ (state >>> 16), 0x7feb352d);
  state = Math.imul(state ^ (state >>> 15), 0x846ca68b);
  return state ^ (state >>> 16);
}
