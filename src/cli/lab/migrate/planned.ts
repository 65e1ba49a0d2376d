/** Copy jobs that are asked for, and what a dry run of one found. */
import { pause } from "../../../base/retry.ts";
import { bytesText, counted, countText, durationText } from "../../../base/wording.ts";
import { visible } from "../../../lab/wording/plain.ts";
import type { CopyJobEntry, CopyPlan, CopyQuestion } from "../../../model/copyJob.ts";
import type { CopyJobAnswer } from "../../../protocol/admin.ts";
import { realTimer } from "../../../server/surroundings/realWorld.ts";
import type { AdminClient } from "../../connect/adminClient.ts";
import { CommandFailure } from "../../terminal/failure.ts";

const LOOK_MS = 100;

export async function startedJob(
  client: AdminClient,
  question: CopyQuestion,
): Promise<CopyJobEntry> {
  return (await client.post<CopyJobAnswer>("copies", question)).job;
}

/** Waits until the server has looked at all items. */
export async function plannedJob(
  client: AdminClient,
  question: CopyQuestion,
): Promise<CopyJobEntry & { readonly plan: CopyPlan }> {
  let job = await startedJob(client, { ...question, isDryRun: true });
  while (job.endedAt === undefined && job.state === "preparing") {
    await pause(realTimer, LOOK_MS);
    job = (await client.get<CopyJobAnswer>(`jobs/${encodeURIComponent(job.id)}`)).job;
  }
  const { plan } = job;
  if (plan !== undefined) return { ...job, plan };
  throw new CommandFailure(`The dry run ${job.state}: ${job.reason ?? "nobody says why"}.`);
}

/** What is worth knowing before one says yes; what is in the way comes last. */
export function planLines(plan: CopyPlan): readonly string[] {
  const { price, seconds, largestKey } = plan;
  const time = seconds === undefined ? "no rate limits it" : `about ${durationText(seconds)}`;
  const largest =
    largestKey === undefined
      ? ""
      : `, the largest ${JSON.stringify(largestKey.newKey)} with ${bytesText(largestKey.bytes)}`;
  const lines = [
    `${counted(plan.copiedCount, "item")}, ${bytesText(plan.copiedBytes)}, for ` +
      `${countText(price.readRu + price.writeRu)} ± ${countText(price.errorRu)} RU; ${time}`,
    `${counted(plan.logicalPartitionCount, "logical partition")}${largest}`,
    `${counted(plan.clashCount, "clash", "clashes")}, ${counted(plan.missingKeyCount, "item")} ` +
      `without the key, ${counted(plan.fullKeys.length, "full key")}`,
    ...plan.obstacles.map((obstacle) => `in the way: ${obstacle}`),
  ];
  return lines.map((line) => visible(`  ${line}`));
}
