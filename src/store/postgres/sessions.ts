/**
 * The connections of a store. Those for writing are lent to one transaction at a time; those for
 * reading are shared, and a statement takes the one with the fewest answers to come. A connection
 * that broke is replaced when somebody needs one, with growing pauses between attempts.
 */
import { assert } from "../../base/assert.ts";
import { growingWait, pause } from "../../base/retry.ts";
import type { Timer } from "../../base/world.ts";
import { reasonOf } from "../faults.ts";
import { StoreFault } from "../partitionStore.ts";
import type { Reach } from "./reach.ts";
import type { Connect, Session } from "./session.ts";

interface SessionsSetting {
  readonly connect: Connect;
  readonly timer: Timer;
  readonly reach: Reach;
  readonly countMax: number;
}

const PAUSE_MS = { min: 50, max: 2000 };

export class Sessions {
  readonly #setting: SessionsSetting;
  readonly #idle: Session[] = [];
  readonly #shared: (Promise<Session> | undefined)[];
  readonly #open = new Set<Session>();
  readonly #queue: ((session: Session | undefined) => void)[] = [];
  #lentCount = 0;
  #isClosed = false;

  constructor(setting: SessionsSetting) {
    this.#setting = setting;
    this.#shared = Array.from({ length: setting.countMax }, () => undefined);
  }

  /** Lends a connection to `action`, for itself; waits until there is one. */
  async lend<T>(action: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#take();
    try {
      return await action(session);
    } finally {
      this.#giveBack(session);
    }
  }

  /** A connection that others use at the same time; rejects when it cannot be had now. */
  async share(): Promise<Session> {
    const loads = await Promise.all(
      this.#shared.map(async (opening, index) => {
        const session = await opening?.catch(() => undefined);
        return {
          index,
          load: session === undefined || session.isLost ? 0.5 : session.waitingCount,
        };
      }),
    );
    const { index } = loads.reduce((best, one) => (one.load < best.load ? one : best));
    const known = await this.#shared[index]?.catch(() => undefined);
    if (known !== undefined && !known.isLost) return known;
    if (known !== undefined) this.#open.delete(known);
    const opening = this.#connect();
    this.#shared[index] = opening;
    return opening;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const tell of this.#queue.splice(0)) tell(undefined);
    await Promise.all([...this.#open].map((session) => session.close()));
  }

  async #take(): Promise<Session> {
    if (this.#lentCount < this.#setting.countMax) {
      this.#lentCount++;
      return this.#sound(this.#idle.pop());
    }
    const given = await new Promise<Session | undefined>((resolve) => this.#queue.push(resolve));
    if (given === undefined) throw closed();
    return this.#sound(given);
  }

  #giveBack(session: Session): void {
    const next = this.#queue.shift();
    if (next !== undefined) next(session);
    else {
      this.#lentCount--;
      assert(this.#lentCount >= 0, "a connection was given back twice");
      this.#idle.push(session);
    }
  }

  /** The same connection, or another one if it broke; tries for as long as the store is open. */
  async #sound(session: Session | undefined): Promise<Session> {
    if (session !== undefined && !session.isLost) return session;
    if (session !== undefined) this.#open.delete(session);
    for (let failureCount = 0; ; ) {
      try {
        return await this.#connect();
      } catch (error) {
        if (this.#isClosed) {
          this.#lentCount--;
          throw error;
        }
        failureCount++;
        await pause(this.#setting.timer, growingWait(failureCount, PAUSE_MS));
      }
    }
  }

  async #connect(): Promise<Session> {
    const { connect, reach } = this.#setting;
    if (this.#isClosed) throw closed();
    try {
      const session = await connect();
      if (this.#isClosed) {
        await session.close();
        throw closed();
      }
      this.#open.add(session);
      reach.isThere();
      return session;
    } catch (error) {
      if (this.#isClosed) throw closed();
      reach.isGone(error);
      throw new Unreached(reasonOf(error), { cause: error });
    }
  }
}

/** There is no connection, whatever the server said when one was asked for. */
class Unreached extends Error {
  override readonly name = "Unreached";
}

function closed(): StoreFault {
  return new StoreFault("The store is closed.");
}
