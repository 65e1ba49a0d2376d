/** `orrery rebalance`: shows which database has what, and moves what evens them out. */
import { parseArgs } from "node:util";
import { shortBytesText } from "../../base/wording.ts";
import type { PlannedMove } from "../../partition/rebalancePlan.ts";
import { rebalancePlan } from "../../partition/rebalancePlan.ts";
import type {
  EndpointsAnswer,
  HeldPartition,
  JobAnswer,
  JobEntry,
  MoveQuestion,
  PlacedEndpoint,
} from "../../protocol/admin.ts";
import { AdminClient, routeOf } from "../connect/adminClient.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { accountOf, SERVER_HELP, SERVER_OPTIONS } from "../connect/serverOptions.ts";
import { askConsent } from "../terminal/consent.ts";
import { CommandFailure } from "../terminal/failure.ts";
import type { Section } from "../terminal/liveTable.ts";
import { LiveTable, numberText } from "../terminal/liveTable.ts";
import { followJob } from "./split.ts";

export const REBALANCE_HELP: string = `usage: orrery rebalance [options]

Shows which of the databases of a server (--store) has which physical partitions, and which moves
would give all of them about as many and about as much. Then it makes the moves, one after the
other, while reads and writes go on.

  --dry-run                only show what is where, and the moves
  --yes                    do not ask before the moves begin
  --json                   what is where and the moves, as one line of JSON; moves with --yes only
${SERVER_HELP}\
Ends with 0 when all is even or was moved, with 1 when a move could not be made, with 2 when an
option makes no sense. Ending the command does not end the moves that were started.
`;

type Move = PlannedMove<HeldPartition>;

export async function runRebalance(args: string[], environment: Environment): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      ...SERVER_OPTIONS,
      "dry-run": { type: "boolean" },
      yes: { type: "boolean" },
      json: { type: "boolean" },
    },
  });
  if (values.help === true) {
    process.stdout.write(REBALANCE_HELP);
    return;
  }
  const isSure = values.yes === true;
  const client = new AdminClient(accountOf(values, environment));
  try {
    const { endpoints } = await client.get<EndpointsAnswer>("placement");
    if (endpoints.length === 0) {
      throw new CommandFailure(
        "All data of the server is in one place. Start it with several databases to spread it: " +
          "--store may be repeated.",
      );
    }
    const moves = movesFor(endpoints);
    if (values.json === true) process.stdout.write(`${JSON.stringify({ endpoints, moves })}\n`);
    else new LiveTable(process.stdout, environment).print(sectionsOf(endpoints, moves));
    const isPreview = values["dry-run"] === true || (values.json === true && !isSure);
    if (moves.length === 0 || isPreview) return;
    await askConsent("Reads and writes go on while partitions move.", isSure);
    for (const job of await started(client, moves)) await followJob(client, job, environment);
  } finally {
    client.close();
  }
}

/** Nothing is moved to a database that cannot be reached, nor from one. */
function movesFor(endpoints: readonly PlacedEndpoint[]): readonly Move[] {
  const weights = endpoints
    .filter(({ isReachable }) => isReachable)
    .map(({ name, partitions }) => ({
      name,
      partitions: partitions.map((partition) => {
        return { partition, itemBytes: partition.itemBytes };
      }),
    }));
  return rebalancePlan(weights);
}

/** All of them are on disk before the first one is looked at. */
async function started(client: AdminClient, moves: readonly Move[]): Promise<readonly JobEntry[]> {
  const jobs: JobEntry[] = [];
  for (const { partition, to } of moves) {
    const question: MoveQuestion = { partitionId: partition.id, to };
    const { job } = await client.post<JobAnswer>(routeOf(partition, "move"), question);
    jobs.push(job);
  }
  return jobs;
}

function sectionsOf(
  endpoints: readonly PlacedEndpoint[],
  moves: readonly Move[],
): readonly Section[] {
  const rows = endpoints.map(({ name, isReachable, partitions }) => ({
    cells: {
      database: name,
      partitions: numberText(partitions.length),
      items: numberText(sumOf(partitions, ({ itemCount }) => itemCount)),
      size: shortBytesText(sumOf(partitions, ({ itemBytes }) => itemBytes)),
      state: isReachable ? "" : "out of reach",
    },
    ...(!isReachable && { tone: "alarm" as const }),
  }));
  const moveRows = moves.map(({ partition, itemBytes, from, to }) => ({
    cells: {
      move: `${partition.database}/${partition.container} ${partition.id}`,
      size: shortBytesText(itemBytes),
      from,
      to,
    },
  }));
  const even: Section = { kind: "lines", lines: ["", "No move would make them more even."] };
  return [
    { kind: "table", rows, right: ["partitions", "items", "size"] },
    ...(moves.length === 0
      ? [even]
      : [
          { kind: "lines", lines: [""] } as const,
          { kind: "table", rows: moveRows, right: ["size"] } as const,
        ]),
  ];
}

function sumOf(
  partitions: readonly HeldPartition[],
  of: (partition: HeldPartition) => number,
): number {
  return partitions.reduce((sum, partition) => sum + of(partition), 0);
}
