/**
 * `orrery split`: starts to split a physical partition and tells how it goes until it is done. The
 * server does the work; a command that is ended before leaves it to that.
 */

import { parseArgs } from "node:util";
import { pause } from "../../base/retry.ts";
import type { JobAnswer, JobEntry, JobsAnswer, SplitQuestion } from "../../protocol/admin.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import { AdminClient, routeOf } from "../connect/adminClient.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { accountOf, containerOf, SERVER_HELP, SERVER_OPTIONS } from "../connect/serverOptions.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { LiveTable } from "../terminal/liveTable.ts";
import { jobText } from "./partitions.ts";

export const SPLIT_HELP: string = `usage: orrery split <db>/<container> [options]

Splits a physical partition in two, while reads and writes go on. A logical partition is never
cut: a single key that takes all the load is as slow afterwards as before.

  --range <id>             which one, by its range id (default: the one that holds --at if that
                           is an EPK, or else the one with most bytes)
  --at <place>             where: median, the middle of its data (the default); middle, that of its
                           part of the hashes; or an EPK, the first of the upper half
${SERVER_HELP}\
Ends with 0 when it is split, with 1 when it could not be, with 2 when an option makes no sense.
Ending the command does not end the split.
`;

export async function runSplit(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { ...SERVER_OPTIONS, range: { type: "string" }, at: { type: "string" } },
  });
  if (values.help === true) {
    process.stdout.write(SPLIT_HELP);
    return;
  }
  const [named, extra] = positionals;
  if (extra !== undefined) {
    throw new BadOption(`'${extra}' is one word too many; a range id is given with --range.`);
  }
  const name = containerOf(named);
  const question: SplitQuestion = { partitionId: values.range, at: values.at };
  const client = new AdminClient(accountOf(values, environment));
  try {
    const { job } = await client.post<JobAnswer>(routeOf(name, "split"), question);
    await followJob(client, job, environment);
  } finally {
    client.close();
  }
}

const LOOK_MS = 250;

/** Tells how a job goes, and in the end what became of it. */
export async function followJob(
  client: AdminClient,
  started: JobEntry,
  environment: Environment,
): Promise<void> {
  const progress = new LiveTable(process.stderr, environment);
  let told = "";
  for (let job: JobEntry = started; ; job = await jobNow(client, started)) {
    if (job.outcome !== undefined) {
      if (progress.isInPlace) progress.show([]);
      process.stdout.write(`${outcomeText(job, job.outcome)}\n`);
      return;
    }
    const text = jobText(job);
    if (text !== told) progress.show([{ kind: "lines", lines: [text] }]);
    told = text;
    await pause(realTimer, LOOK_MS);
  }
}

async function jobNow(client: AdminClient, { id, kind }: JobEntry): Promise<JobEntry> {
  const { jobs } = await client.get<JobsAnswer>("jobs");
  const found = jobs.find((job) => job.id === id);
  if (found !== undefined) return found;
  throw new CommandFailure(
    `The server does not know of this ${kind} any more; a hundred others have ended since, or it ` +
      "keeps nothing and was started anew. `orrery partitions` shows what there is.",
  );
}

function outcomeText(job: JobEntry, outcome: NonNullable<JobEntry["outcome"]>): string {
  const { kind, partitionIds } = job;
  const them = partitionIds.join(" and ");
  if (outcome.state !== "done") {
    const verb = outcome.state === "failed" ? "failed" : "was cancelled";
    throw new CommandFailure(`The ${kind} of ${them} ${verb}: ${outcome.reason}`);
  }
  const became = outcome.newPartitionIds.join(" and ");
  const seconds = `${outcome.seconds.toFixed(1)} s`;
  if (kind === "move") return `Physical partition ${them} is at ${job.to} now, as ${became}.`;
  return kind === "split"
    ? `Physical partition ${them} was split into ${became} in ${seconds}.`
    : `Physical partitions ${them} were merged into ${became} in ${seconds}.`;
}
