/**
 * Which single bit of some bytes has changed since their CRC-32 was taken.
 *
 * The difference of two CRCs depends on the bits that changed and not on the bytes around them, so
 * the bit can be found by trying every position. Up to 91,607 bits no other change of two or three
 * bits gives the same difference (the polynomial has Hamming distance 4 there); beyond, and for
 * larger damage, a false hit is as likely as the number of bits is to 2^32.
 */
const POLYNOMIAL = 0xedb88320;

/** Counted from the first byte's lowest bit; `undefined` when no single bit explains it. */
export function changedBit(
  crcNoted: number,
  crcFound: number,
  byteCount: number,
): number | undefined {
  const wanted = (crcNoted ^ crcFound) >>> 0;
  let difference = POLYNOMIAL;
  for (let position = byteCount * 8 - 1; position >= 0; position--) {
    if (difference >>> 0 === wanted) return position;
    difference = (difference >>> 1) ^ ((difference & 1) === 1 ? POLYNOMIAL : 0);
  }
  return undefined;
}

export function flipBit(bytes: Uint8Array, bit: number): void {
  bytes[bit >>> 3]! ^= 1 << (bit & 7);
}
