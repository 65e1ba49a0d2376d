/**
 * A sum over lines that does not depend on their order: hashes of 128 bits, added modulo 2^128.
 * Unlike with XOR, two equal lines do not cancel each other out. An archive states the sum of each
 * file and of all, so two archives of the same items can be compared whatever their files are.
 */
import { createHash } from "node:crypto";

const MODULUS = 1n << 128n;
const HASH_DIGITS = 32;

export class ContentSum {
  #sum = 0n;

  add(line: Buffer): void {
    const digest = createHash("sha256").update(line).digest("hex").slice(0, HASH_DIGITS);
    this.addSum(digest);
  }

  addSum(digits: string): void {
    this.#sum = (this.#sum + BigInt(`0x${digits}`)) % MODULUS;
  }

  /** 32 hexadecimal digits. */
  get digits(): string {
    return this.#sum.toString(16).padStart(HASH_DIGITS, "0");
  }
}
