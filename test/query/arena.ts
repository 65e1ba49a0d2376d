/**
 * Where queries are put to the test: containers with the same items in few and in many physical
 * partitions, and what the official client makes of a query there.
 */
import type { Container, ContainerRequest, Database, FeedOptions } from "@azure/cosmos";
import { ErrorResponse } from "@azure/cosmos";
import type { JsonObject, JsonValue } from "../../src/json/value.ts";
import type { Parameters } from "./naive.ts";

/** Physical partitions → the rate at creation that makes as many. */
export const RATES: Readonly<Record<number, number>> = { 1: 400, 5: 50_000, 20: 200_000 };

export type Answer =
  | { readonly kind: "rows"; readonly rows: readonly JsonValue[] }
  | { readonly kind: "refused"; readonly status: number; readonly message: string }
  /** By the client itself: it merges orders of one type only. */
  | { readonly kind: "declined"; readonly message: string };

/** The server merges, where it would otherwise send the client to do it. */
export const MERGED: FeedOptions = { initialHeaders: { "x-orrery-merge-query": "true" } };

let containerCount = 0;

/** A container with these items, made one after the other so that their order is known. */
export async function fillContainer(
  database: Database,
  definition: Partial<ContainerRequest>,
  items: readonly JsonObject[],
): Promise<Container> {
  const { container } = await database.containers.create({
    id: `arena-${++containerCount}`,
    partitionKey: { paths: ["/pk"] },
    ...definition,
  });
  for (const item of items) await container.items.create(item);
  return container;
}

/** What the server makes of a query, or the client if it is told to plan by itself. */
export async function ask(
  container: Container,
  query: string,
  parameters: Parameters = {},
  options: FeedOptions = {},
): Promise<Answer> {
  const list = Object.entries(parameters).map(([name, value]) => ({ name, value }));
  const asked = container.items.query<JsonValue>(
    { query, parameters: list as { name: string; value: string }[] },
    options.forceQueryPlan === true ? options : { ...MERGED, ...options },
  );
  try {
    const { resources } = await asked.fetchAll();
    // Where the client aggregates it leaves members behind that are `undefined`: no JSON.
    return { kind: "rows", rows: JSON.parse(JSON.stringify(resources)) as JsonValue[] };
  } catch (error) {
    if (!(error instanceof ErrorResponse)) return { kind: "declined", message: String(error) };
    // The diagnostics are JSON inside a JSON string.
    const message = error.message.replaceAll('\\"', '"');
    return { kind: "refused", status: Number(error.code), message };
  }
}
