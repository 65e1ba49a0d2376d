/** `orrery lifecycle plan` and `start`: the same question, without and with consequences. */
import { parseArgs } from "node:util";
import type { LifecycleQuestion } from "../../model/lifecycle.ts";
import type { LifecycleAnswer, LifecyclePlanAnswer } from "../../protocol/admin.ts";
import { AdminClient } from "../connect/adminClient.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { accountOf, SERVER_HELP, SERVER_OPTIONS, sameServer } from "../connect/serverOptions.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { LiveTable } from "../terminal/liveTable.ts";
import { commandOf, wayOf } from "./lifecycleText.ts";
import { questionOf, SETTING_HELP, SETTING_OPTIONS, START_OPTIONS } from "./options.ts";
import { planSections } from "./planText.ts";

const COMMON_HELP: string = `
What is moved, and when
${SETTING_HELP}
Containers that are not there
  --create                 make them: hot with autoscale up to 4000 RU/s and a ttl of 45 days, warm
                           with 800 RU/s and no ttl
  --partition-key <paths>  the partition key of both, such as /partitionKey or /tenant,/user
  --hot-throughput <n>     another rate of hot; --hot-autoscale <n> its ceiling
  --hot-ttl <duration>     another safety net than 45d
  --composite <path>       hot gets a composite index of this path and the date, the latest first
  --warm-throughput <n>    another rate of warm; --warm-autoscale <n> its ceiling
  --exclude <path>         what warm does not index, such as /content/*; once for each path

  --enable-ttl             switch the ttl of hot on, without a default, if it is off
  --force                  take a warm container that deletes its items after a while
  --json                   what the server says as JSON
${SERVER_HELP}`;

export const PLAN_HELP: string = `usage: orrery lifecycle plan <hot> <warm> \\
         --age-property <path> --age <duration> [options]

Looks at every item of hot once and says what a lifecycle would do: what is in its way, how many
items are due, what moving them costs, and which items could not be moved. Nothing is changed.
${COMMON_HELP}
example: orrery lifecycle plan news/feeds_current news/feeds_historical \\
           --age-property /publishedDate --age 30d
Ends with 0 if it could be started so, with 1 if something is in the way.
`;

export const START_HELP: string = `usage: orrery lifecycle start <hot> <warm> \\
         --age-property <path> --age <duration> [options]

Begins to move items that age from hot to warm, and goes on until it is stopped; the server does it
by itself, also after a restart. \`orrery lifecycle plan\` with the same words says before what it
would do.
${COMMON_HELP}
examples: orrery lifecycle start news/feeds_current news/feeds_historical \\
            --age-property /publishedDate --age 30d --enable-ttl
          orrery lifecycle start news/feeds_current news/feeds_historical \\
            --age-property /publishedDate --age 30d --create --partition-key /partitionKey \\
            --composite /feedProviderId --exclude '/content/*'
`;

const OPTIONS = {
  ...SERVER_OPTIONS,
  ...SETTING_OPTIONS,
  ...START_OPTIONS,
  json: { type: "boolean" },
} as const;

interface Asked {
  readonly question: LifecycleQuestion;
  readonly client: AdminClient;
  readonly isJson: boolean;
  readonly where: string;
}

export function runLifecyclePlan(args: string[], environment: Environment): Promise<void> {
  return run(args, environment, PLAN_HELP, (asked) => plan(asked, environment));
}

export function runLifecycleStart(args: string[], environment: Environment): Promise<void> {
  return run(args, environment, START_HELP, start);
}

async function run(
  args: string[],
  environment: Environment,
  help: string,
  act: (asked: Asked) => Promise<void>,
): Promise<void> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  if (values.help === true) {
    process.stdout.write(help);
    return;
  }
  const question = questionOf(positionals, values);
  const client = new AdminClient(accountOf(values, environment));
  try {
    await act({ question, client, isJson: values.json === true, where: sameServer(values) });
  } finally {
    client.close();
  }
}

async function plan({ question, client, isJson }: Asked, environment: Environment): Promise<void> {
  const body = await client.post<LifecyclePlanAnswer>("lifecycles", { ...question, dryRun: true });
  if (isJson) process.stdout.write(`${JSON.stringify(body)}\n`);
  else new LiveTable(process.stdout, environment).print(planSections(body.plan));
  if (body.plan.obstacles.length === 0) return;
  throw new CommandFailure("The lifecycle cannot be started as it was asked for.");
}

async function start({ question, client, isJson, where }: Asked): Promise<void> {
  const body = await client.post<LifecycleAnswer>("lifecycles", question);
  if (isJson) {
    process.stdout.write(`${JSON.stringify(body)}\n`);
    return;
  }
  const { lifecycle } = body;
  process.stdout.write(
    `Lifecycle ${lifecycle.id} moves items from ${wayOf(lifecycle)}, from now on.\n`,
  );
  for (const { step, about } of lifecycle.nextSteps) {
    process.stdout.write(`  ${commandOf(step, lifecycle.id, where)}\n      ${about}\n`);
  }
}
