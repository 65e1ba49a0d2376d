/** Frames of requests that somebody damaged: by a byte, a cut, a repetition, or altogether. */
import type { Random } from "../../src/base/world.ts";
import { HEAD_BYTES_MIN } from "../../src/protocol/rntbd/frame.ts";

const BYTES_MAX = 64 * 1024;

/**
 * A damaged frame made of one of these. Most say their length truly, so that what follows them on
 * the connection is read as well.
 */
export function alteredFrame(frames: readonly Buffer[], random: Random): Buffer {
  const below = (bound: number): number => Math.floor(random.next() * bound);
  const frame = Buffer.from(frames[below(frames.length)]!);
  const headBytes = frame.readUInt32LE(0);
  const kind = random.next();
  if (kind < 0.6) {
    const changes = 1 + below(kind < 0.3 ? 1 : 8);
    for (let change = 0; change < changes; change++) {
      frame[4 + below(frame.length - 4)] = below(256);
    }
    return frame;
  }
  if (kind < 0.75) {
    const head = frame.subarray(0, HEAD_BYTES_MIN + below(headBytes - HEAD_BYTES_MIN + 1));
    head.writeUInt32LE(head.length, 0);
    return head;
  }
  if (kind < 0.9) {
    const tokens = frame.subarray(HEAD_BYTES_MIN, headBytes);
    const from = below(tokens.length);
    const moved = tokens.subarray(from, from + below(tokens.length - from));
    const head = Buffer.concat([frame.subarray(0, headBytes), moved]);
    head.writeUInt32LE(head.length, 0);
    return Buffer.concat([head, frame.subarray(headBytes)]);
  }
  if (kind < 0.97) {
    frame.writeUInt32LE(below(2) === 0 ? below(BYTES_MAX) : below(2 ** 32), 0);
    return frame;
  }
  return Buffer.from(random.bytes(1 + below(200)));
}
