/**
 * Offers: the throughput of databases and containers, each with the bounds in which it may change.
 *
 * An offer is a view of its owner and lives as long. A database or container has at most one: a
 * container that shares the throughput of its database has none, nor has a database that was made
 * without.
 *
 * Invariants
 * - A rate never exceeds what the owner's physical partitions can serve. A higher one would have to
 *   split them, which nothing does yet.
 */
import type { Result } from "../base/result.ts";
import { no, ok } from "../base/result.ts";
import type { Limits } from "../model/limits.ts";
import type { Refusal } from "../model/refusal.ts";
import { badRequest, unsupported } from "../model/refusal.ts";
import { offerNumber, offerRid } from "../model/rid.ts";
import type { ProvisionedThroughput, Throughput, ThroughputChange } from "../model/throughput.ts";
import { rateMaxOf, rateMinOf, rateProblem } from "../model/throughput.ts";
import type { Catalog } from "./catalog.ts";
import type { Container } from "./container.ts";
import { Database } from "./database.ts";

export interface Offer {
  /** Unlike any other offer's; it grows with the age of owners of one kind. */
  readonly number: number;
  readonly rid: string;
  readonly owner: Database | Container;
  readonly throughput: ProvisionedThroughput;
  /** What the owner holds; for a database, what the containers hold that share its rate. */
  readonly storedBytes: number;
  /** The lowest rate that may be set. */
  readonly rateMin: number;
  /** Of the owner, or the fewest of any container that shares; none when nothing shares. */
  readonly partitionCount: number | undefined;
}

export function offersOf(catalog: Catalog, limits: Limits): readonly Offer[] {
  return catalog
    .databases()
    .flatMap((database) => [database, ...database.containers.values()])
    .flatMap((owner) => offerOf(owner, limits) ?? []);
}

export function findOffer(catalog: Catalog, limits: Limits, rid: string): Offer | undefined {
  return offersOf(catalog, limits).find((offer) => offer.rid === rid);
}

/** `ask` is called with the offer that will be replaced: nothing comes between the two. */
export async function replaceOffer(
  catalog: Catalog,
  limits: Limits,
  rid: string,
  ask: (offer: Offer) => Result<ThroughputChange, Refusal>,
): Promise<Result<Offer, Refusal>> {
  const owner = findOffer(catalog, limits, rid)?.owner;
  if (owner === undefined) return no({ kind: "notFound" });
  const replaced = await catalog.replaceThroughput(owner, () => {
    const offer = offerOf(owner, limits)!;
    const change = ask(offer);
    return change.ok ? throughputAfter(offer, change.value, limits) : change;
  });
  return replaced.ok ? ok(offerOf(owner, limits)!) : replaced;
}

function offerOf(owner: Database | Container, limits: Limits): Offer | undefined {
  const { throughput } = owner.record;
  if (throughput === undefined) return undefined;
  const isDatabase = owner instanceof Database;
  const number = isDatabase
    ? offerNumber({ kind: "database", number: owner.record.databaseNumber })
    : offerNumber({ kind: "container", number: owner.record.containerNumber });
  const users = isDatabase ? owner.sharing : [owner];
  const storedBytes = users.reduce((sum, container) => sum + storedBytesOf(container), 0);
  const { kind, rateMaxEver } = throughput;
  return {
    number,
    rid: offerRid(number),
    owner,
    throughput,
    storedBytes,
    rateMin: rateMinOf(kind, { rateMaxEver, storedBytes }, limits),
    partitionCount:
      users.length === 0 ? undefined : Math.min(...users.map(({ partitions }) => partitions.size)),
  };
}

function storedBytesOf({ partitions }: Container): number {
  let bytes = 0;
  for (const { head } of partitions.values()) bytes += head.itemBytes;
  return bytes;
}

function throughputAfter(
  offer: Offer,
  change: ThroughputChange,
  limits: Limits,
): Result<Throughput, Refusal> {
  const throughput = wantedOf(offer, change, limits);
  const { rateMaxEver } = offer.throughput;
  const { storedBytes, partitionCount } = offer;
  const rateMin = rateMinOf(throughput.kind, { rateMaxEver, storedBytes }, limits);
  const problem = rateProblem(throughput, limits, rateMin);
  if (problem !== undefined) return no(badRequest(problem));
  const rateMax = rateMaxOf(throughput);
  const ceiling = (partitionCount ?? Number.POSITIVE_INFINITY) * limits.partitionRateMax;
  if (rateMax <= ceiling) return ok(throughput);
  return no(
    unsupported(
      `A rate of ${rateMax} RU/s needs ${Math.ceil(rateMax / limits.partitionRateMax)} physical ` +
        `partitions; there are ${partitionCount}, for up to ${ceiling} RU/s. ` +
        "Splitting physical partitions is not supported yet.",
    ),
  );
}

/** Migration keeps what can be reached, as far as the other kind has such a rate. */
function wantedOf(offer: Offer, change: ThroughputChange, limits: Limits): Throughput {
  if (change.kind === "set") return change.throughput;
  const { throughput, storedBytes } = offer;
  const rateMax = rateMaxOf(throughput);
  if (change.kind === "toManual") return { kind: "manual", ratePerSecond: rateMax };
  const { rateStep } = limits.autoscaleRate;
  const rateMin = rateMinOf("autoscale", { ...throughput, storedBytes }, limits);
  return {
    kind: "autoscale",
    rateMax: Math.max(rateMin, Math.ceil(rateMax / rateStep) * rateStep),
  };
}
