/**
 * Users, permissions, scripts and client encryption keys: the record of one (`ResourceRecord`), and
 * one while the server runs (`Resource`).
 *
 * A resource belongs to one owner for as long as it lives. Its rid and its number stay when it gets
 * another id or content; its etag does not.
 */
import type { JsonObject } from "../../json/value.ts";
import type { ResourceKind, Rid } from "../../model/rid.ts";
import { resourceRid } from "../../model/rid.ts";

/** What the catalogue remembers of a resource. */
export interface ResourceRecord {
  readonly kind: ResourceKind;
  /** No other resource of the account has this number, or had it. */
  readonly number: number;
  readonly ownerRid: Rid;
  readonly id: string;
  /** All that the body says beside the id and the properties that every resource has. */
  readonly content: JsonObject;
  readonly etag: string;
  readonly ts: number;
}

/** What can own resources: a database, a container or a user. */
export interface ResourceOwner {
  readonly rid: string;
  readonly isDeleted: boolean;
}

export class Resource implements ResourceOwner {
  readonly rid: Rid;
  #record: ResourceRecord;
  #isDeleted = false;

  constructor(record: ResourceRecord) {
    this.rid = resourceRid(record.kind, record.ownerRid, record.number);
    this.#record = record;
  }

  get record(): ResourceRecord {
    return this.#record;
  }

  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  /** Takes over a record the catalogue has made durable. */
  become(record: ResourceRecord): void {
    this.#record = record;
  }

  markDeleted(): void {
    this.#isDeleted = true;
  }
}
