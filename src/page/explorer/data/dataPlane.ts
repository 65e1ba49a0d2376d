/**
 * What the explorer asks of the data plane: databases, containers and items, as any client would.
 * Every request is charged as usual, and counted in the session's tally.
 */
import type { NamedContainer } from "../../../model/copyJob.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { Server, ServerReply } from "../../session/server.ts";

export type AskedThroughput =
  | { readonly kind: "manual"; readonly ratePerSecond: number }
  | { readonly kind: "autoscale"; readonly ratePerSecond: number };

export function containerPath({ database, container }: NamedContainer): string {
  return `/dbs/${encodeURIComponent(database)}/colls/${encodeURIComponent(container)}`;
}

/** The names of all databases, also of those without containers. */
export async function readDatabases(server: Server): Promise<ServerReply<readonly string[]>> {
  const headers = { [HEADER.maxItemCount]: "-1" };
  const answer = await server.data({ method: "GET", path: "/dbs", headers });
  if (!answer.ok) return answer;
  const { Databases: found } = JSON.parse(answer.value.text) as {
    readonly Databases: readonly { readonly id: string }[];
  };
  return { ok: true, value: found.map(({ id }) => id) };
}

export async function createDatabase(server: Server, id: string): Promise<ServerReply<unknown>> {
  return server.data({ method: "POST", path: "/dbs", body: { id } });
}

interface NewContainer {
  readonly about: NamedContainer;
  readonly paths: readonly string[];
  readonly throughput: AskedThroughput;
  /** Further members of the definition. */
  readonly others: Readonly<Record<string, unknown>>;
}

export async function createContainer(
  server: Server,
  { about, paths, throughput, others }: NewContainer,
): Promise<ServerReply<unknown>> {
  const { kind, ratePerSecond } = throughput;
  const headers: Record<string, string> =
    kind === "manual"
      ? { [HEADER.offerThroughput]: String(ratePerSecond) }
      : { [HEADER.autoscaleSettings]: JSON.stringify({ maxThroughput: ratePerSecond }) };
  const partitionKey = { paths, kind: paths.length > 1 ? "MultiHash" : "Hash", version: 2 };
  const path = `/dbs/${encodeURIComponent(about.database)}/colls`;
  return server.data({
    method: "POST",
    path,
    headers,
    body: { ...others, id: about.container, partitionKey },
  });
}

export async function deleteAt(server: Server, path: string): Promise<ServerReply<unknown>> {
  return server.data({ method: "DELETE", path });
}

/** Some items of a container, as they come. */
export async function sampleItems(
  server: Server,
  about: NamedContainer,
  count: number,
): Promise<ServerReply<string>> {
  const answer = await server.data({
    method: "GET",
    path: `${containerPath(about)}/docs`,
    headers: { [HEADER.maxItemCount]: String(count) },
  });
  if (!answer.ok) return answer;
  const { Documents: found } = JSON.parse(answer.value.text) as {
    readonly Documents: readonly Readonly<Record<string, unknown>>[];
  };
  const lines = found.map((item) => JSON.stringify(withoutSystem(item)));
  return { ok: true, value: lines.join("\n") };
}

export const SYSTEM_PROPERTIES: readonly string[] = [
  "_rid",
  "_self",
  "_etag",
  "_attachments",
  "_ts",
];

function withoutSystem(item: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(item).filter(([name]) => !SYSTEM_PROPERTIES.includes(name)),
  );
}

/** The header that names the key. Headers hold Latin letters only; JSON can spell all others. */
export function keyHeader(keys: readonly unknown[]): Readonly<Record<string, string>> {
  const text = JSON.stringify(keys).replace(
    /[\u007f-\uffff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return { [HEADER.partitionKey]: text };
}
