/**
 * Offers: the throughput of databases and containers, each with the bounds in which it may change.
 *
 * An offer is a view of its owner, a database or a container, and lives as long. An owner has at
 * most one: a container that shares the throughput of its database has none, nor has a database
 * that was made without. In a serverless account there are none.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import { offerNumber, offerRid } from "../../model/rid.ts";
import type { RateRules, ThroughputChange } from "../../model/throughput.ts";
import { SERVERLESS_PROBLEM } from "../../model/throughput.ts";
import type { ThroughputBucket } from "../../model/throughputBucket.ts";
import type { Container } from "../partition/container.ts";
import type { Catalog } from "./catalog.ts";
import { Database, throughputProblem } from "./database.ts";
import type { Provisioning } from "./provisioning.ts";
import {
  changedThroughput,
  grownThroughput,
  lowestRate,
  UNSHARED_BUCKETS,
} from "./provisioning.ts";

export interface Offer extends Provisioning {
  /** No other offer has it. Of two databases, or two containers, the younger one's is higher. */
  readonly number: number;
  readonly rid: string;
  readonly owner: Database | Container;
  /** The lowest rate that may be set. */
  readonly rateMin: number;
  /** The rate autoscale has come to; absent if the rate is manual or no container lives on it. */
  readonly rateNow: number | undefined;
}

export function offersOf(catalog: Catalog, rules: RateRules): readonly Offer[] {
  if (rules.rates?.isServerless) return [];
  return catalog
    .databases()
    .flatMap((database) => [database, ...database.containers.values()])
    .flatMap((owner) => offerOf(catalog, owner, rules) ?? []);
}

export function findOffer(catalog: Catalog, rules: RateRules, rid: string): Offer | undefined {
  return offersOf(catalog, rules).find((offer) => offer.rid === rid);
}

/** `ask` gets the offer that will be replaced, which does not change before it is. */
export async function replaceOffer(
  catalog: Catalog,
  rules: RateRules,
  rid: string,
  ask: (offer: Offer) => Result<ThroughputChange, Refusal>,
): Promise<Result<Offer, Refusal>> {
  if (rules.rates?.isServerless) return no(badRequest(SERVERLESS_PROBLEM));
  const owner = findOffer(catalog, rules, rid)?.owner;
  return owner === undefined ? no({ kind: "notFound" }) : change(catalog, rules, owner, ask);
}

/** Gives a container other throughput buckets, and answers with those it has now. */
export async function replaceBuckets(
  catalog: Catalog,
  rules: RateRules,
  container: Container,
  buckets: readonly ThroughputBucket[],
): Promise<Result<readonly ThroughputBucket[], Refusal>> {
  if (rules.rates?.isServerless) return no(badRequest(SERVERLESS_PROBLEM));
  if (container.record.throughput === undefined) return no(badRequest(UNSHARED_BUCKETS));
  const changed = await change(catalog, rules, container, () => ok({ kind: "keep", buckets }));
  return changed.ok ? ok(changed.value.throughput.buckets ?? []) : changed;
}

async function change(
  catalog: Catalog,
  rules: RateRules,
  owner: Database | Container,
  ask: (offer: Offer) => Result<ThroughputChange, Refusal>,
): Promise<Result<Offer, Refusal>> {
  const replaced = await catalog.replaceThroughput(owner, (stamp) => {
    const offer = offerOf(catalog, owner, rules)!;
    const asked = ask(offer);
    const problem = asked.ok ? kindProblem(owner, asked.value) : undefined;
    if (problem !== undefined) return no(problem);
    return asked.ok ? changedThroughput(offer, asked.value, rules.limits, stamp) : asked;
  });
  return replaced.ok ? ok(offerOf(catalog, owner, rules)!) : replaced;
}

function kindProblem(owner: Database | Container, asked: ThroughputChange): Refusal | undefined {
  if (owner instanceof Database) return undefined;
  const throughput = asked.kind === "set" ? asked.throughput : undefined;
  const isManual = asked.kind === "toManual" || throughput?.kind === "manual";
  return isManual ? throughputProblem(owner.definition, "manual") : undefined;
}

/**
 * Lets every offer follow the data and the load; to be called now and then. `isExhausted` tells
 * whether all of an owner's rate was used since it was last asked.
 */
export async function growOffers(
  catalog: Catalog,
  rules: RateRules,
  isExhausted: (owner: Database | Container) => boolean,
): Promise<void> {
  const { limits } = rules;
  for (const seen of offersOf(catalog, rules)) {
    const { owner, throughput } = seen;
    const exhausted = isExhausted(owner);
    if (grownThroughput(seen, exhausted, limits, throughput) === undefined) continue;
    // An offer that is refused here was changed or deleted meanwhile, and stays so.
    await catalog.replaceThroughput(owner, (stamp) => {
      const grown = grownThroughput(offerOf(catalog, owner, rules)!, exhausted, limits, stamp);
      return grown === undefined ? no({ kind: "preconditionFailed" }) : ok(grown);
    });
  }
}

function offerOf(
  catalog: Catalog,
  owner: Database | Container,
  rules: RateRules,
): Offer | undefined {
  const { throughput } = owner.record;
  if (throughput === undefined) return undefined;
  const isDatabase = owner instanceof Database;
  const number = isDatabase
    ? offerNumber({ kind: "database", number: owner.record.databaseNumber })
    : offerNumber({ kind: "container", number: owner.record.containerNumber });
  const users = isDatabase ? owner.sharing : [owner];
  const provisioning: Provisioning = {
    throughput,
    storedBytes: users.reduce((sum, container) => sum + storedBytesOf(container), 0),
    partitionCount: isDatabase ? owner.sharedPartitionCount(rules) : owner.map.entries.length,
    sharingCount: isDatabase ? users.length : undefined,
  };
  const rateMin = lowestRate(throughput.kind, provisioning, rules.limits);
  const rateNow = catalog.allotting.rateNow(users);
  return { ...provisioning, number, rid: offerRid(number), owner, rateMin, rateNow };
}

function storedBytesOf({ map, partitions }: Container): number {
  return map.entries.reduce((sum, { id }) => sum + (partitions.get(id)?.head.itemBytes ?? 0), 0);
}
