/**
 * The containers of a lifecycle, as they are or as they are to be made. A new pair is as the guides
 * have it: hot with a high rate that follows the load and a ttl as safety net, warm with a low rate
 * and without a ttl.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { DAY_SECONDS } from "../../base/units.ts";
import type { JsonObject } from "../../json/value.ts";
import type { CopyThroughput, NamedContainer } from "../../model/copyJob.ts";
import type { NewPair } from "../../model/lifecycle.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { RateSetting, Throughput } from "../../model/throughput.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { definitionBody, parseContainerDefinition } from "../definition/containerDefinition.ts";
import type { Container } from "../partition/container.ts";
import type { LifecycleRequest } from "./lifecycleRequest.ts";
import type { ContainerPair, PairMember } from "./pairChecks.ts";

interface PairSetting {
  readonly catalog: Catalog;
  readonly limits: Limits;
  readonly rates?: RateSetting | undefined;
  /** What else has to do with a container, as a sentence. */
  claimOf(container: Container): string | undefined;
}

const HOT_RATE_MAX = 4000;
const WARM_RATE = 800;
const HOT_TTL_SECONDS = 45 * DAY_SECONDS;
/** As long as the database lets an item live. */
const TTL_SECONDS_MAX = 2 ** 31 - 1;

/** Finds the containers, or says what would be made. */
export function pairOf(
  setting: PairSetting,
  request: LifecycleRequest,
): Result<ContainerPair, Refusal> {
  const { catalog } = setting;
  const hot = catalog.container(request.hot.database, request.hot.container);
  const warm = catalog.container(request.warm.database, request.warm.container);
  const missing = hot === undefined ? "hot" : warm === undefined ? "warm" : undefined;
  if (missing !== undefined && request.create === undefined) {
    const { database, container } = request[missing];
    return no(
      badRequest(
        `The ${missing} container ${database}/${container} is not there. Create it, or ask for ` +
          "it to be made (--create).",
      ),
    );
  }
  const hotMember = memberOf(setting, hot, () => hotBody(request, warm));
  if (!hotMember.ok) return hotMember;
  const warmMember = memberOf(setting, warm, () => warmBody(request, hot));
  return warmMember.ok ? ok({ hot: hotMember.value, warm: warmMember.value }) : warmMember;
}

/** Makes what is missing; in each database as it is there, or a new one. */
export async function madePair(
  setting: PairSetting,
  request: LifecycleRequest,
  { hot, warm }: ContainerPair,
): Promise<Result<{ readonly hot: Container; readonly warm: Container }, Refusal>> {
  const { create, enableTtl } = request;
  const madeHot = await made(setting, request.hot, hot, () =>
    throughputOf(setting, create?.hotThroughput, { kind: "autoscale", rateMax: HOT_RATE_MAX }),
  );
  if (!madeHot.ok) return madeHot;
  const madeWarm = await made(setting, request.warm, warm, () =>
    throughputOf(setting, create?.warmThroughput, { kind: "manual", ratePerSecond: WARM_RATE }),
  );
  if (!madeWarm.ok) return madeWarm;
  const { definition } = madeHot.value;
  if (definition.defaultTtl === undefined && enableTtl) {
    const enabled = { ...definition, defaultTtl: -1 };
    const replaced = await setting.catalog.replaceContainer(madeHot.value, enabled);
    if (!replaced.ok) return replaced;
  }
  return ok({ hot: madeHot.value, warm: madeWarm.value });
}

function memberOf(
  { limits, claimOf }: PairSetting,
  container: Container | undefined,
  bodyOf: () => Result<JsonObject, string>,
): Result<PairMember, Refusal> {
  if (container !== undefined) {
    return ok({ container, definition: container.definition, claim: claimOf(container) });
  }
  const body = bodyOf();
  if (!body.ok) return no(badRequest(body.error));
  const definition = parseContainerDefinition(body.value, undefined, limits);
  return definition.ok ? ok({ definition: definition.value }) : no(badRequest(definition.error));
}

function hotBody(
  { hot, create, settings }: LifecycleRequest,
  warm: Container | undefined,
): Result<JsonObject, string> {
  const key = keyOf(create, warm);
  if (!key.ok) return key;
  const path = create?.compositePath;
  const indexingPolicy: JsonObject = {
    indexingMode: "consistent",
    automatic: true,
    includedPaths: [{ path: "/*" }],
    excludedPaths: [{ path: '/"_etag"/?' }],
    ...(path !== undefined && {
      compositeIndexes: [
        [
          { path, order: "ascending" },
          { path: settings.ageProperty, order: "descending" },
        ],
      ],
    }),
  };
  const usual = Math.min(Math.max(HOT_TTL_SECONDS, 1.5 * settings.ageSeconds), TTL_SECONDS_MAX);
  const defaultTtl = create?.hotTtlSeconds ?? usual;
  return ok({
    id: hot.container,
    partitionKey: key.value,
    indexingPolicy,
    defaultTtl: Math.ceil(defaultTtl),
  });
}

function warmBody(
  { warm, create }: LifecycleRequest,
  hot: Container | undefined,
): Result<JsonObject, string> {
  const key = keyOf(create, hot);
  if (!key.ok) return key;
  const excluded = create?.warmExcludedPaths ?? [];
  const indexingPolicy: JsonObject = {
    indexingMode: "consistent",
    automatic: true,
    includedPaths: [{ path: "/*" }],
    excludedPaths: [...excluded, '/"_etag"/?'].map((path) => ({ path })),
  };
  return ok({ id: warm.container, partitionKey: key.value, indexingPolicy });
}

/**
 * The key of the other one, if that is there: both have to have the same. Whoever names its paths
 * means all of it, whatever version its hash has.
 */
function keyOf(
  create: NewPair | undefined,
  other: Container | undefined,
): Result<JsonObject, string> {
  const paths = create?.partitionKey;
  const isOthers = paths?.join() === other?.definition.partitionKey.paths.join();
  if (other !== undefined && (paths === undefined || isOthers)) {
    return ok(definitionBody(other.definition)["partitionKey"] as JsonObject);
  }
  if (paths === undefined) {
    return no("Say which partition key the new containers have (--partition-key).");
  }
  return ok({ paths, kind: paths.length > 1 ? "MultiHash" : "Hash", version: 2 });
}

async function made(
  { catalog }: PairSetting,
  name: NamedContainer,
  { container, definition }: PairMember,
  throughput: () => Throughput | undefined,
): Promise<Result<Container, Refusal>> {
  if (container !== undefined) return ok(container);
  const database = catalog.database(name.database);
  if (database !== undefined) {
    return catalog.createContainer(database, definition, { throughput: throughput() });
  }
  const created = await catalog.createDatabase(name.database, undefined);
  if (!created.ok) return created;
  return catalog.createContainer(created.value, definition, { throughput: throughput() });
}

function throughputOf(
  { rates }: PairSetting,
  asked: CopyThroughput | undefined,
  otherwise: Throughput,
): Throughput | undefined {
  if (asked === undefined) return rates?.isServerless === true ? undefined : otherwise;
  if (asked.kind === "shared") return undefined;
  const { ratePerSecond } = asked;
  return asked.kind === "manual"
    ? { kind: "manual", ratePerSecond }
    : { kind: "autoscale", rateMax: ratePerSecond };
}
