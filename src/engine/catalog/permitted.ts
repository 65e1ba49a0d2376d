/** Which container a permission is about whose link names one, now that names may have moved on. */
import type { Container } from "../partition/container.ts";
import { itemNameNow, rightsOf, standsFor } from "../partition/predecessors.ts";
import type { Roster } from "./roster.ts";

/** A database and a container in it, each by name or by rid. */
export interface ContainerLink {
  readonly database: string;
  readonly container: string;
}

export interface PermittedPlace {
  readonly container: Container;
  /** A text that stays for as long as permissions with this link are about the same. */
  readonly rights: string;
  /** An item of the link, by id or rid, as the container names it. */
  itemNameNow(name: string): string;
}

/** `isConfined`: the permission is about one partition key. */
export function permittedPlace(
  roster: Roster,
  link: ContainerLink,
  isConfined: boolean,
): PermittedPlace | undefined {
  const named = roster.container(link.database, link.container);
  if (named?.definition.id === link.container) return placeIn(named, rightsOf(named, isConfined));
  const rid = link.container;
  const successor = roster.containers().find((one) => standsFor(one, rid, isConfined));
  const container = successor ?? named;
  return container && placeIn(container, rid);
}

function placeIn(container: Container, rights: string): PermittedPlace {
  return { container, rights, itemNameNow: (name) => itemNameNow(container, name) };
}
