/** Starts a job about archives, looks on until it stands still, and says what it came to. */
import type { ArchiveJobAnswer, ArchiveJobEntry } from "../../model/archiveJob.ts";
import { AdminClient, routeOf } from "../connect/adminClient.ts";
import type { ContainerName, Environment } from "../connect/serverOptions.ts";
import { accountOf, sameServer } from "../connect/serverOptions.ts";
import { type AnyJob, isArchive, isOver } from "../jobs/anyJob.ts";
import { archiveSections, findings, planSections } from "../jobs/archiveText.ts";
import { detachedText, endText, followed } from "../jobs/follow.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { Interruption } from "../terminal/interruption.ts";
import { LiveTable } from "../terminal/liveTable.ts";

export interface AccountValues {
  readonly endpoint?: string | undefined;
  readonly "account-key"?: string | undefined;
  readonly "connection-string"?: string | undefined;
}

export function adminClientOf(values: AccountValues, environment: Environment): AdminClient {
  const { endpoint, "account-key": key, "connection-string": text } = values;
  return new AdminClient({
    ...accountOf({ endpoint, key, "connection-string": text }, environment),
    keyOption: "--account-key",
  });
}

interface JobValues extends AccountValues {
  readonly detach?: boolean | undefined;
  readonly json?: boolean | undefined;
}

export async function runArchiveJob(
  container: ContainerName,
  what: "archives" | "restore",
  question: object,
  values: JobValues,
  environment: Environment,
): Promise<void> {
  const client = adminClientOf(values, environment);
  const isJson = values.json === true;
  const where = sameServer(values);
  const tellJson = (job: AnyJob): void => void process.stdout.write(`${JSON.stringify({ job })}\n`);
  try {
    const route = routeOf(container, what);
    const { job: started } = await client.post<ArchiveJobAnswer>(route, question);
    if (values.detach === true) {
      if (isJson) tellJson(started);
      else process.stdout.write(`Job ${started.id} was started. ${detachedText(started, where)}\n`);
      return;
    }
    if (!isJson) process.stderr.write(`Job ${started.id} was started: ${started.folder}.\n`);
    const interruption = new Interruption();
    try {
      const looking = { client, environment, interruption, isQuiet: isJson };
      const job = await followed(started, isAtRest, looking);
      if (isJson) tellJson(job);
      if (!isAtRest(job)) process.stderr.write(`${detachedText(job, where)}\n`);
      else if (isArchive(job)) finish(job, environment, isJson, where);
    } finally {
      interruption.close();
    }
  } finally {
    client.close();
  }
}

/** Over, or waiting for somebody. */
function isAtRest(job: AnyJob): boolean {
  return isOver(job) || (isArchive(job) && (job.state === "paused" || job.state === "blocked"));
}

function finish(
  job: ArchiveJobEntry,
  environment: Environment,
  isJson: boolean,
  where: string,
): void {
  const table = new LiveTable(process.stdout, environment);
  const isBad = job.state === "failed" || job.state === "blocked";
  if (!isJson) {
    if (isBad) table.print(archiveSections(job, where));
    else table.print([...(job.plan ? planSections(job.plan) : []), ...findings(job)]);
  }
  const text = endText(job, where);
  if (!isJson) process.stdout.write(`${text}\n`);
  if ((job.conflicts?.count ?? 0) > 0) {
    throw new CommandFailure(
      "Some items were left alone, because other ones have their place. --overwrite replaces them.",
    );
  }
}
