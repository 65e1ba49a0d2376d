/**
 * Where requests are answered, as a node knows it: here, at another node, or nowhere for now; and
 * the waiting for that to change.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { millis } from "../../base/units.ts";
import type { Timer } from "../../base/world.ts";
import type { StoreFault } from "../../store/partitionStore.ts";
import type { LentConnection } from "../connections/connections.ts";
import type { NodeTarget } from "./forwarder.ts";

/** What a node does itself while it works. */
export interface NodeWork {
  serve(request: IncomingMessage, response: ServerResponse, activityId: string): void;
  /** Absent where nobody serves clients in direct mode. */
  readonly takeBinary: ((socket: TLSSocket) => LentConnection) | undefined;
  lend(socket: TLSSocket, holder: LentConnection): void;
  /** Why it has stopped to take writes, if it has. */
  fault(): StoreFault | undefined;
  /** Databases that cannot be reached, with what is in them. */
  outOfReach(): readonly object[];
  /** Why it takes no writes at present, in words. */
  obstacle(): string | undefined;
  hurryScripts(): () => void;
  close(): Promise<void>;
}

/** Whether what a node knows is still true. */
interface Hold {
  readonly isHeld: boolean;
  regain(): Promise<void>;
}

type Place =
  | { readonly kind: "self"; readonly work: NodeWork; readonly store: Hold }
  | { readonly kind: "other"; readonly target: NodeTarget }
  | { readonly kind: "nobody"; readonly reason: string };

export class Whereabouts {
  readonly #timer: Timer;
  readonly #waiting = new Set<() => void>();
  #place: Place = { kind: "nobody", reason: "this node is starting" };
  /** Whether the other node answered when it was last asked. */
  isReached = true;

  constructor(timer: Timer) {
    this.#timer = timer;
  }

  get place(): Place {
    return this.#place;
  }

  settle(place: Place): void {
    this.#place = place;
    this.isReached = true;
    this.stir();
  }

  /** Why nothing can be answered now, or nothing. */
  get trouble(): string | undefined {
    const place = this.#place;
    if (place.kind === "nobody") return place.reason;
    if (place.kind === "self") return place.work.obstacle();
    if (this.isReached) return undefined;
    return `the node ${place.target.name}, which works, cannot be reached`;
  }

  /** Wakes all who wait for a change. */
  stir(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const tell of waiting) tell();
  }

  /** Resolves at the next change, or after a while. */
  async changeWithin(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const tell = (): void => {
        cancel();
        resolve();
      };
      const cancel = this.#timer.after(millis(ms), () => {
        this.#waiting.delete(tell);
        resolve();
      });
      this.#waiting.add(tell);
    });
  }

  async change(): Promise<void> {
    await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }
}
