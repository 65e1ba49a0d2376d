/**
 * The way to a database, which can be cut: bytes go through, and now and then both ends are dropped
 * in the middle of them, so that nobody knows what arrived.
 */
import type { Server, Socket } from "node:net";
import { connect, createServer } from "node:net";
import type { Random } from "../../src/base/world.ts";

export class CutWay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #random: Random;
  /** The chance that a piece of bytes is the last one; 0 leaves the way whole. */
  cutChance = 0;
  cutCount = 0;

  static open(port: number, random: Random): Promise<CutWay> {
    const way = new CutWay(port, random);
    return new Promise((resolve) => {
      way.#server.listen(0, "127.0.0.1", () => resolve(way));
    });
  }

  private constructor(port: number, random: Random) {
    this.#random = random;
    this.#server = createServer((near) => {
      const far = connect(port, "127.0.0.1");
      this.#join(near, far);
      this.#join(far, near);
    });
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on("data", (bytes: Buffer) => {
      if (this.#random.next() >= this.cutChance) {
        to.write(bytes);
        return;
      }
      this.cutCount++;
      // A part may still arrive.
      to.write(bytes.subarray(0, Math.floor(bytes.length * this.#random.next())));
      from.destroy();
      to.destroySoon();
    });
    const end = (): void => {
      this.#sockets.delete(from);
      to.destroy();
    };
    from.on("error", end);
    from.on("close", end);
  }
}
