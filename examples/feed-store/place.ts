/**
 * Where the example runs: against a server of its own, which keeps everything in memory and is gone
 * afterwards, or against one that is running already, of Orrery or of the service.
 */
import { CosmosClient, type Database } from "@azure/cosmos";
import { startOrrery, WELL_KNOWN_KEY } from "orrery";

interface PlaceOptions {
  /** The address of a server that is running; undefined: one is started. */
  readonly endpoint?: string | undefined;
  /** Its account key; undefined: the well-known one of emulators. */
  readonly key?: string | undefined;
  /** Serve no more than the provisioned rate, where a server is started. */
  readonly rateLimit: boolean;
}

export interface Place extends AsyncDisposable {
  readonly client: CosmosClient;
  readonly endpoint: string;
  /** Of the account. */
  readonly key: string;
}

export async function openPlace({
  endpoint,
  key = WELL_KNOWN_KEY,
  rateLimit,
}: PlaceOptions): Promise<Place> {
  if (endpoint !== undefined) {
    const client = new CosmosClient({ endpoint, key });
    return { client, endpoint, key, [Symbol.asyncDispose]: async () => client.dispose() };
  }
  const server = await startOrrery({ memory: true, rateLimit });
  const client = new CosmosClient(server.connectionString);
  return {
    client,
    endpoint: server.endpoint,
    key: server.key,
    async [Symbol.asyncDispose]() {
      client.dispose();
      await server.close();
    },
  };
}

/** A database for one run: it must not be there before, and is removed afterwards. */
export async function openDatabase(
  { client }: Pick<Place, "client">,
  id: string,
): Promise<AsyncDisposable & { readonly database: Database }> {
  const { statusCode, database } = await client.databases.createIfNotExists({ id });
  if (statusCode !== STATUS_CREATED) {
    throw new Error(
      `There is a database ${id} already, and it would be removed at the end. ` +
        "Remove it, or name another one with --database.",
    );
  }
  return {
    database,
    async [Symbol.asyncDispose]() {
      await database.delete();
    },
  };
}

const STATUS_CREATED = 201;
