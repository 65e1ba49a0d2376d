/**
 * Numbers as order-preserving bytes, inside latin1 strings. Eight bytes, big-endian, for anything
 * below 2^53; the order of the strings is the order of the numbers.
 */
const TWO_32 = 4294967296;

export function encodeNumber(value: number): string {
  const high = Math.floor(value / TWO_32);
  const low = value >>> 0;
  return String.fromCharCode(
    (high >>> 24) & 255,
    (high >>> 16) & 255,
    (high >>> 8) & 255,
    high & 255,
    (low >>> 24) & 255,
    (low >>> 16) & 255,
    (low >>> 8) & 255,
    low & 255,
  );
}

export function decodeNumber(text: string, offset: number): number {
  const high =
    text.charCodeAt(offset) * 16777216 +
    (text.charCodeAt(offset + 1) << 16) +
    (text.charCodeAt(offset + 2) << 8) +
    text.charCodeAt(offset + 3);
  const low =
    text.charCodeAt(offset + 4) * 16777216 +
    (text.charCodeAt(offset + 5) << 16) +
    (text.charCodeAt(offset + 6) << 8) +
    text.charCodeAt(offset + 7);
  return high * TWO_32 + low;
}

/** The smallest string greater than every string that starts with `prefix`. */
export function afterPrefix(prefix: string): string {
  let end = prefix.length;
  while (end > 0 && prefix.charCodeAt(end - 1) === 255) end--;
  if (end === 0) return "\xff".repeat(prefix.length + 1);
  return prefix.slice(0, end - 1) + String.fromCharCode(prefix.charCodeAt(end - 1) + 1);
}
