/**
 * One connection to a server. Statements go out without waiting for the answers of those before
 * them, so a transaction of ten statements takes one round trip.
 *
 * Values come back as text, which is the driver's only exact form; bytes as hexadecimal digits.
 */
import type { Socket } from "node:net";
import type pg from "pg";
import { codeOf } from "../faults.ts";
import type { Statement } from "./statements.ts";

export type SqlValue = string | number | boolean | Buffer;
export type SqlRow = readonly unknown[];

export interface SqlQuery {
  readonly statement: Statement;
  readonly values: readonly SqlValue[];
}

export interface SqlAnswer {
  readonly rows: readonly SqlRow[];
  /** How many rows a statement changed. */
  readonly count: number;
}

/** Opens a connection; replaced in tests by one that breaks when it is told to. */
export type Connect = () => Promise<Session>;

interface SessionOptions {
  readonly url: string;
  /** How long to wait for a connection, in milliseconds. */
  readonly connectMs: number;
}

/** A transaction that was begun and left, by a connection that broke, ends after this time. */
const IDLE_TRANSACTION_MS = 5000;

const BIGINT = 20;
const INTEGER = 23;
const BYTEA = 17;
const BOOLEAN = 16;

const TYPES = {
  getTypeParser:
    (type: number) =>
    (text: string): unknown => {
      switch (type) {
        case BIGINT:
        case INTEGER:
          return Number(text);
        case BYTEA:
          return Buffer.from(text.slice(2), "hex");
        case BOOLEAN:
          return text === "t";
        default:
          return text;
      }
    },
};

export class Session {
  readonly #client: pg.Client;
  #lost: Error | undefined;
  #waitingCount = 0;

  /** Rejects when there is no server, or it does not let us in. */
  static async open({ url, connectMs }: SessionOptions): Promise<Session> {
    // Nobody has to have the driver who keeps data in a directory.
    const { default: driver } = await import("pg");
    const client = new driver.Client({
      connectionString: url,
      application_name: "orrery",
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      options: `-c idle_in_transaction_session_timeout=${IDLE_TRANSACTION_MS} -c bytea_output=hex`,
      pipeline: true,
    });
    const session = new Session(client);
    await client.connect();
    return session;
  }

  private constructor(client: pg.Client) {
    this.#client = client;
    client.on("error", (error) => this.#lose(error));
    client.on("end", () => this.#lose(new Error("the connection was closed")));
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** Statements whose answers have not come. */
  get waitingCount(): number {
    return this.#waitingCount;
  }

  async ask({ statement, values }: SqlQuery): Promise<SqlAnswer> {
    this.#waitingCount++;
    try {
      const { name, text } = statement;
      const asked = { name, text, values: [...values], rowMode: "array" as const, types: TYPES };
      const { rows, rowCount } = await this.#client.query<unknown[]>(asked);
      return { rows, count: rowCount ?? 0 };
    } catch (error) {
      if (isLoss(error)) this.#lose(error);
      throw error;
    } finally {
      this.#waitingCount--;
    }
  }

  /** Sends a text that is not worth keeping prepared, such as the making of a table. */
  async tell(text: string): Promise<void> {
    await this.#client.query(text);
  }

  /**
   * Runs the statements as one transaction, in one flight. Rejects with the first error; after it
   * nothing has happened, unless the connection broke, when nobody knows.
   */
  async transact(queries: readonly SqlQuery[]): Promise<readonly SqlAnswer[]> {
    const answers = await Promise.allSettled([
      this.tell("BEGIN"),
      ...queries.map((query) => this.ask(query)),
      this.tell("COMMIT"),
    ]);
    const failed = answers.find((answer) => answer.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    const told = answers.slice(1, -1) as readonly PromiseFulfilledResult<SqlAnswer>[];
    return told.map(({ value }) => value);
  }

  /** Breaks the connection as a wire breaks: nobody knows what of the last flight has arrived. */
  cut(): void {
    const { connection } = this.#client as unknown as {
      readonly connection: { readonly stream: Socket };
    };
    connection.stream.destroy();
    this.#lose(new Error("the connection was cut"));
  }

  async close(): Promise<void> {
    this.#lost ??= new Error("closed");
    await this.#client.end().catch(() => undefined);
  }

  #lose(error: unknown): void {
    this.#lost ??= error instanceof Error ? error : new Error(String(error));
  }
}

/** Classes of states that say that the server, or the way to it, has gone. */
const LOSSES: readonly string[] = ["08", "57P", "58"];
const TRY_AGAIN: readonly string[] = ["40001", "40P01", "55P03"];

/** True if nobody knows what became of what was sent; errors of sockets have no state. */
export function isLoss(error: unknown): boolean {
  const isTheServers = error instanceof Error && "severity" in error;
  return !isTheServers || LOSSES.some((start) => String(codeOf(error)).startsWith(start));
}

/** True if the server undid a transaction that would succeed if it were tried again. */
export function isCollision(error: unknown): boolean {
  return TRY_AGAIN.includes(String(codeOf(error)));
}
