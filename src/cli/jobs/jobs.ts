/** `orrery jobs`: long work of the server, listed, watched and led. */

import { parseArgs } from "node:util";
import type { CopyStep } from "../../model/copyJob.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { realClock } from "../../server/surroundings/realWorld.ts";
import { AdminClient } from "../connect/adminClient.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { accountOf, SERVER_HELP, SERVER_OPTIONS, sameServer } from "../connect/serverOptions.ts";
import { askConsent } from "../terminal/consent.ts";
import { Interruption } from "../terminal/interruption.ts";
import { LiveTable } from "../terminal/liveTable.ts";
import { type AnyJob, isOver, jobOf, jobsOf, stepTaken } from "./anyJob.ts";
import { detachedText, endText, followed } from "./follow.ts";
import { jobSections, listSections } from "./jobText.ts";

export const JOBS_HELP: string = `usage: orrery jobs [list] [options]
       orrery jobs show <id>
       orrery jobs watch [<id>]
       orrery jobs pause|resume|cancel <id>
       orrery jobs throttle <id> <percent>

Long work of the server: copies, materialised views, archives and restores, splits and merges. Jobs
go on by themselves, also after a restart of the server; this command only looks at them and leads
them.

  list                     all of them, those under way first (the default)
  show                     everything about one, and what can be done next, as commands
  watch                    one until it ends, or the list again and again, until Ctrl-C; the job
                           goes on
  pause                    stop where it is; it keeps what it has copied, and its place
  resume                   go on from there, also after an obstacle
  cancel                   end it for good; the source is as it was, the target is left unless
                           --drop-target says otherwise
  throttle                 the most that it may spend of the RU/s, from 1 to 100; at once
  --drop-target            with cancel: delete the container that the job has made
  --yes                    with --drop-target: do not ask
  --json                   what the server says as JSON; with watch a line every second
${SERVER_HELP}\
Ends with 0 when it was done or shown or Ctrl-C ended the watching, with 1 when the server refused
or did not answer, or when the job that was watched failed or was stopped, with 2 when an option
makes no sense.
`;

const WATCH_MS = 1_000;
/** Where every table stays, fewer are more. */
const WATCH_PLAIN_MS = 5_000;

const OPTIONS = {
  ...SERVER_OPTIONS,
  json: { type: "boolean" },
  yes: { type: "boolean" },
  "drop-target": { type: "boolean" },
} as const;

interface Asked {
  readonly client: AdminClient;
  readonly environment: Environment;
  readonly isJson: boolean;
  /** What leads another command to the same server. */
  readonly where: string;
}

type Act = (asked: Asked) => Promise<void>;

export async function runJobs(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  if (values.help === true) {
    process.stdout.write(JOBS_HELP);
    return;
  }
  const act = actOf(positionals, values);
  const account = accountOf(values, environment);
  if (values["drop-target"] === true) {
    const about = `This deletes the container that job ${positionals[1]} has made.`;
    await askConsent(about, values.yes === true);
  }
  const client = new AdminClient(account);
  try {
    const isJson = values.json === true;
    await act({ client, environment, isJson, where: sameServer(values) });
  } finally {
    client.close();
  }
}

/** Everything is checked before the server is asked. */
function actOf(
  [verb = "list", id, ...rest]: readonly string[],
  values: { readonly "drop-target"?: boolean | undefined },
): Act {
  const isDropped = values["drop-target"] === true;
  if (isDropped && verb !== "cancel") throw new BadOption("--drop-target is for `cancel`.");
  const [amount, ...more] = verb === "throttle" ? rest : [undefined, ...rest];
  const extra = verb === "list" ? id : more[0];
  if (extra !== undefined) throw new BadOption(`'${extra}' is one word too many.`);
  switch (verb) {
    case "list":
      return list;
    case "watch":
      return id === undefined ? watchAll : (asked) => watch(asked, id);
    case "show":
      return (asked) => show(asked, idOf(verb, id));
    case "pause":
    case "resume":
      return stepAct(verb, idOf(verb, id), {});
    case "cancel":
      return stepAct(verb, idOf(verb, id), { dropTarget: isDropped });
    case "throttle":
      return stepAct(verb, idOf(verb, id), { sharePercent: percentOf(amount) });
    default:
      throw new BadOption(`'${verb}' is nothing that jobs can do. Try \`orrery jobs --help\`.`);
  }
}

function idOf(verb: string, id: string | undefined): string {
  if (id !== undefined && id !== "") return id;
  throw new BadOption(`Name the job: \`orrery jobs ${verb} <id>\`. \`orrery jobs\` lists them.`);
}

function percentOf(text: string | undefined): number {
  const percent = Number(text ?? "");
  if (text !== undefined && /^\d{1,3}(\.\d+)?$/.test(text) && percent >= 1 && percent <= 100) {
    return percent;
  }
  throw new BadOption(
    text === undefined
      ? "Say how much: `orrery jobs throttle <id> <percent>`."
      : `The share is '${text}'; it must be a number of percent from 1 to 100.`,
  );
}

async function list({ client, environment, isJson }: Asked): Promise<void> {
  const jobs = await jobsOf(client);
  if (isJson) process.stdout.write(`${JSON.stringify({ jobs })}\n`);
  else new LiveTable(process.stdout, environment).print(listSections(jobs));
}

async function show(asked: Asked, id: string): Promise<void> {
  tell(asked, await jobOf(asked.client, id));
}

function tell({ environment, isJson, where }: Asked, job: AnyJob): void {
  if (isJson) process.stdout.write(`${JSON.stringify({ job })}\n`);
  else new LiveTable(process.stdout, environment).print(jobSections(job, where));
}

function stepAct(step: CopyStep, id: string, body: object): Act {
  return async (asked) => {
    tell(asked, await stepTaken(asked.client, id, step, body));
  };
}

async function watch(asked: Asked, id: string): Promise<void> {
  const { client, isJson, where } = asked;
  const interruption = new Interruption();
  try {
    const first = await jobOf(client, id);
    let toldAt = Number.NEGATIVE_INFINITY;
    const isThere = (job: AnyJob): boolean => {
      if (isJson && !isOver(job) && realClock.now() - toldAt >= WATCH_MS) {
        toldAt = realClock.now();
        tell(asked, job);
      }
      return isOver(job);
    };
    const job = await followed(first, isThere, { ...asked, interruption, isQuiet: isJson });
    if (!isOver(job)) process.stderr.write(`${detachedText(job, where)}\n`);
    else if (isJson) tell(asked, job);
    if (isOver(job)) {
      const text = endText(job, where);
      if (!isJson) process.stdout.write(`${text}\n`);
    }
  } finally {
    interruption.close();
  }
}

async function watchAll({ client, environment, isJson }: Asked): Promise<void> {
  const table = new LiveTable(process.stdout, environment);
  const interruption = new Interruption();
  try {
    while (!interruption.isOver) {
      const jobs = await interruption.unless(jobsOf(client));
      if (jobs === undefined) return;
      if (isJson) process.stdout.write(`${JSON.stringify({ jobs })}\n`);
      else table.show(listSections(jobs));
      await interruption.pause(table.isInPlace || isJson ? WATCH_MS : WATCH_PLAIN_MS);
    }
  } finally {
    interruption.close();
  }
}
