/** `orrery nodes`: the nodes that share a database: who works, who is silent, whom one reaches. */
import { parseArgs } from "node:util";
import type { NodeEntry, NodesAnswer } from "../../protocol/nodes.ts";
import { realClock } from "../../server/surroundings/realWorld.ts";
import { AdminClient } from "../connect/adminClient.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { accountOf, SERVER_HELP, SERVER_OPTIONS } from "../connect/serverOptions.ts";
import { tableOf } from "../terminal/table.ts";

export const NODES_HELP: string = `usage: orrery nodes [options]

Shows the servers that share a database: which of them works and since when, which forward to it,
when each was last heard of by the clock of the database, and whether the one that is asked reaches
it. Any of them can be asked, also while none works.

  --json                   print one line of JSON
${SERVER_HELP}\
Ends with 0 when one of them works and all are heard of and reached, with 1 when not, or when the
server was not there, with 2 when an option makes no sense.
`;

export async function runNodes(args: string[], environment: Environment): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { ...SERVER_OPTIONS, json: { type: "boolean" } },
  });
  if (values.help === true) {
    process.stdout.write(NODES_HELP);
    return;
  }
  const client = new AdminClient(accountOf(values, environment));
  try {
    const answer = await client.get<NodesAnswer>("nodes");
    const text = nodesText(answer, realClock.wallNow(), process.stdout.columns);
    process.stdout.write(values.json === true ? `${JSON.stringify(answer)}\n` : text);
    if (!isWell(answer)) process.exitCode = 1;
  } finally {
    client.close();
  }
}

function isWell({ worker, nodes }: NodesAnswer): boolean {
  return (
    worker !== undefined && nodes.every(({ role, isReached }) => role !== "silent" && isReached)
  );
}

/** `now` is in milliseconds since 1970; `width` that of the terminal, if there is one. */
export function nodesText(answer: NodesAnswer, now: number, width?: number): string {
  const { answeredBy, worker, nodes } = answer;
  const rows = nodes.map((node) => ({
    node: node.name === answeredBy ? `${node.name} *` : node.name,
    role: roleText(node, now),
    heard: `${spanText(node.heardMsAgo)} ago`,
    reached: node.isReached ? "yes" : "no",
    clients: node.endpoint,
    nodes: node.address,
    up: spanText(now - node.startedAt),
    version: node.version,
  }));
  const last =
    worker === undefined
      ? "None of them works now; requests wait for a while, and are refused with 503 after it."
      : "* has answered.";
  return `${tableOf(rows, width)}${last}\n`;
}

function roleText({ role, worksSince }: NodeEntry, now: number): string {
  if (role !== "works" || worksSince === undefined) return role;
  return `works for ${spanText(now - worksSince)}`;
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
] as const;

function spanText(ms: number): string {
  const [unit, length] = UNITS.find(([, one]) => ms >= 2 * one) ?? (["s", 1000] as const);
  return `${Math.max(0, Math.floor(ms / length))} ${unit}`;
}
