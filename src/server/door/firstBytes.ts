/**
 * What a connection speaks, told from the first bytes that come by it: TLS, HTTP, or frames of the
 * binary protocol that clients in direct mode speak inside TLS.
 *
 * HTTP begins with a letter (or an empty line, which some clients send in front), TLS with the mark
 * of a greeting and the number of its version. A frame begins with its length, lowest byte first:
 * that byte may happen to be any of those, but the next one is then too small for both, because no
 * first frame has 768 bytes.
 */

export type Spoken = "tls" | "http" | "binary";

const TLS_HANDSHAKE = 0x16;
const TLS_MAJOR_VERSION = 3;
/** The second byte of the length of a first frame stays below. */
const FRAME_SECOND_BYTE_MAX = 3;
const CR = 0x0d;
const LF = 0x0a;

/** `undefined` while too little has come to tell. */
export function spokenIn(bytes: Uint8Array): Spoken | undefined {
  const [first, second] = bytes;
  if (first === undefined) return undefined;
  const isGreeting = first === TLS_HANDSHAKE;
  if (!isGreeting && !isLetter(first) && first !== CR && first !== LF) return "binary";
  if (second === undefined) return undefined;
  if (isGreeting) return second === TLS_MAJOR_VERSION ? "tls" : "binary";
  return second < FRAME_SECOND_BYTE_MAX ? "binary" : "http";
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}
