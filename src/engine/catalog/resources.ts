/**
 * What databases, containers and users own besides containers and items: users, permissions,
 * scripts and client encryption keys. All of them are records of the catalogue.
 *
 * Invariants
 * - Changes take their turn with those of databases and containers. Each is committed first and
 *   only then applied in memory, without suspending in between.
 * - Conditions and counts are looked at when it is a change's turn, so of two that exclude each
 *   other one is refused.
 * - A resource goes in the commit in which its owner goes.
 *
 * Not here: what their contents mean. A container is told of its functions, because queries call
 * them.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { JsonObject } from "../../json/value.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { ResourceKind, Rid } from "../../model/rid.ts";
import type { InTurn } from "../jobs/turns.ts";
import type { CatalogFile } from "./catalogFile.ts";
import type { CatalogRecord } from "./catalogRecords.ts";
import type { ContainerLink, PermittedPlace } from "./permitted.ts";
import { permittedPlace } from "./permitted.ts";
import type { ResourceOwner, ResourceRecord } from "./resourceRecords.ts";
import { Resource } from "./resourceRecords.ts";
import type { Roster } from "./roster.ts";
import type { Stamps } from "./stamps.ts";

interface ResourcesSetting {
  readonly file: CatalogFile;
  readonly stamps: Stamps;
  readonly limits: Limits;
  readonly inOrder: InTurn;
  readonly roster: Roster;
}

/** What a client decides of a resource. */
export interface ResourceDraft {
  readonly id: string;
  readonly content: JsonObject;
}

/** The resources of one kind and one owner, by id. */
type Family = Map<string, Resource>;

const KINDS: readonly ResourceKind[] = [
  "user",
  "permission",
  "clientEncryptionKey",
  "storedProcedure",
  "trigger",
  "userDefinedFunction",
];

export class Resources {
  readonly #setting: ResourcesSetting;
  readonly #byRid = new Map<string, Resource>();
  readonly #families = new Map<string, Family>();
  readonly #totals = new Map<ResourceKind, number>();

  constructor(setting: ResourcesSetting) {
    this.#setting = setting;
  }

  get(ownerRid: string, kind: ResourceKind, nameOrRid: string): Resource | undefined {
    const byName = this.#family(ownerRid, kind)?.get(nameOrRid);
    if (byName !== undefined) return byName;
    const byRid = this.#byRid.get(nameOrRid);
    const isTheirs = byRid?.record.ownerRid === ownerRid && byRid.record.kind === kind;
    return isTheirs ? byRid : undefined;
  }

  byRid(rid: string): Resource | undefined {
    return this.#byRid.get(rid);
  }

  /** The resources of one kind and one owner, in order of creation. */
  list(ownerRid: string, kind: ResourceKind): readonly Resource[] {
    const family = this.#family(ownerRid, kind);
    return [...(family?.values() ?? [])].sort((a, b) => a.record.number - b.record.number);
  }

  count(ownerRid: string, kind: ResourceKind): number {
    return this.#family(ownerRid, kind)?.size ?? 0;
  }

  /** How many resources of a kind the whole account has. */
  total(kind: ResourceKind): number {
    return this.#totals.get(kind) ?? 0;
  }

  /**
   * Which container a permission is about whose link names one so. `isConfined`: it is about one
   * partition key.
   */
  permitted(link: ContainerLink, isConfined: boolean): PermittedPlace | undefined {
    return permittedPlace(this.#setting.roster, link, isConfined);
  }

  create(
    owner: ResourceOwner,
    kind: ResourceKind,
    draft: ResourceDraft,
  ): Promise<Result<Resource, Refusal>> {
    return this.#setting.inOrder(() => this.#create(owner, kind, draft));
  }

  /** The condition is about the resource that has the id now, if there is one. */
  upsert(
    owner: ResourceOwner,
    kind: ResourceKind,
    draft: ResourceDraft,
    ifMatch?: string,
  ): Promise<Result<{ readonly resource: Resource; readonly isNew: boolean }, Refusal>> {
    return this.#setting.inOrder(async () => {
      const held = this.#family(owner.rid, kind)?.get(draft.id);
      const made =
        held === undefined
          ? await this.#create(owner, kind, draft)
          : await this.#replace(held, draft, ifMatch);
      return made.ok ? ok({ resource: made.value, isNew: held === undefined }) : made;
    });
  }

  /** `ifMatch` is the etag that the resource must have, or `*`. */
  replace(
    resource: Resource,
    draft: ResourceDraft,
    ifMatch?: string,
  ): Promise<Result<Resource, Refusal>> {
    return this.#setting.inOrder(() => this.#replace(resource, draft, ifMatch));
  }

  delete(resource: Resource, ifMatch?: string): Promise<Result<void, Refusal>> {
    return this.#setting.inOrder(async () => {
      const refusal = refusalOf(resource, ifMatch);
      if (refusal !== undefined) return no(refusal);
      await this.#setting.file.commit([], [recordOf(resource), ...this.recordsUnder([resource])]);
      this.forgetUnder([resource]);
      this.#remove(resource);
      this.#tellFunctions(resource.record);
      return ok(undefined);
    });
  }

  /** The records of all resources that go with these owners: theirs, and those of their users. */
  recordsUnder(owners: readonly ResourceOwner[]): readonly CatalogRecord[] {
    return owners.flatMap((owner) => this.#under(owner.rid)).map(recordOf);
  }

  /** Forgets what `recordsUnder` named, once the records are gone from the store. */
  forgetUnder(owners: readonly ResourceOwner[]): void {
    for (const owner of owners) {
      for (const resource of this.#under(owner.rid)) this.#remove(resource);
    }
  }

  /** Takes the resources from the records of the catalogue; their owners must be there. */
  load(records: readonly CatalogRecord[]): void {
    const functions = new Map<string, ResourceRecord>();
    for (const record of records) {
      if (record.kind !== "resource") continue;
      const { resource } = record;
      this.#add(new Resource(resource));
      if (resource.kind === "userDefinedFunction") functions.set(resource.ownerRid, resource);
    }
    for (const record of functions.values()) this.#tellFunctions(record);
  }

  async #create(
    owner: ResourceOwner,
    kind: ResourceKind,
    draft: ResourceDraft,
  ): Promise<Result<Resource, Refusal>> {
    const { file, stamps, limits } = this.#setting;
    if (owner.isDeleted) return no({ kind: "ownerNotFound" });
    const family = this.#family(owner.rid, kind);
    if (family?.has(draft.id) === true) return no({ kind: "idTaken" });
    if (this.#isScopeTaken(family, draft)) return no({ kind: "permissionTaken" });
    const countMax = countMaxOf(kind, limits);
    if ((family?.size ?? 0) >= countMax) return no(tooMany(kind, countMax));
    const number = file.counters.resource;
    const record = { ...draft, kind, number, ownerRid: owner.rid as Rid, ...stamps.next() };
    const counters = { ...file.counters, resource: number + 1 };
    await file.commit([
      { kind: "resource", resource: record },
      { kind: "counters", counters },
    ]);
    file.counters = counters;
    const resource = this.#add(new Resource(record));
    this.#tellFunctions(record);
    return ok(resource);
  }

  async #replace(
    resource: Resource,
    draft: ResourceDraft,
    ifMatch: string | undefined,
  ): Promise<Result<Resource, Refusal>> {
    const { file, stamps } = this.#setting;
    const refusal = refusalOf(resource, ifMatch);
    if (refusal !== undefined) return no(refusal);
    const { ownerRid, kind } = resource.record;
    const family = this.#family(ownerRid, kind)!;
    if ((family.get(draft.id) ?? resource) !== resource) return no({ kind: "idTaken" });
    if (this.#isScopeTaken(family, draft, resource)) return no({ kind: "permissionTaken" });
    const record = { ...resource.record, ...draft, ...stamps.next() };
    await file.commit([{ kind: "resource", resource: record }]);
    family.delete(resource.record.id);
    resource.become(record);
    family.set(draft.id, resource);
    this.#tellFunctions(record);
    return ok(resource);
  }

  #family(ownerRid: string, kind: ResourceKind): Family | undefined {
    return this.#families.get(familyKey(ownerRid, kind));
  }

  #under(ownerRid: string): readonly Resource[] {
    const owned = KINDS.flatMap((kind) => [...(this.#family(ownerRid, kind)?.values() ?? [])]);
    return owned.flatMap((resource) => [resource, ...this.#under(resource.rid)]);
  }

  #add(resource: Resource): Resource {
    const { ownerRid, kind, id } = resource.record;
    const key = familyKey(ownerRid, kind);
    const family = this.#families.get(key) ?? new Map<string, Resource>();
    this.#families.set(key, family.set(id, resource));
    this.#byRid.set(resource.rid, resource);
    this.#totals.set(kind, this.total(kind) + 1);
    return resource;
  }

  #remove(resource: Resource): void {
    const { ownerRid, kind, id } = resource.record;
    const family = this.#family(ownerRid, kind);
    family?.delete(id);
    if (family?.size === 0) this.#families.delete(familyKey(ownerRid, kind));
    this.#byRid.delete(resource.rid);
    this.#totals.set(kind, this.total(kind) - 1);
    resource.markDeleted();
  }

  /** A user has one permission for a resource, or one for each partition key in it. */
  #isScopeTaken(family: Family | undefined, draft: ResourceDraft, self?: Resource): boolean {
    const scope = scopeOf(draft.content);
    if (scope === undefined || family === undefined) return false;
    for (const other of family.values()) {
      if (other !== self && scopeOf(other.record.content) === scope) return true;
    }
    return false;
  }

  #tellFunctions({ kind, ownerRid }: ResourceRecord): void {
    if (kind !== "userDefinedFunction") return;
    const functions = this.list(ownerRid, kind).map(({ record: { id, content } }) => {
      const body = String(content["body"]);
      return [id, { name: id, body }] as const;
    });
    this.#setting.roster.containerByRid(ownerRid)?.setFunctions(new Map(functions));
  }
}

/** Rids and kinds have no spaces. */
const familyKey = (ownerRid: string, kind: ResourceKind): string => `${ownerRid} ${kind}`;

const recordOf = ({ record }: Resource): CatalogRecord => ({ kind: "resource", resource: record });

function refusalOf(resource: Resource, ifMatch: string | undefined): Refusal | undefined {
  if (resource.isDeleted) return { kind: "notFound" };
  const isMet = ifMatch === undefined || ifMatch === "*" || ifMatch === resource.record.etag;
  return isMet ? undefined : { kind: "preconditionFailed" };
}

/**
 * What a permission is about, as its link says it. A link of names and a link of rids are two
 * scopes even if both lead to the same: as in the service, a user may have both.
 */
function scopeOf({ resource, resourcePartitionKey = null }: JsonObject): string | undefined {
  if (typeof resource !== "string") return undefined;
  const segments = resource.split("/").filter((segment) => segment !== "");
  return JSON.stringify([segments.map(decoded), resourcePartitionKey]);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function countMaxOf(kind: ResourceKind, limits: Limits): number {
  switch (kind) {
    case "storedProcedure":
      return limits.proceduresMax;
    case "trigger":
      return limits.triggersMax;
    case "userDefinedFunction":
      return limits.functionsMax;
    default:
      return Number.POSITIVE_INFINITY;
  }
}

function tooMany(kind: ResourceKind, countMax: number): Refusal {
  const name = kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const message =
    `The container has ${countMax} resources of the kind '${name}', which is as many as it may ` +
    "have. Delete one that is not needed.";
  return { kind: "forbidden", message };
}
