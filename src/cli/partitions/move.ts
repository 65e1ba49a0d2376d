/** `orrery move`: moves a physical partition to another database of the server. */
import { parseArgs } from "node:util";
import type { JobAnswer, MoveQuestion } from "../../protocol/admin.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { AdminClient, routeOf } from "../connect/adminClient.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { accountOf, containerOf, SERVER_HELP, SERVER_OPTIONS } from "../connect/serverOptions.ts";
import { followJob } from "./split.ts";

export const MOVE_HELP: string = `usage: orrery move <db>/<container> --range <id> --to <database>

Moves a physical partition to another one of the databases that a server was started with (--store),
while reads and writes go on. It gets another range id, as after a split; sessions, continuations
and feeds go on. \`orrery rebalance\` shows what is where, and moves what should be moved.

  --range <id>             which one, by its range id
  --to <database>          where to: host:port/database, or as much of it as no other one has
${SERVER_HELP}\
Ends with 0 when it is moved, with 1 when it could not be, with 2 when an option makes no sense.
Ending the command does not end the move.
`;

export async function runMove(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { ...SERVER_OPTIONS, range: { type: "string" }, to: { type: "string" } },
  });
  if (values.help === true) {
    process.stdout.write(MOVE_HELP);
    return;
  }
  const [named, extra] = positionals;
  if (extra !== undefined) throw new BadOption(`'${extra}' is one word too many.`);
  const name = containerOf(named);
  const { range, to } = values;
  if (range === undefined || to === undefined) {
    throw new BadOption("Say which one moves with --range, and where to with --to.");
  }
  const question: MoveQuestion = { partitionId: range, to };
  const client = new AdminClient(accountOf(values, environment));
  try {
    const { job } = await client.post<JobAnswer>(routeOf(name, "move"), question);
    await followJob(client, job, environment);
  } finally {
    client.close();
  }
}
