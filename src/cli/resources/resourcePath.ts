/** What a command is about, as people write it: `shop`, `shop/orders` or `shop/orders/<id>`. */
import { BadOption } from "../../server/surroundings/options.ts";

export interface DatabaseTarget {
  readonly kind: "database";
  readonly database: string;
}

export interface ContainerTarget {
  readonly kind: "container";
  readonly database: string;
  readonly container: string;
}

export interface ItemTarget {
  readonly kind: "item";
  readonly database: string;
  readonly container: string;
  readonly id: string;
}

export type ResourceTarget = DatabaseTarget | ContainerTarget | ItemTarget;

export function resourcePathOf(text: string): ResourceTarget {
  const [database = "", container, id, ...rest] = text.split("/");
  const isWhole = database !== "" && container !== "" && id !== "" && rest.length === 0;
  if (!isWhole) {
    throw new BadOption(
      `'${text}' names nothing; a database is shop, a container shop/orders, an item ` +
        "shop/orders/<id>.",
    );
  }
  if (container === undefined) return { kind: "database", database };
  if (id === undefined) return { kind: "container", database, container };
  return { kind: "item", database, container, id };
}

export function itemPathOf(text: string | undefined): ItemTarget {
  const path = text === undefined ? undefined : resourcePathOf(text);
  if (path?.kind === "item") return path;
  throw new BadOption(
    text === undefined
      ? "Name the item: <database>/<container>/<id>."
      : `'${text}' names no item; it must be <database>/<container>/<id>.`,
  );
}

/** As it is written. */
export function pathText(path: ResourceTarget): string {
  if (path.kind === "database") return path.database;
  const { database, container } = path;
  return path.kind === "container"
    ? `${database}/${container}`
    : `${database}/${container}/${path.id}`;
}
