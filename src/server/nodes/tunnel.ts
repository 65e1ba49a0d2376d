/**
 * A client in direct mode at a node that does not work: its bytes go through to the one that does,
 * which reads them. When that one is gone the connection ends, the client opens another one, and
 * that leads to whoever works by then.
 */
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { Millis } from "../../base/units.ts";
import type { LentConnection } from "../connections/connections.ts";
import type { StageDeadlines } from "../connections/patience.ts";

export class Tunnel implements LentConnection {
  readonly #near: TLSSocket;
  #far: Duplex | undefined;
  #seenBytes = -1;
  #seenAt: Millis | undefined;
  #isClosing = false;

  /** `opening` is the connection to the node that works. Until it is there nothing is read. */
  constructor(near: TLSSocket, opening: Promise<Duplex>) {
    this.#near = near;
    near.on("error", () => undefined);
    near.pause();
    opening.then(
      (far) => this.#join(far),
      () => near.destroy(),
    );
  }

  close(): void {
    this.#isClosing = true;
  }

  /**
   * Deadlines are the other node's; where connections are scarce, or this node closes, who is idle
   * goes.
   */
  look(now: Millis, { idleMs }: StageDeadlines, isScarce: boolean): void {
    const bytes = this.#near.bytesRead + this.#near.bytesWritten;
    if (bytes !== this.#seenBytes || this.#seenAt === undefined) {
      this.#seenBytes = bytes;
      this.#seenAt = now;
    } else if ((isScarce || this.#isClosing) && now - this.#seenAt >= idleMs) {
      this.#near.destroySoon();
    }
  }

  #join(far: Duplex): void {
    const near = this.#near;
    if (near.destroyed) {
      far.destroy();
      return;
    }
    this.#far = far;
    far.on("error", () => undefined);
    near.once("close", () => this.#far?.destroy());
    far.once("close", () => near.destroySoon());
    near.pipe(far);
    far.pipe(near);
  }
}
