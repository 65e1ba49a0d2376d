/** Which databases and containers there are, by name and by rid. Only the catalogue changes it. */
import type { Container } from "../partition/container.ts";
import type { Database } from "./database.ts";

export class Roster {
  readonly #databases = new Map<string, Database>();
  /** Names and rids of databases and containers share no key: rids of both kinds differ. */
  readonly #databaseByRid = new Map<string, Database>();
  readonly #containerByRid = new Map<string, Container>();

  /** True from when everything was dropped, unseen by clients. */
  isReset = false;

  databases(): readonly Database[] {
    return [...this.#databases.values()];
  }

  containers(): readonly Container[] {
    return [...this.#containerByRid.values()];
  }

  /** By name, or by rid. */
  database(nameOrRid: string): Database | undefined {
    return this.#databases.get(nameOrRid) ?? this.#databaseByRid.get(nameOrRid);
  }

  container(database: string, nameOrRid: string): Container | undefined {
    const byName = this.database(database)?.containers.get(nameOrRid);
    if (byName !== undefined) return byName;
    const byRid = this.#containerByRid.get(nameOrRid);
    return byRid !== undefined && this.database(database)?.rid === byRid.databaseRid
      ? byRid
      : undefined;
  }

  databaseByRid(rid: string): Database | undefined {
    return this.#databaseByRid.get(rid);
  }

  containerByRid(rid: string): Container | undefined {
    return this.#containerByRid.get(rid);
  }

  hasName(database: string): boolean {
    return this.#databases.has(database);
  }

  /** False of a database that was deleted, even if there is another of its name. */
  has(database: Database): boolean {
    return this.#databases.get(database.record.id) === database;
  }

  add(database: Database): void {
    this.#databases.set(database.record.id, database);
    this.#databaseByRid.set(database.rid, database);
  }

  addContainer(database: Database, container: Container): void {
    container.isAfterReset = this.isReset;
    database.containers.set(container.definition.id, container);
    this.#containerByRid.set(container.rid, container);
  }

  /** Called when the containers have their new names: finds them under these and no others. */
  rename(database: Database, renamed: ReadonlyMap<Container, string>): void {
    for (const formerName of renamed.values()) database.containers.delete(formerName);
    for (const container of renamed.keys()) {
      database.containers.set(container.definition.id, container);
    }
  }

  /** The containers in it have to be forgotten one by one. */
  forget(database: Database): void {
    this.#databases.delete(database.record.id);
    this.#databaseByRid.delete(database.rid);
    database.markDeleted();
  }

  forgetContainer(database: Database, container: Container): void {
    container.markDeleted();
    database.containers.delete(container.definition.id);
    this.#containerByRid.delete(container.rid);
  }
}
