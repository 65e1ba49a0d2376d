/**
 * Permissions go with a name. A container that takes over the name of another one is, for those who
 * hold permissions and tokens, the container that had the name before: the other one is its
 * predecessor, and the record says so. Whoever gives the name back gives the permissions back.
 *
 * Invariants
 * - A container is predecessor of at most one other: rights are handed on, never doubled.
 * - The rights of a container that was replaced are its own from then on, and nobody else's. A
 *   permission on it says nothing about its successor.
 * - A permission that is confined to a partition key is handed on only as long as keys mean the
 *   same.
 *
 * Not here: what a permission allows (`protocol/auth/grants.ts`).
 */
import type { Rid } from "../../model/rid.ts";
import { containerRid, itemRid, parseRid } from "../../model/rid.ts";
import type { Container, ContainerRecord } from "./container.ts";

export interface Predecessor {
  readonly rid: Rid;
  /** True if the container that took over the name has the same partition key paths. */
  readonly hasSameKey: boolean;
}

/** The records of two containers after the permissions of one are those of the other. */
interface RightsHandedOn {
  readonly from: ContainerRecord;
  readonly to: ContainerRecord;
}

/** `to` takes over, or is given back what it had handed on to `from` before. */
export function rightsHandedOn(from: Container, to: Container): RightsHandedOn {
  const { standsFor = [], isReplaced: _, ...given } = from.record;
  const { standsFor: __, isReplaced: wasReplaced, ...taken } = to.record;
  const returned = standsFor.filter(({ rid }) => rid !== to.rid);
  if (wasReplaced === true && returned.length < standsFor.length) {
    return { from: given, to: withPredecessors(taken, returned) };
  }
  const own = { rid: from.rid, hasSameKey: keyPathsOf(from) === keyPathsOf(to) };
  return {
    from: { ...given, isReplaced: true },
    to: withPredecessors(taken, [...standsFor, own]),
  };
}

/**
 * What permissions on a container by its name are about: a text that stays when the name moves on
 * with the permissions. `isConfined`: to one partition key.
 */
export function rightsOf({ rid, record }: Container, isConfined: boolean): string {
  if (record.isReplaced === true) return `${rid} replaced`;
  const carried = carriedFrom(record, isConfined);
  return carried[0]?.rid ?? rid;
}

/** True if permissions on the container with this rid are about that one. */
export function standsFor({ record }: Container, rid: string, isConfined: boolean): boolean {
  return carriedFrom(record, isConfined).some((one) => one.rid === rid);
}

/** An item whose rid is that of a predecessor's item has the same number, and the rid of today. */
export function itemNameNow({ record, childRids }: Container, name: string): string {
  const rid = parseRid(name);
  if (rid?.kind !== "item") return name;
  const owner = containerRid(rid.database, rid.container);
  const isInherited = record.standsFor?.some((one) => one.rid === owner) === true;
  return isInherited ? itemRid(childRids, rid.child) : name;
}

/** The predecessors whose permissions hold for a container, the first one first. */
function carriedFrom(
  { standsFor: all = [] }: ContainerRecord,
  isConfined: boolean,
): readonly Predecessor[] {
  const last = isConfined ? all.findLastIndex(({ hasSameKey }) => !hasSameKey) : -1;
  return all.slice(last + 1);
}

function withPredecessors(
  record: ContainerRecord,
  predecessors: readonly Predecessor[],
): ContainerRecord {
  return predecessors.length === 0 ? record : { ...record, standsFor: predecessors };
}

function keyPathsOf({ definition }: Container): string {
  return JSON.stringify(definition.partitionKey.paths);
}
