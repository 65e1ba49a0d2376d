/**
 * The right of one server to work on a database: a row with its name and an end, by the clock of
 * the database, which it puts off again and again. A server that could not do so stops answering
 * before another one may begin. Writes need no such care: they name the epoch of their part.
 */
import type { Millis } from "../../base/units.ts";
import { millis } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";
import { StoreFault } from "../partitionStore.ts";
import type { PartReads } from "./partReads.ts";
import { bytesOf, textOf } from "./rows.ts";
import { TENURES } from "./statements.ts";

interface TenureSetting {
  /** Names this server, for whoever finds the database taken. No other server has this name. */
  readonly owner: string;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ask: PartReads["ask"];
  /** Called once when another server has taken the database over. */
  readonly onLost: () => void;
}

/** Somebody else who works on the database. */
export interface TenureHolder {
  readonly owner: string;
  readonly remainingMs: number;
}

const LEASE_PART = 0;
/** The name of the row in which it is. */
export const WORKING_TENURE: Buffer = bytesOf("server");
/** Long enough for a machine that stands still now and then; others wait for it after a kill. */
const DURATION_MS = 5000;
const RENEW_EVERY: Millis = millis(1000);

export class Tenure {
  readonly #setting: TenureSetting;
  #heldUntil = 0;
  /** The same end by the other clock, which goes on while a machine sleeps. */
  #heldUntilWall = 0;
  #hasBegun = false;
  #isOver = false;
  #regaining: Promise<void> | undefined;
  #cancel: () => void = () => undefined;

  constructor(setting: TenureSetting) {
    this.#setting = setting;
  }

  /** Resolves with who holds the database, if somebody else does. */
  async begin(): Promise<TenureHolder | undefined> {
    const other = await this.#holder();
    if (other !== undefined && other.remainingMs > 0) return other;
    if (!(await this.#extend())) return this.begin();
    this.#hasBegun = true;
    this.#renewLater();
    return undefined;
  }

  get isHeld(): boolean {
    const { clock } = this.#setting;
    return !this.#isOver && clock.now() < this.#heldUntil && clock.wallNow() < this.#heldUntilWall;
  }

  /** Looking costs the database less than asking for what somebody else has. */
  async #holder(): Promise<TenureHolder | undefined> {
    const { rows } = await this.#setting.ask(TENURES.holder, [LEASE_PART, WORKING_TENURE]);
    if (rows[0] === undefined) return undefined;
    const [owner, remainingMs] = rows[0];
    return { owner: textOf(owner), remainingMs: Math.max(0, remainingMs as number) };
  }

  /** Asks for more time at once; rejects when this server must not answer any more. */
  async regain(): Promise<void> {
    if (!this.#isOver) {
      this.#regaining ??= this.#renew().finally(() => {
        this.#regaining = undefined;
      });
      await this.#regaining;
    }
    if (this.#isOver) {
      throw new StoreFault(
        "Another server has taken this database over. Stop this one, or start it again.",
      );
    }
  }

  async end(): Promise<void> {
    this.#cancel();
    if (this.#isOver || !this.#hasBegun) return;
    this.#isOver = true;
    const { ask, owner } = this.#setting;
    await ask(TENURES.give, [LEASE_PART, WORKING_TENURE, bytesOf(owner)]);
  }

  #renewLater(): void {
    this.#cancel = this.#setting.timer.after(RENEW_EVERY, () => {
      this.#renew()
        .catch((error: unknown) => {
          // Without an answer it is held until its end, and asked for again.
          if (!(error instanceof StoreFault)) throw error;
        })
        .finally(() => {
          if (!this.#isOver) this.#renewLater();
        });
    });
  }

  async #renew(): Promise<void> {
    if (await this.#extend()) return;
    if (!this.#isOver) this.#setting.onLost();
    this.#isOver = true;
  }

  /** True if the database is ours. The end counts from before the question. */
  async #extend(): Promise<boolean> {
    const { ask, owner, clock } = this.#setting;
    const askedAt = clock.now();
    const askedAtWall = clock.wallNow();
    const values = [LEASE_PART, WORKING_TENURE, bytesOf(owner), DURATION_MS];
    const { rows } = await ask(TENURES.hold, values);
    if (rows.length === 0) return false;
    this.#heldUntil = Math.max(this.#heldUntil, askedAt + DURATION_MS);
    this.#heldUntilWall = askedAtWall + DURATION_MS;
    return true;
  }
}
