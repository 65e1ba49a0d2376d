/**
 * What an answer says of how many resources there may be and how many there are. The numbers of
 * the account are those that the service tells and nothing here stops at; those of scripts are
 * limits.
 */
import type { Account } from "../../../engine/account.ts";
import type { Container } from "../../../engine/partition/container.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";

const ACCOUNT_QUOTA = "databases=500;collections=5000;users=500000;permissions=2000000;";

export function accountQuotaHeaders({ catalog }: Account): readonly string[] {
  const { resources } = catalog;
  const databaseCount = catalog.databases().length;
  const containerCount = catalog.containers().length;
  const usage =
    `databases=${databaseCount};collections=${containerCount};` +
    `users=${resources.total("user")};permissions=${resources.total("permission")};`;
  return quota(ACCOUNT_QUOTA, usage);
}

export function scriptQuotaHeaders(account: Account, container: Container): readonly string[] {
  return quota(scriptQuota(account), scriptUsage(account, container));
}

/** Sizes in KB, as the service counts them. */
export function containerQuotaHeaders(account: Account, container: Container): readonly string[] {
  let itemCount = 0;
  let itemBytes = 0;
  for (const { head } of container.partitions.values()) {
    itemCount += head.itemCount;
    itemBytes += head.itemBytes;
  }
  const itemKb = Math.ceil(itemBytes / 1024);
  return quota(
    `${scriptQuota(account)}documentSize=10240;documentsSize=10485760;documentsCount=-1;` +
      "collectionSize=10485760;",
    `${scriptUsage(account, container)}documentSize=0;documentsSize=${itemKb};` +
      `documentsCount=${itemCount};collectionSize=${itemKb};`,
  );
}

function scriptQuota({ limits }: Account): string {
  const { functionsMax, proceduresMax, triggersMax } = limits;
  return `functions=${functionsMax};storedProcedures=${proceduresMax};triggers=${triggersMax};`;
}

function scriptUsage({ catalog: { resources } }: Account, { rid }: Container): string {
  const functionCount = resources.count(rid, "userDefinedFunction");
  const procedureCount = resources.count(rid, "storedProcedure");
  const triggerCount = resources.count(rid, "trigger");
  return `functions=${functionCount};storedProcedures=${procedureCount};triggers=${triggerCount};`;
}

const quota = (max: string, used: string): readonly string[] => [
  HEADER.resourceQuota,
  max,
  HEADER.resourceUsage,
  used,
];
