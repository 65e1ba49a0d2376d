/** `orrery cluster`: finds the subcommand and loads it. */
import { BadOption } from "../../server/surroundings/options.ts";
import type { Environment } from "../connect/serverOptions.ts";

const CLUSTER_HELP: string = `usage: orrery cluster <command> [options]

Several servers on one database.

  demo       three of them on this machine, with a database of their own: one is killed under load,
             and it is shown what survives

\`orrery cluster demo --help\` explains it; \`orrery nodes\` shows the nodes of a running server;
docs/operate/clusters.md tells the whole story.
`;

type Command = (args: string[], environment: Environment) => Promise<void>;

const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ["demo", async () => (await import("./clusterDemo.ts")).runClusterDemo],
]);

export async function runCluster(args: string[], environment: Environment): Promise<void> {
  const [name, ...rest] = args;
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    const about = COMMANDS.get(rest[0] ?? "");
    if (about !== undefined) await (await about())(["--help"], environment);
    else process.stdout.write(CLUSTER_HELP);
    return;
  }
  const command = COMMANDS.get(name);
  if (command === undefined) {
    throw new BadOption(
      `There is no command 'cluster ${name}'; there are ${[...COMMANDS.keys()].join(", ")}.`,
    );
  }
  await (await command())(rest, environment);
}
