/**
 * `orrery lab`: finds the subcommand and loads it. Each has a file of its own in `lab/`, and none
 * is loaded before it is asked for: the server is started far more often.
 */
import { BadOption } from "../server/surroundings/options.ts";
import type { Environment } from "./connect/serverOptions.ts";

const LAB_HELP: string = `usage: orrery lab <command> [options]

Finds the partition key for your data and your workload, with the numbers behind it and a run that
proves them. From start to end:

  profile    read your data once and save what it says about keys
  workload   write a workload file to begin with, or check one
  advise     simulate candidates, rank them, and say why
  check      score one key that you name
  select     the guides' four rules for a key, and what they come to here
  prove      run the candidates on the engine, and compare with the prediction
  verify     compare a container that was moved with what was predicted (advise --migrate)
  scenario   worked cases of the guides, with their verdicts beside ours
  approaches run four ways of keeping data that ages: hot and warm, one container, one a year

\`orrery lab <command> --help\` explains each; docs/lab/README.md tells the whole story.
`;

type Command = (args: string[], environment: Environment) => Promise<void>;

const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ["profile", async () => (await import("./lab/profile.ts")).runLabProfile],
  ["workload", async () => (await import("./lab/workload.ts")).runLabWorkload],
  ["advise", async () => (await import("./lab/advise.ts")).runLabAdvise],
  ["check", async () => (await import("./lab/check.ts")).runLabCheck],
  ["select", async () => (await import("./lab/select.ts")).runLabSelect],
  ["prove", async () => (await import("./lab/prove.ts")).runLabProve],
  ["verify", async () => (await import("./lab/verify.ts")).runLabVerify],
  ["scenario", async () => (await import("./lab/scenario.ts")).runLabScenario],
  ["approaches", async () => (await import("./lab/approaches/approaches.ts")).runLabApproaches],
]);

export async function runLab(args: string[], environment: Environment): Promise<void> {
  const [name, ...rest] = args;
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    const about = COMMANDS.get(rest[0] ?? "");
    if (about !== undefined) await (await about())(["--help"], environment);
    else process.stdout.write(LAB_HELP);
    return;
  }
  const command = COMMANDS.get(name);
  if (command === undefined) {
    throw new BadOption(
      `There is no command 'lab ${name}'; there are ${[...COMMANDS.keys()].join(", ")}.`,
    );
  }
  // Whoever reads the answer may have seen enough.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? 0 : 1);
  });
  await (await command())(rest, environment);
}
