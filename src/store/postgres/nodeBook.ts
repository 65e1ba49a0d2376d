/**
 * The book of the nodes that share a database, kept in it: who they are and when each was last
 * heard of, by the clock of the database; and the few values on which all of them must agree. It
 * has a connection of its own, so that a node that is busy, or does not work, is heard of, too.
 */
import type { Clock, Timer } from "../../base/world.ts";
import { PartReads } from "./partReads.ts";
import { Reach } from "./reach.ts";
import { bytesOf, textOf } from "./rows.ts";
import type { Connect } from "./session.ts";
import { Sessions } from "./sessions.ts";
import type { Statement } from "./statements.ts";
import { TENURES } from "./statements.ts";
import type { TenureHolder } from "./tenure.ts";
import { WORKING_TENURE } from "./tenure.ts";

interface NodeBookSetting {
  readonly connect: Connect;
  readonly clock: Clock;
  readonly timer: Timer;
}

export interface BookedNode {
  readonly name: string;
  /** What it tells of itself. */
  readonly card: string;
  readonly heardMsAgo: number;
}

const NODE_PART = 0;
/** Rows of nodes that ended without a word go after a day. */
const FORGOTTEN_MS = 86_400_000;

const NOW_MS = "floor(extract(epoch FROM now()) * 1000)::bigint";

type NodeStatement =
  | "hear"
  | "nodes"
  | "forget"
  | "forgetOld"
  | "agreedOn"
  | "propose"
  | "agreeAnew";

export const NODES: Readonly<Record<NodeStatement, Statement>> = {
  hear: {
    name: "orrery_hear",
    text:
      `INSERT INTO node (part, name, card, heard_ms) VALUES ($1, $2, $3, ${NOW_MS}) ` +
      "ON CONFLICT (part, name) DO UPDATE SET card = EXCLUDED.card, heard_ms = EXCLUDED.heard_ms",
  },
  nodes: {
    name: "orrery_nodes",
    text: `SELECT name, card, ${NOW_MS} - heard_ms FROM node WHERE part = $1 ORDER BY name`,
  },
  forget: { name: "orrery_forget_node", text: "DELETE FROM node WHERE part = $1 AND name = $2" },
  forgetOld: {
    name: "orrery_forget_nodes",
    text: `DELETE FROM node WHERE part = $1 AND heard_ms < ${NOW_MS} - $2::bigint`,
  },
  agreedOn: {
    name: "orrery_agreed",
    text: "SELECT value FROM agreed WHERE part = $1 AND name = $2",
  },
  propose: {
    name: "orrery_propose",
    text:
      "INSERT INTO agreed (part, name, value) VALUES ($1, $2, $3) " +
      "ON CONFLICT (part, name) DO NOTHING",
  },
  agreeAnew: {
    name: "orrery_agree_anew",
    text:
      "INSERT INTO agreed (part, name, value) VALUES ($1, $2, $3) " +
      "ON CONFLICT (part, name) DO UPDATE SET value = EXCLUDED.value",
  },
};

export class NodeBook {
  readonly #sessions: Sessions;
  readonly #ask: PartReads["ask"];

  constructor({ connect, clock, timer }: NodeBookSetting) {
    // That the database is out of reach is told by the store, once for both.
    const reach = new Reach(() => undefined);
    this.#sessions = new Sessions({ connect, timer, reach, countMax: 1 });
    const isHeld = (): boolean => true;
    const regain = (): Promise<void> => Promise.resolve();
    const reads = new PartReads({ sessions: this.#sessions, clock, timer, isHeld, regain });
    this.#ask = reads.ask.bind(reads);
  }

  /** Says that a node is there, and who it is. */
  async hear(name: string, card: string): Promise<void> {
    await this.#ask(NODES.hear, [NODE_PART, bytesOf(name), Buffer.from(card)]);
  }

  async nodes(): Promise<readonly BookedNode[]> {
    const { rows } = await this.#ask(NODES.nodes, [NODE_PART]);
    return rows.map(([name, card, heardMsAgo]) => ({
      name: textOf(name),
      card: (card as Buffer).toString(),
      heardMsAgo: Math.max(0, heardMsAgo as number),
    }));
  }

  /** Who works, or did last. */
  async worker(): Promise<TenureHolder | undefined> {
    const { rows } = await this.#ask(TENURES.holder, [NODE_PART, WORKING_TENURE]);
    if (rows[0] === undefined) return undefined;
    const [owner, remainingMs] = rows[0];
    return { owner: textOf(owner), remainingMs: Math.max(0, remainingMs as number) };
  }

  async forget(name: string): Promise<void> {
    await this.#ask(NODES.forget, [NODE_PART, bytesOf(name)]);
  }

  /** Forgets those that have been silent for very long. */
  async forgetOld(): Promise<void> {
    await this.#ask(NODES.forgetOld, [NODE_PART, FORGOTTEN_MS]);
  }

  /** What all nodes agree on under a name. */
  async agreedOn(name: string): Promise<Buffer | undefined> {
    const { rows } = await this.#ask(NODES.agreedOn, [NODE_PART, bytesOf(name)]);
    return rows[0]?.[0] as Buffer | undefined;
  }

  /** The first value that was proposed is the one that all get. */
  async propose(name: string, value: Buffer): Promise<Buffer> {
    const agreed = await this.agreedOn(name);
    if (agreed !== undefined) return agreed;
    await this.#ask(NODES.propose, [NODE_PART, bytesOf(name), value]);
    return (await this.agreedOn(name)) ?? this.propose(name, value);
  }

  async agreeAnew(name: string, value: Buffer): Promise<void> {
    await this.#ask(NODES.agreeAnew, [NODE_PART, bytesOf(name), value]);
  }

  close(): Promise<void> {
    return this.#sessions.close();
  }
}
