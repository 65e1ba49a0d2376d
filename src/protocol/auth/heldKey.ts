/**
 * Which account key somebody holds who shows one as it is, rather than a signature made with it.
 *
 * Keys are compared in constant time, by digest, and all of them are looked at, so that time tells
 * nothing about which one came close.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { AccountKey } from "./authorization.ts";

/** The account's key with this text; `undefined` when none has it. */
export function heldKeyOf(sent: string, keys: readonly AccountKey[]): AccountKey | undefined {
  const digest = digestOf(sent);
  const fitting = keys.filter(({ key }) => timingSafeEqual(digestOf(key), digest));
  // Two keys may have one text: then the one that may do more counts.
  return fitting.find(({ isReadOnly }) => !isReadOnly) ?? fitting[0];
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
