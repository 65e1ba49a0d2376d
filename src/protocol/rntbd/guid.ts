/**
 * Activity ids as RNTBD has them: 16 bytes in the order of .NET, in which the first three groups of
 * the text stand reversed and the rest as it is written.
 */
export const GUID_BYTES = 16;

/** Where each byte of the text, from left to right, lies among the bytes. */
const PLACES: readonly number[] = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];

export function guidText(bytes: Buffer, at = 0): string {
  const hex = PLACES.map((place) => HEX[bytes[at + place]!]!);
  const group = (from: number, to: number): string => hex.slice(from, to).join("");
  return `${group(0, 4)}-${group(4, 6)}-${group(6, 8)}-${group(8, 10)}-${group(10, 16)}`;
}

/** Whatever is no digit counts as none, so that no text makes this throw. */
export function writeGuid(text: string, into: Buffer, at = 0): void {
  const digits = text.replaceAll("-", "").padEnd(2 * GUID_BYTES, "0");
  for (const [index, place] of PLACES.entries()) {
    into[at + place] = Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16) || 0;
  }
}

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, "0"),
);
