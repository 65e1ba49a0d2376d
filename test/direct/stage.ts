/** A server, a client in direct mode for it, and the addresses of what is on it. */
import type { OrreryOptions } from "../../src/index.ts";
import type { Wire } from "../http/wire.ts";
import { authorizationOf, openWire } from "../http/wire.ts";
import type { DirectClient } from "./directClient.ts";
import { connectDirect } from "./directClient.ts";

export interface DirectStage extends AsyncDisposable {
  readonly wire: Wire;
  readonly client: DirectClient;
  /** Paths of the primaries of a container's ranges, by range id. */
  replicasOf(database: string, container: string): Promise<ReadonlyMap<string, string>>;
}

interface ShownAddress {
  readonly isPrimary: boolean;
  readonly physcialUri: string;
  readonly partitionKeyRangeId: string;
}

export async function openDirectStage(options?: OrreryOptions): Promise<DirectStage> {
  const wire = await openWire({ memory: true, ...options });
  const client = await connectDirect(wire.server);
  return {
    wire,
    client,
    replicasOf: (database, container) => replicasOf(wire, database, container),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await wire[Symbol.asyncDispose]();
    },
  };
}

async function replicasOf(
  wire: Wire,
  database: string,
  container: string,
): Promise<ReadonlyMap<string, string>> {
  const addresses = await addressesOf(wire, database, container);
  return new Map(
    addresses
      .filter(({ isPrimary }) => isPrimary)
      .map(({ partitionKeyRangeId, physcialUri }) => [
        partitionKeyRangeId,
        new URL(physcialUri.replace("rntbd:", "http:")).pathname.replace(/\/$/, ""),
      ]),
  );
}

/** The path of the primary of the first range. */
export async function primaryOf(wire: Wire, database: string, container: string): Promise<string> {
  return [...(await replicasOf(wire, database, container)).values()][0]!;
}

export async function addressesOf(
  wire: Wire,
  database: string,
  container: string,
  more = "",
): Promise<readonly ShownAddress[]> {
  const answer = await wire.call("GET", ["dbs", database, "colls", container]);
  const { _self: self } = JSON.parse(String(answer.body)) as { readonly _self: string };
  const path = `//addresses/?$resolveFor=${encodeURIComponent(`${self}docs`)}${more}`;
  const rid = self.split("/")[3]!;
  // Signed over the rid in lower case, as the feed of items of the container.
  const listed = await wire.call("GET", [], {
    path,
    headers: signedAddresses(wire, rid),
    key: null,
  });
  return (JSON.parse(String(listed.body)) as { readonly Addresss: readonly ShownAddress[] })
    .Addresss;
}

function signedAddresses(wire: Wire, rid: string): Record<string, string> {
  const date = new Date().toUTCString();
  const { key } = wire.server;
  return {
    "x-ms-date": date,
    authorization: authorizationOf(key, ["get", "docs", rid.toLowerCase(), date]),
  };
}
