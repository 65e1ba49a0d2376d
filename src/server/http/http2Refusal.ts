/**
 * Clients that begin in HTTP/2 are told that it is HTTP/1.1 here, in words of HTTP/2: their first
 * request is reset for that reason, and the connection ends. Such clients then begin anew.
 *
 * Always: nothing is said of a request before it has come. A client that finds the connection
 * ended when it is about to send one does not learn why, and gives up.
 *
 * Not here: anything that a request says, which is not looked at; and patience, which ends for who
 * sends none like for all who do not come to the end of their headers (`connections/`).
 */
import type { Duplex } from "node:stream";

const PREFACE_BYTES = 24;
const FRAME_HEADER_BYTES = 9;
const FRAME = { headers: 1, reset: 3, settings: 4, goAway: 7 } as const;
const HTTP_1_1_REQUIRED = 0xd;
/** The most that is read: more than any greeting and the headers of a request. */
const BYTES_MAX = 64 * 1024;

/** `first` is what has come so far, from the preface on; `end` ends the connection. */
export function refuseHttp2(socket: Duplex, first: Buffer, end: () => void): void {
  let come = first;
  let at = PREFACE_BYTES;
  const finish = (): void => {
    // What else the client sends is let go, so that it can end its side.
    socket.removeAllListeners("data");
    end();
  };
  const look = (): void => {
    for (;;) {
      if (come.length < at + FRAME_HEADER_BYTES) break;
      const type = come[at + 3];
      if (type === FRAME.headers) {
        const stream = come.readUInt32BE(at + 5) & 0x7fff_ffff;
        socket.write(frameOf(FRAME.reset, stream, [HTTP_1_1_REQUIRED]));
        socket.write(frameOf(FRAME.goAway, 0, [stream, HTTP_1_1_REQUIRED]));
        finish();
        return;
      }
      at += FRAME_HEADER_BYTES + come.readUIntBE(at, 3);
    }
    if (at > BYTES_MAX || come.length > BYTES_MAX) finish();
  };
  // Whoever listened before takes it for HTTP/1.1.
  socket.removeAllListeners("data");
  socket.on("data", (bytes: Buffer) => {
    come = Buffer.concat([come, bytes]);
    look();
  });
  socket.write(frameOf(FRAME.settings, 0, []));
  look();
}

function frameOf(type: number, stream: number, words: readonly number[]): Buffer {
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + 4 * words.length);
  frame.writeUIntBE(4 * words.length, 0, 3);
  frame[3] = type;
  frame.writeUInt32BE(stream, 5);
  for (const [index, word] of words.entries()) {
    frame.writeUInt32BE(word, FRAME_HEADER_BYTES + 4 * index);
  }
  return frame;
}
