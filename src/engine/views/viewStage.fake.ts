/** An account with a container and views of it, for tests; the container is that of copies. */
import { assert } from "../../base/assert.ts";
import type { JsonObject } from "../../json/value.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Account } from "../account.ts";
import { contents, remove } from "../copy/copyStage.fake.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";
import type { Container } from "../partition/container.ts";
import { rowIdOf } from "./viewMapping.ts";

/** Deletes what `write` has written under the same index. */
export function removeAt(account: Account, container: Container, index: number): Promise<void> {
  return remove(account, container, `p${index % 7}`, `i${index}`);
}

/** A view `v` of `c` under `/tenant`, unless it is to be another one. */
export async function makeView(
  account: Account,
  more: JsonObject = {},
  definition = "SELECT * FROM c",
): Promise<Container> {
  const made = await tryView(account, more, definition);
  assert("rid" in made, JSON.stringify(made));
  return made;
}

export async function tryView(
  account: Account,
  more: JsonObject = {},
  query = "SELECT * FROM c",
): Promise<Container | Refusal> {
  const body = {
    id: "v",
    partitionKey: { paths: ["/tenant"], kind: "Hash", version: 2 },
    materializedViewDefinition: { sourceCollectionId: "c", definition: query },
    ...more,
  };
  const definition = parseContainerDefinition(body, undefined, account.limits);
  assert(definition.ok, definition.ok ? "" : definition.error);
  const database = account.catalog.database("d")!;
  const made = await account.catalog.createContainer(database, definition.value, {
    throughput: undefined,
  });
  return made.ok ? made.value : made.error;
}

/** What the rows of a view with all properties have to be, in the order of their ids. */
export async function expectedRows(
  account: Account,
  source: Container,
): Promise<readonly JsonObject[]> {
  const items = await contents(account, source);
  const rows = items.map(({ id, ...others }) => ({
    ...others,
    id: rowIdOf([others["pk"] as string], id as string),
    _id: id!,
  }));
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}
