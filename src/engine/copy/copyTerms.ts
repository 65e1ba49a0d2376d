/** From what was asked for to what a job goes by: the definition of the target, the mappings. */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { JsonObject } from "../../json/value.ts";
import type { CopyThroughput } from "../../model/copyJob.ts";
import type { Limits } from "../../model/limits.ts";
import type { Throughput } from "../../model/throughput.ts";
import { initialMap } from "../../partition/partitionMap.ts";
import type { Reservation } from "../catalog/handover.ts";
import type { ContainerDefinition } from "../definition/containerDefinition.ts";
import { definitionBody, parseContainerDefinition } from "../definition/containerDefinition.ts";
import { Container } from "../partition/container.ts";
import { NUMBERS_PER_PARTITION } from "../partition/itemNumbers.ts";
import type { CopyRequest } from "./copyRecord.ts";
import type { MappingTerms } from "./itemMapping.ts";
import type { KeyLevel } from "./madeKey.ts";
import { keyDefinitionOf, readKeyLevels } from "./madeKey.ts";
import { readFilter, readProjection } from "./projection.ts";

/** How often the source may be split while a job runs. */
const SPARE_ORDINALS = 256;

/** The levels of the new key; none if the key stays as it is. */
export function levelsOf(request: CopyRequest): Result<readonly KeyLevel[] | undefined, string> {
  if (request.key === undefined) return ok(undefined);
  return readKeyLevels(request.key, request.keyProperties ?? []);
}

export function targetDefinition(
  request: CopyRequest,
  source: Container,
  limits: Limits,
): Result<ContainerDefinition, string> {
  const levels = levelsOf(request);
  if (!levels.ok) return levels;
  // The copy of a view is no view: the job fills it, and clients after it.
  const { view: _, ...definition } = source.definition;
  const body: Record<string, JsonObject[string]> = {
    ...definitionBody(definition),
    ...(levels.value && { partitionKey: { ...keyDefinitionOf(levels.value) } as JsonObject }),
    id: request.target.container,
  };
  for (const [name, value] of Object.entries(request.definition ?? {})) {
    if (name === "id" || name === "partitionKey") {
      return no(`The ${name} of the target is not said in its definition, but by itself.`);
    }
    if (value === null) delete body[name];
    else body[name] = value;
  }
  return parseContainerDefinition(body, undefined, limits);
}

/** Nothing where the target is to share that of its database. */
export function askedThroughput(throughput: CopyThroughput): Throughput | undefined {
  if (throughput.kind === "shared") return undefined;
  const { ratePerSecond } = throughput;
  return throughput.kind === "manual"
    ? { kind: "manual", ratePerSecond }
    : { kind: "autoscale", rateMax: ratePerSecond };
}

/** Everything but the places of the numbers. */
type ContentTerms = Omit<MappingTerms, "ordinalShift" | "ordinalCount">;

export function contentTerms(
  request: CopyRequest,
  source: Container,
): Result<ContentTerms, string> {
  const geometry = source.definition.geospatialConfig.type;
  const levels = levelsOf(request);
  if (!levels.ok) return levels;
  const filter = request.where === undefined ? undefined : readFilter(request.where, geometry);
  if (filter?.ok === false) return filter;
  const { select } = request;
  const projection = select === undefined ? undefined : readProjection(select, geometry);
  if (projection?.ok === false) return projection;
  return ok({
    levels: levels.value,
    filter: filter?.value,
    projection: projection?.value,
    samplePercent: request.samplePercent,
    mayLackKey: request.key === undefined || request.onMissingKey === "none",
    restartsTtl: request.ttl === "restart",
  });
}

/** The first ordinal that no item of the container has, and none will have during a job. */
export function ordinalsUsed({ record, map, partitions }: Container): number {
  let end = (record.firstOwnOrdinal ?? 0) + map.nextOrdinal;
  for (const { head } of partitions.values()) {
    end = Math.max(end, Math.floor(head.numberMax / NUMBERS_PER_PARTITION) + 1);
  }
  return end;
}

/**
 * A container that has followed another one has items with numbers of that one. Where clients write
 * to it again, each of its physical partitions begins with a block that is nobody's.
 */
export function ownNumbers(container: Container): Reservation {
  return { container, firstOwnOrdinal: ordinalsUsed(container) };
}

/** How many ordinals a job sets aside for the items of its source. */
export function ordinalsFor(source: Container): number {
  return ordinalsUsed(source) + SPARE_ORDINALS;
}

/** A container as it would be, without physical partitions. */
export function plannedContainer(
  { databaseId, record }: Container,
  definition: ContainerDefinition,
): Container {
  const map = initialMap(definition.partitionKey, 1, [0]);
  return new Container(databaseId, { ...record, definition, map, formerPolicies: [] });
}
