/**
 * Whether two containers can be the hot and the warm one of a lifecycle. Each check has a sentence
 * that says what was found or, if it is not met, what to do.
 */
import { durationText } from "../../base/wording.ts";
import { compilePolicy } from "../../index/compiledPolicy.ts";
import type { LifecycleCheck } from "../../model/lifecycle.ts";
import type { ContainerDefinition } from "../definition/containerDefinition.ts";
import { policyInForce } from "../definition/fullTextPolicy.ts";
import type { Container } from "../partition/container.ts";
import { checkAgePath } from "./itemAge.ts";
import type { LifecycleRequest } from "./lifecycleRequest.ts";
import { isRefusedMark } from "./lifecycleRequest.ts";

/** A container of a pair, or what it would be. */
export interface PairMember {
  readonly container?: Container | undefined;
  readonly definition: ContainerDefinition;
  /** What else has to do with the container: another lifecycle, a copy job. */
  readonly claim?: string | undefined;
}

export interface ContainerPair {
  readonly hot: PairMember;
  readonly warm: PairMember;
}

export function checksOf(
  pair: ContainerPair,
  request: LifecycleRequest,
): readonly LifecycleCheck[] {
  const areTwo = distinct(pair, request);
  // What else is wrong with a container in one role is of no use to whoever meant another.
  if (!areTwo.isMet) return [areTwo];
  return [
    areTwo,
    ours("hot", pair.hot),
    ours("warm", pair.warm),
    sameKey(pair),
    hotTtl(pair.hot.definition, request),
    warmTtl(pair.warm.definition, request),
    ageIndexed(pair.hot.definition, request),
    markFree(pair.hot.definition, request),
    ...archiveIndexed(pair.warm.definition, request),
  ];
}

/** Why items cannot be found by their dates any more. */
export function obstacleOf(
  { definition }: Container,
  segments: readonly string[],
): string | undefined {
  if (isIndexed(definition, segments)) return undefined;
  return (
    `The hot container does not index /${segments.join("/")} any more, so that nobody can tell ` +
    `what is due. Add the included path ${includedPath(segments)} to its indexing policy.`
  );
}

/** What is not as it should be, though the lifecycle goes on. */
export function warningsOf(hot: Container, warm: Container): readonly string[] {
  const warnings: string[] = [];
  if (hot.definition.defaultTtl === undefined) {
    warnings.push(
      "The hot container has its ttl switched off, so items that were moved stay in it. Set a " +
        "default ttl, or -1 for none.",
    );
  }
  const { defaultTtl = -1 } = warm.definition;
  if (defaultTtl > 0) {
    warnings.push(
      `The warm container deletes items ${durationText(defaultTtl)} after they were last ` +
        "written. Take its default ttl away if they are to stay.",
    );
  }
  if (hot.formerPolicies.length > 0) {
    warnings.push("The hot container is being indexed anew; a round begins when that is done.");
  }
  return warnings;
}

function met(about: string, says: string): LifecycleCheck {
  return { about, isMet: true, says };
}

function unmet(about: string, says: string): LifecycleCheck {
  return { about, isMet: false, says };
}

function distinct({ hot, warm }: ContainerPair, request: LifecycleRequest): LifecycleCheck {
  const about = "two containers";
  const isSame =
    (hot.container !== undefined && hot.container === warm.container) ||
    (request.hot.database === request.warm.database &&
      request.hot.container === request.warm.container);
  return isSame
    ? unmet(about, "Hot and warm are the same container; name two.")
    : met(about, "Hot and warm are two containers.");
}

function ours(role: "hot" | "warm", { definition, claim }: PairMember): LifecycleCheck {
  const about = `${role} is free`;
  const { id, view } = definition;
  if (view !== undefined) {
    return unmet(
      about,
      `'${id}' is a view of '${view.sourceCollectionId}', which its source fills.`,
    );
  }
  if (claim !== undefined) return unmet(about, claim);
  return met(about, `'${id}' belongs to no other lifecycle and no copy job.`);
}

function sameKey({ hot, warm }: ContainerPair): LifecycleCheck {
  const about = "the same partition key";
  const [one, other] = [hot.definition.partitionKey, warm.definition.partitionKey];
  const names = one.paths.join();
  if (names !== other.paths.join()) {
    return unmet(
      about,
      `Hot has the partition key ${names} and warm ${other.paths.join()}. An item keeps its key ` +
        "when it is moved; make a warm container with the key of hot.",
    );
  }
  if (one.kind !== other.kind || one.version !== other.version) {
    return unmet(
      about,
      `Both have the key ${names}, but hash it differently (${one.kind} version ${one.version}, ` +
        `${other.kind} version ${other.version}). Make a warm container with the definition of ` +
        "hot.",
    );
  }
  return met(about, `Both have the partition key ${names}.`);
}

function hotTtl(
  { defaultTtl }: ContainerDefinition,
  { enableTtl, settings }: LifecycleRequest,
): LifecycleCheck {
  const about = "items of hot can expire";
  if (defaultTtl === undefined) {
    return enableTtl
      ? met(about, "The ttl of hot is switched on, without a default.")
      : unmet(
          about,
          "Hot has its ttl switched off, so items that were moved would stay in it. Ask for it " +
            "to be switched on (--enable-ttl), or set a default ttl as a safety net.",
        );
  }
  if (defaultTtl > 0 && defaultTtl < settings.ageSeconds) {
    return unmet(
      about,
      `Items of hot live ${durationText(defaultTtl)}, and are due after ` +
        `${durationText(settings.ageSeconds)}. Let them live longer than that, or move them ` +
        "sooner.",
    );
  }
  return met(
    about,
    defaultTtl > 0
      ? `Items live ${durationText(defaultTtl)}, longer than until they are due.`
      : "Items live until they were moved.",
  );
}

function warmTtl(
  { defaultTtl = -1 }: ContainerDefinition,
  { isForced }: LifecycleRequest,
): LifecycleCheck {
  const about = "warm keeps its items";
  if (defaultTtl < 0) return met(about, "Items of warm stay until somebody deletes them.");
  const says = `Warm deletes items ${durationText(defaultTtl)} after they were last written.`;
  return isForced
    ? met(about, `${says} That is what was asked for.`)
    : unmet(about, `${says} Take its default ttl away, or insist (--force).`);
}

function ageIndexed(
  definition: ContainerDefinition,
  { settings }: LifecycleRequest,
): LifecycleCheck {
  const about = "hot finds items by their date";
  const { ageProperty } = settings;
  const path = checkAgePath(ageProperty);
  if (!path.ok) return unmet(about, path.error);
  const segments = ageProperty.slice(1).split("/");
  return isIndexed(definition, segments)
    ? met(about, `${ageProperty} is indexed.`)
    : unmet(
        about,
        `Hot does not index ${ageProperty}. Add the included path ${includedPath(segments)} to ` +
          "its indexing policy.",
      );
}

function markFree(definition: ContainerDefinition, { settings }: LifecycleRequest): LifecycleCheck {
  const about = "the mark is free";
  const { markProperty, ageProperty } = settings;
  const problem = isRefusedMark(markProperty, [ageProperty, ...definition.partitionKey.paths]);
  return problem === undefined
    ? met(about, `An item that was moved gets ${markProperty} and ${markProperty}Stamp.`)
    : unmet(about, problem);
}

function archiveIndexed(
  definition: ContainerDefinition,
  { settings }: LifecycleRequest,
): readonly LifecycleCheck[] {
  if (settings.archiveAfterSeconds === undefined) return [];
  const about = "warm finds its oldest items";
  const segments = settings.ageProperty.slice(1).split("/");
  return [
    isIndexed(definition, segments)
      ? met(about, `${settings.ageProperty} is indexed.`)
      : unmet(
          about,
          `Warm does not index ${settings.ageProperty}, by which it is seen what is to be ` +
            `archived. Add the included path ${includedPath(segments)} to its indexing policy.`,
        ),
  ];
}

function isIndexed(definition: ContainerDefinition, segments: readonly string[]): boolean {
  const policy = compilePolicy(policyInForce(definition));
  return policy.isIndexing && policy.isIndexedAt(segments);
}

function includedPath(segments: readonly string[]): string {
  return `/${segments.join("/")}/?`;
}
