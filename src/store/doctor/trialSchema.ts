/**
 * A schema of its own in a database, with the tables of a store in it, for trials only. What the
 * database holds otherwise is neither read nor written, and the schema is removed in the end.
 */
import type { Clock, Random, Timer } from "../../base/world.ts";
import type { PartitionStore } from "../partitionStore.ts";
import { PostgresStore } from "../postgres/postgresStore.ts";
import { TABLES } from "../postgres/schema.ts";
import { prepareSchema } from "../postgres/schemaSteps.ts";
import { Session } from "../postgres/session.ts";
import type { StoreSubject } from "../promises/storePromise.ts";

export interface TrialSetting {
  readonly url: string;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly random: Random;
}

const CONNECT_MS = 5000;
const NAME_BYTES = 6;

export class TrialSchema implements StoreSubject {
  readonly name: string;
  readonly #setting: TrialSetting;
  readonly #settings: readonly string[];
  readonly #sessions = new Set<Session>();

  /** `settings` are sent on each new connection. */
  constructor(setting: TrialSetting, settings: readonly string[] = []) {
    this.#setting = setting;
    this.#settings = settings;
    this.name = `orrery_doctor_${Buffer.from(setting.random.bytes(NAME_BYTES)).toString("hex")}`;
  }

  async make(): Promise<void> {
    await this.#once(async (session) => {
      await session.tell(`CREATE SCHEMA ${this.name}`);
      await prepareSchema(session);
    });
  }

  /** On Citus each table is spread over the nodes by its part, as an operator would have it. */
  async distribute(): Promise<void> {
    await this.#once(async (session) => {
      const [first, ...others] = TABLES;
      await session.tell(`SELECT create_distributed_table('${this.name}.${first}', 'part')`);
      for (const table of others) {
        const beside = `colocate_with => '${this.name}.${first}'`;
        await session.tell(
          `SELECT create_distributed_table('${this.name}.${table}', 'part', ${beside})`,
        );
      }
    });
  }

  /** A store on the tables, which are empty then. */
  async open(): Promise<{ store: PartitionStore; reopen: () => Promise<PartitionStore> }> {
    await this.#once(async (session) => {
      for (const table of TABLES) await session.tell(`DELETE FROM ${table}`);
    });
    const reopen = (): Promise<PartitionStore> =>
      PostgresStore.open({
        ...this.#setting,
        owner: "orrery doctor",
        notify: () => undefined,
        onTaken: () => Promise.reject(new Error("the trial has a second server")),
        connect: this.connect,
      });
    return { store: await reopen(), reopen };
  }

  connect = async (): Promise<Session> => {
    const session = await Session.open({ url: this.#setting.url, connectMs: CONNECT_MS });
    try {
      for (const text of [`SET search_path TO ${this.name}`, ...this.#settings]) {
        await session.tell(text);
      }
    } catch (error) {
      await session.close();
      throw error;
    }
    for (const known of this.#sessions) if (known.isLost) this.#sessions.delete(known);
    this.#sessions.add(session);
    return session;
  };

  /** Breaks one of the connections, in the middle of what it is at. */
  cutOne(): void {
    const open = [...this.#sessions].filter((session) => !session.isLost);
    const busy = open.filter(({ waitingCount }) => waitingCount > 0);
    const among = busy.length > 0 ? busy : open;
    among[Math.floor(this.#setting.random.next() * among.length)]?.cut();
  }

  async remove(): Promise<void> {
    await this.#once((session) => session.tell(`DROP SCHEMA IF EXISTS ${this.name} CASCADE`));
  }

  async #once<T>(action: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.connect();
    try {
      return await action(session);
    } finally {
      await session.close();
    }
  }
}
