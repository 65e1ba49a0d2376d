/**
 * Checks users, permissions, scripts and keys in the catalogue: each has an owner of the right
 * kind, and a name that no other of its kind has under this owner.
 */
import type { ResourceKind } from "../../model/rid.ts";
import { containerRid, databaseRid } from "../../model/rid.ts";
import type { ResourceRecord } from "../catalog/resourceRecords.ts";
import { Resource } from "../catalog/resourceRecords.ts";
import type { ContainerRecord } from "../partition/container.ts";
import type { Findings } from "./findings.ts";

export function checkResources(
  findings: Findings,
  records: readonly ResourceRecord[],
  owners: {
    readonly databaseNumbers: Iterable<number>;
    readonly containers: readonly ContainerRecord[];
  },
): void {
  const databases = new Set([...owners.databaseNumbers].map(databaseRid));
  const containers = new Set(
    owners.containers.map((record) => containerRid(record.databaseNumber, record.containerNumber)),
  );
  const users = new Set(
    records.filter(({ kind }) => kind === "user").map((record) => new Resource(record).rid),
  );
  const ownersOf: Readonly<Record<ResourceKind, ReadonlySet<string>>> = {
    user: databases,
    clientEncryptionKey: databases,
    permission: users,
    storedProcedure: containers,
    trigger: containers,
    userDefinedFunction: containers,
  };
  const met = new Set<string>();
  for (const { kind, number, ownerRid, id } of records) {
    const place = `catalogue, ${kind} ${number}`;
    if (!ownersOf[kind]?.has(ownerRid))
      findings.damage(place, `its owner ${ownerRid} is not there`);
    const name = JSON.stringify([ownerRid, kind, id]);
    if (met.has(name)) findings.damage(place, `another one has its name ${JSON.stringify(id)}`);
    met.add(name);
  }
}
