/**
 * How many resources there may be and how many there are, as texts that clients take apart. The
 * numbers of the account are those that the service tells, and nothing here stops at them; those
 * of scripts are limits.
 */
import type { Account } from "../../engine/account.ts";
import type { Container } from "../../engine/partition/container.ts";
import type { Quota } from "../../protocol/answer/answerHeaders.ts";

const ACCOUNT_QUOTA = "databases=500;collections=5000;users=500000;permissions=2000000;";

export function accountQuota({ catalog }: Account): Quota {
  const { resources } = catalog;
  const databaseCount = catalog.databases().length;
  const containerCount = catalog.containers().length;
  const usage =
    `databases=${databaseCount};collections=${containerCount};` +
    `users=${resources.total("user")};permissions=${resources.total("permission")};`;
  return { max: ACCOUNT_QUOTA, used: usage };
}

export function scriptQuota(account: Account, container: Container): Quota {
  return { max: scriptsMax(account), used: scriptUsage(account, container) };
}

/** Sizes in KB, as the service counts them. */
export function containerQuota(account: Account, container: Container): Quota {
  let itemCount = 0;
  let itemBytes = 0;
  for (const { head } of container.partitions.values()) {
    itemCount += head.itemCount;
    itemBytes += head.itemBytes;
  }
  const itemKb = Math.ceil(itemBytes / 1024);
  return {
    max:
      `${scriptsMax(account)}documentSize=10240;documentsSize=10485760;documentsCount=-1;` +
      "collectionSize=10485760;",
    used:
      `${scriptUsage(account, container)}documentSize=0;documentsSize=${itemKb};` +
      `documentsCount=${itemCount};collectionSize=${itemKb};`,
  };
}

function scriptsMax({ limits }: Account): string {
  const { functionsMax, proceduresMax, triggersMax } = limits;
  return `functions=${functionsMax};storedProcedures=${proceduresMax};triggers=${triggersMax};`;
}

function scriptUsage({ catalog: { resources } }: Account, { rid }: Container): string {
  const functionCount = resources.count(rid, "userDefinedFunction");
  const procedureCount = resources.count(rid, "storedProcedure");
  const triggerCount = resources.count(rid, "trigger");
  return `functions=${functionCount};storedProcedures=${procedureCount};triggers=${triggerCount};`;
}
