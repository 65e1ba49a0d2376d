/** What a server says of the container that is to be moved. */
import { isObject, type JsonObject, type JsonValue, property } from "../../../json/value.ts";
import type { MigrationSource } from "../../../lab/migrate/copyQuestion.ts";
import type { Profile } from "../../../lab/profile/profile.ts";
import type { Limits } from "../../../model/limits.ts";
import type { LimitsAnswer } from "../../../protocol/admin.ts";
import { realClock } from "../../../server/surroundings/realWorld.ts";
import type { ContainerReport } from "../../../statistics/report.ts";
import { type AdminClient, routeOf } from "../../connect/adminClient.ts";
import { ServerConnection } from "../../connect/connection.ts";
import type { ContainerName, ServerAccount } from "../../connect/serverOptions.ts";
import { Signer } from "../../connect/signer.ts";
import { whileThrottled } from "../../connect/whileThrottled.ts";
import { CommandFailure } from "../../terminal/failure.ts";

interface FoundSource {
  readonly source: MigrationSource;
  /** The paths of its key, in their order. */
  readonly keyPaths: readonly string[];
  /** Those of the server. */
  readonly limits: Limits;
}

export async function sourceOf(
  client: AdminClient,
  account: ServerAccount,
  name: ContainerName,
): Promise<FoundSource> {
  const report = await client.get<ContainerReport>(routeOf(name, "report"));
  const { limits } = await client.get<LimitsAnswer>("limits");
  const { partitionKeyPaths, throughput, figures } = report;
  return {
    keyPaths: partitionKeyPaths,
    limits,
    source: {
      name,
      paths: partitionKeyPaths,
      indexingPolicy: await policyOf(account, name),
      isServerless: throughput.kind === "serverless",
      itemCount: figures.itemCount,
      itemBytes: figures.itemBytes,
    },
  };
}

/** With the properties that the data has: no key is written over one of them. */
export function withKnownPaths(
  source: MigrationSource,
  profile: Profile | undefined,
): MigrationSource {
  const known = profile?.properties.map(({ path }) => path) ?? [];
  return { ...source, paths: [...source.paths, ...known] };
}

async function policyOf(account: ServerAccount, name: ContainerName): Promise<JsonObject> {
  const { database, container } = name;
  const { origin } = account.endpoint;
  const signer = new Signer(account.key, realClock);
  const connection = new ServerConnection(account);
  const link = `dbs/${database}/colls/${container}`;
  const path = `/dbs/${encodeURIComponent(database)}/colls/${encodeURIComponent(container)}`;
  try {
    const answer = await whileThrottled(() =>
      connection.ask({
        method: "GET",
        path,
        headers: { ...signer.headersFor({ method: "GET", resourceType: "colls", link }) },
        body: undefined,
      }),
    );
    if (answer.status === 401) {
      throw new CommandFailure(
        `The server at ${origin} refuses the key. Give one with --account-key.`,
      );
    }
    const body = answer.status === 200 ? (JSON.parse(answer.body) as JsonValue) : undefined;
    const policy = isObject(body) ? property(body, "indexingPolicy") : undefined;
    if (isObject(policy)) return policy;
    throw new CommandFailure(
      `The server at ${origin} does not tell the indexing policy of ${database}/${container}: it ` +
        `said ${answer.status}.`,
    );
  } finally {
    connection.close();
  }
}
