/** Whether a copy job can be taken on, and what it begins with. */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { RateRules } from "../../model/throughput.ts";
import { rateProblem, SERVERLESS_PROBLEM } from "../../model/throughput.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Database } from "../catalog/database.ts";
import type { ContainerDefinition } from "../definition/containerDefinition.ts";
import type { Container } from "../partition/container.ts";
import type { CopyRecord, CopyRequest } from "./copyRecord.ts";
import { NO_COUNTS } from "./copyTally.ts";
import { askedThroughput, contentTerms, targetDefinition } from "./copyTerms.ts";

interface LifecycleClaims {
  /** Which lifecycle a container belongs to, as a sentence. */
  lifecycleClaimOf(container: Container): string | undefined;
}

/** What is refused before a job is recorded; the rest is found by its look at all items. */
export function sourceFor(
  catalog: Catalog,
  request: CopyRequest,
  open: readonly CopyRecord[],
  { limits, rates, lifecycleClaimOf }: RateRules & LifecycleClaims,
): Result<Container, Refusal> {
  const claim = claimProblem(catalog, request, lifecycleClaimOf);
  if (claim !== undefined) return no(badRequest(claim));
  const { source, target } = request;
  const found = catalog.container(source.database, source.container);
  if (found === undefined) return no(missing("source", source));
  const database = catalog.database(target.database);
  if (database === undefined) return no(missing("target", target));
  const present = catalog.container(target.database, target.container);
  if (present === found) return no(badRequest("The source and the target are the same container."));
  const problem =
    busyProblem(found, "source", open) ??
    (present && busyProblem(present, "target", open)) ??
    switchProblem(request, present !== undefined) ??
    (request.switchBy === "names" ? viewsProblem(catalog, found) : undefined);
  if (problem !== undefined) return no(badRequest(problem));
  const definition = targetDefinition(request, found, limits);
  if (!definition.ok) return no(badRequest(definition.error));
  const misfit =
    present === undefined
      ? throughputProblem(database, request, { limits, rates })
      : targetProblem(present, request, definition.value);
  if (misfit !== undefined) return no(badRequest(misfit));
  const terms = contentTerms(request, found);
  return terms.ok ? ok(found) : no(badRequest(terms.error));
}

/**
 * Why a container of a lifecycle cannot take part: nobody else may write to one, and an online copy
 * ends with another container in its place. An offline copy only reads its source.
 */
function claimProblem(
  catalog: Catalog,
  { source, target, mode }: CopyRequest,
  claimOf: (container: Container) => string | undefined,
): string | undefined {
  const read = catalog.container(source.database, source.container);
  const written = catalog.container(target.database, target.container);
  return (written && claimOf(written)) ?? (mode === "online" && read ? claimOf(read) : undefined);
}

/** One job for each container: two would each undo what the other does. */
function busyProblem(
  container: Container,
  role: "source" | "target",
  open: readonly CopyRecord[],
): string | undefined {
  const busy = open.find(
    ({ sourceRid, targetRid }) => sourceRid === container.rid || targetRid === container.rid,
  );
  return (
    busy &&
    `The ${role} '${container.definition.id}' belongs to the copy job ${busy.job.id}. Wait until ` +
      "that has ended, or cancel it."
  );
}

function switchProblem(request: CopyRequest, hasTarget: boolean): string | undefined {
  if (request.mode === "offline" && request.cutOver === "automatic") {
    return "An offline copy ends by itself and has no cut-over. Ask for an online copy.";
  }
  if (request.switchBy !== "names") return undefined;
  if (request.mode === "offline") return "Only an online copy can take over a name.";
  if (request.source.database !== request.target.database) {
    return "A copy can take over the name of its source in the same database only.";
  }
  const isPartial = request.where ?? request.select ?? request.samplePercent;
  if (isPartial !== undefined) {
    return "A copy of some items, or of some properties, cannot take over the name of its source.";
  }
  return hasTarget ? "A copy that is to take over a name has to be a new container." : undefined;
}

/** Why a container that is there cannot be the target; one that is not is made to fit. */
export function targetProblem(
  target: Container,
  { definition, throughput }: CopyRequest,
  wanted: ContainerDefinition,
): string | undefined {
  const own = target.definition.partitionKey.paths;
  const { paths } = wanted.partitionKey;
  if (own.join() !== paths.join()) {
    return `The target is there already, and has the key ${own.join()} instead of ${paths.join()}.`;
  }
  if (definition !== undefined || throughput !== undefined) {
    return (
      "The target is there already, and keeps its definition and its throughput. Ask for no " +
      "others (definition and throughput; --index-policy, --default-ttl, --throughput, " +
      "--autoscale and --shared), or name another target."
    );
  }
  if (target.definition.view !== undefined) {
    return "The target is a view, which has what its source has and nothing else.";
  }
  return target.closedFor === undefined
    ? undefined
    : "The target is there already, and another job writes to it.";
}

/** Why a new target cannot have the throughput that was asked for. */
function throughputProblem(
  { record }: Database,
  { throughput }: CopyRequest,
  { limits, rates }: RateRules,
): string | undefined {
  if (throughput === undefined) return undefined;
  if (rates?.isServerless === true) return SERVERLESS_PROBLEM;
  const asked = askedThroughput(throughput);
  if (asked !== undefined) return rateProblem(asked, limits);
  return record.throughput === undefined
    ? `The database '${record.id}' has no throughput that its containers could share. Ask for a ` +
        "rate, or for nothing, and the target has that of the source."
    : undefined;
}

/** Why a container cannot change names with another one: its views know their source by name. */
export function viewsProblem(catalog: Catalog, container: Container): string | undefined {
  const { id, view } = container.definition;
  if (view !== undefined) return `The container '${id}' is a view, and keeps its name.`;
  const names = catalog.viewsOf(container).map(({ definition }) => `'${definition.id}'`);
  if (names.length === 0) return undefined;
  return (
    `The container '${id}' is the source of the views ${names.join(", ")}, and keeps its name. ` +
    "Delete them first, or let the application switch."
  );
}

function missing(
  role: "source" | "target",
  { database, container }: CopyRequest["source"],
): Refusal {
  const what = role === "source" ? `${database}/${container}` : `the database ${database}`;
  return badRequest(`The ${role} is not there: ${what}.`);
}

export function newRecord(
  request: CopyRequest,
  source: Container,
  { id, startedAt }: { readonly id: string; readonly startedAt: number },
): CopyRecord {
  return {
    job: { id, kind: "copy", startedAt },
    request,
    sourceRid: source.rid,
    hasMadeTarget: false,
    ordinalShift: 0,
    ordinalCount: 0,
    phase: "preparing",
    isPaused: false,
    sharePercent: request.sharePercent,
    mirrorPercent: 0,
    dropsTarget: false,
    keepsOld: false,
    positions: [],
    began: [],
    startCount: 0,
    counts: NO_COUNTS,
    setAside: [],
    events: [{ at: startedAt, text: "The job was accepted." }],
  };
}
