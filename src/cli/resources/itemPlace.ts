/**
 * Where an item is: its container's partition key, and the values of it. A key that nobody gave is
 * the id, where the container is partitioned by that; otherwise the item is looked for by its id,
 * and if there is one only, that is the one that was meant.
 */
import { jsonText } from "../../json/stringify.ts";
import { isObject, type JsonValue, property } from "../../json/value.ts";
import type { PartitionKey, PartitionKeyDefinition } from "../../model/partitionKey.ts";
import { headerJson } from "../../protocol/wire/headerJson.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { parseDefinition, placementOf } from "../import/placement.ts";
import { rowsOfPage } from "../query/pageRows.ts";
import { jsonOrText } from "../query/queryOptions.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { aboutOf, type ResourceClient } from "./resourceClient.ts";
import type { ContainerTarget, ItemTarget } from "./resourcePath.ts";

/** `[]` is the key of an item without one. */
type KeyValues = readonly JsonValue[];

export const KEY_HELP = `\
  --partition-key <v>      its partition key, read as JSON or else as text; a list gives the levels
                           of a hierarchical key. Without it the item is looked for by its id
`;

function keyValuesOf(text: string): KeyValues {
  const key = jsonOrText(text);
  if (isObject(key)) {
    throw new BadOption(`--partition-key is '${text}'; it must be a value, or a list of levels.`);
  }
  return Array.isArray(key) ? (key as KeyValues) : [key];
}

export async function definitionOf(
  client: ResourceClient,
  path: ContainerTarget,
): Promise<PartitionKeyDefinition> {
  const body = await client.json({ method: "GET", of: path }, aboutOf(path));
  const definition = parseDefinition(body);
  if (definition.ok) return definition.value;
  throw new CommandFailure(`The container makes no sense: ${definition.error}.`);
}

/** As clients say it: `{}` is the level that an item does not have. */
export function keyOfValues(key: PartitionKey): KeyValues {
  return key.map((component) => (component === undefined ? {} : component));
}

/** The headers that name the key of an item. */
export function keyHeaders(key: KeyValues): Readonly<Record<string, string>> {
  return { [HEADER.partitionKey]: headerJson(key as JsonValue) };
}

/** The key that was given, or the one of the only item with that id. */
export async function keyOfItem(
  client: ResourceClient,
  path: ItemTarget,
  given: string | undefined,
): Promise<KeyValues> {
  if (given !== undefined) return keyValuesOf(given);
  const container: ContainerTarget = { ...path, kind: "container" };
  const definition = await definitionOf(client, container);
  if (definition.paths.length === 1 && definition.paths[0] === "/id") return [path.id];
  const found = await itemsWithId(client, container, path.id);
  const [only, ...others] = found;
  if (only === undefined) throw new CommandFailure(`There is no ${aboutOf(path)}.`);
  const keys = found.map((item) => {
    const key = placementOf(definition).keyOf(item);
    return key.ok ? keyOfValues(key.value) : [];
  });
  if (others.length === 0) return keys[0]!;
  const listed = keys.slice(0, 5).map((key) => jsonText(key as JsonValue));
  throw new CommandFailure(
    `${found.length} items of '${path.database}/${path.container}' have the id '${path.id}'. Say ` +
      `which with --partition-key: ${listed.join(", ")}${keys.length > 5 ? ", …" : ""}`,
  );
}

async function itemsWithId(client: ResourceClient, path: ContainerTarget, id: string) {
  const parameters = [{ name: "@id", value: id }];
  const found = [];
  let continuation: string | undefined;
  do {
    const answer = await client.ask({
      method: "POST",
      of: path,
      list: "docs",
      headers: {
        "content-type": "application/query+json",
        [HEADER.isQuery]: "True",
        [HEADER.mergeQuery]: "true",
        [HEADER.crossPartition]: "true",
        ...(continuation !== undefined && { [HEADER.continuation]: continuation }),
      },
      body: JSON.stringify({ query: "SELECT * FROM c WHERE c.id = @id", parameters }),
    });
    if (answer.status !== 200) throw client.refusal(answer, aboutOf(path));
    found.push(...(rowsOfPage(answer.body) ?? []).filter(isItem));
    const next = answer.headers[HEADER.continuation];
    continuation = typeof next === "string" && next !== "" ? next : undefined;
  } while (continuation !== undefined);
  return found;
}

function isItem(row: unknown): row is { readonly [name: string]: JsonValue } {
  return typeof row === "object" && row !== null && !Array.isArray(row) && "id" in row;
}

/** Said of an item that is not there: what looks like a number may have been meant as text. */
export function absence(
  path: ItemTarget,
  key: KeyValues,
  given: string | undefined,
): CommandFailure {
  const isPlain = given !== undefined && !given.trimStart().startsWith("[");
  const hint =
    isPlain && key.length === 1 && typeof key[0] !== "string"
      ? ` The key was read as a ${key[0] === null ? "null" : typeof key[0]}, not as a text; that ` +
        `would be --partition-key '${JSON.stringify(given)}'.`
      : "";
  const shown = jsonText(key as JsonValue);
  return new CommandFailure(`There is no ${aboutOf(path)} with the key ${shown}.${hint}`);
}

/** The partition key of an item by the names of its levels, for tables. */
export function keyMembers(
  item: { readonly [name: string]: JsonValue },
  { paths }: PartitionKeyDefinition,
): Readonly<Record<string, JsonValue>> {
  const members: Record<string, JsonValue> = {};
  for (const path of paths) {
    let value: JsonValue | undefined = item;
    for (const step of path.slice(1).split("/")) {
      value = isObject(value) ? property(value, step.replace(/^"(.*)"$/, "$1")) : undefined;
    }
    if (path !== "/id" && value !== undefined) members[path] = value;
  }
  return members;
}
