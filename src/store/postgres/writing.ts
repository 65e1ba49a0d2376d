/**
 * Changes, one after the other for each part and side by side for several. A transaction that
 * collided is sent again. When the connection breaks under one, nobody knows whether it came to be:
 * the next connection locks the head, which waits for whatever is still under way, and the stamp
 * tells. So each change happens once, however often the way to the database breaks.
 */
import { pause } from "../../base/retry.ts";
import type { Random, Timer } from "../../base/world.ts";
import { Fenced } from "../partitionStore.ts";
import type { Author, PartChange } from "./changes.ts";
import { refused } from "./partReads.ts";
import type { HeadRow } from "./rows.ts";
import { headOf } from "./rows.ts";
import type { Session } from "./session.ts";
import { isCollision, isLoss } from "./session.ts";
import type { Sessions } from "./sessions.ts";
import { WRITES } from "./statements.ts";

interface WritingSetting {
  readonly sessions: Sessions;
  readonly timer: Timer;
  readonly random: Random;
}

const STAMP_BYTES = 12;
/** A transaction that collided is tried again after a random part of this time, which doubles. */
const COLLISION_MS = 8;
const COLLISION_MS_MAX = 500;

type Outcome = { readonly kind: "done"; readonly row: HeadRow } | { readonly kind: "unknown" };

export class Writing {
  readonly #setting: WritingSetting;
  /** By part: settles when the change before has ended. */
  readonly #turns = new Map<number, Promise<unknown>>();

  constructor(setting: WritingSetting) {
    this.#setting = setting;
  }

  /** Runs `action` when all that was asked of this part before has ended. */
  async inTurn<T>(part: number, action: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(part) ?? Promise.resolve();
    const turn = before.then(action, action);
    this.#turns.set(part, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(part) === turn) this.#turns.delete(part);
    }
  }

  /** Resolves with the head that the change left; only within `inTurn`. */
  async change(
    part: number,
    epoch: number,
    changeOf: (author: Author) => PartChange,
  ): Promise<HeadRow["head"]> {
    const stamp = Buffer.from(this.#setting.random.bytes(STAMP_BYTES));
    const author = { part, epoch, stamp };
    const change = changeOf(author);
    let mayHaveHappened = false;
    for (let collisions = 0; ; ) {
      const outcome = await this.#setting.sessions.lend(
        async (session): Promise<Outcome | "collided"> => {
          try {
            if (mayHaveHappened) {
              const known = await this.#find(session, author);
              if (known !== undefined) return { kind: "done", row: known };
              mayHaveHappened = false;
            }
            const [answer] = await session.transact(change);
            const row = answer!.rows[0];
            if (row === undefined) throw deposed(author);
            return { kind: "done", row: headOf(row) };
          } catch (error) {
            if (error instanceof Fenced) throw error;
            if (isCollision(error)) return "collided";
            if (isLoss(error)) return { kind: "unknown" };
            throw refused(error);
          }
        },
      );
      if (outcome === "collided") {
        const most = Math.min(COLLISION_MS_MAX, COLLISION_MS * 2 ** collisions++);
        await pause(this.#setting.timer, this.#setting.random.next() * most);
      } else if (outcome.kind === "done") return outcome.row.head;
      else mayHaveHappened = true;
    }
  }

  /** The head as the change left it, if it came to be; rejects if the author is deposed. */
  async #find(session: Session, author: Author): Promise<HeadRow | undefined> {
    const locked = { statement: WRITES.lockHead, values: [author.part] };
    const [answer] = await session.transact([locked]);
    const row = answer!.rows[0];
    if (row === undefined) throw deposed(author);
    const found = headOf(row);
    if (found.stamp?.equals(author.stamp) === true) return found;
    if (found.head.epoch !== author.epoch) throw deposed(author);
    return undefined;
  }
}

function deposed({ part, epoch }: Author): Fenced {
  return new Fenced(`part ${part} is not at epoch ${epoch} any more`);
}
