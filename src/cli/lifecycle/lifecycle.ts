/**
 * `orrery lifecycle`: finds the subcommand and loads it. None is loaded before it is asked for.
 * Every subcommand explains itself with --help.
 */
import { BadOption } from "../../server/surroundings/options.ts";
import type { Environment } from "../connect/serverOptions.ts";

const LIFECYCLE_HELP: string = `usage: orrery lifecycle <command> [options]

Data that ages: new items live in a hot container, and move by themselves to a warm one when their
date is long enough ago. Nothing is lost on the way, whatever is killed when.

  plan       look at all items, and say what a lifecycle would do; nothing is changed
  start      begin to move items, from now on
  status     what lifecycles do, once or again and again (--watch)
  pause      stop moving; items that were not moved stay in the hot container
  resume     go on
  run        begin a round now
  change     other settings, at once
  stop       end a lifecycle for good
  advise     which containers your data is best kept in, by the guides' framework and your figures
  archive    put whole old logical partitions away in compressed files, proven before deletion
  restore    write items of an archive into a container

\`orrery lifecycle <command> --help\` explains each; docs/use/lifecycle.md tells the whole story.
`;

type Command = (args: string[], environment: Environment) => Promise<void>;

const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ["plan", async () => (await import("./start.ts")).runLifecyclePlan],
  ["start", async () => (await import("./start.ts")).runLifecycleStart],
  ["status", async () => (await import("./status.ts")).runLifecycleStatus],
  ["pause", async () => (await import("./steps.ts")).lifecycleStep("pause")],
  ["resume", async () => (await import("./steps.ts")).lifecycleStep("resume")],
  ["run", async () => (await import("./steps.ts")).lifecycleStep("run")],
  ["change", async () => (await import("./steps.ts")).lifecycleStep("change")],
  ["stop", async () => (await import("./steps.ts")).lifecycleStep("stop")],
  ["archive", async () => (await import("../archive/archive.ts")).archiveCommand],
  ["restore", async () => (await import("../archive/restore.ts")).restoreCommand],
  ["advise", async () => (await import("./advise.ts")).adviseCommand],
]);

export async function runLifecycle(args: string[], environment: Environment): Promise<void> {
  const [name, ...rest] = args;
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    const about = COMMANDS.get(rest[0] ?? "");
    if (about !== undefined) await (await about())(["--help"], environment);
    else process.stdout.write(LIFECYCLE_HELP);
    return;
  }
  const command = COMMANDS.get(name);
  if (command === undefined) {
    throw new BadOption(
      `There is no command 'lifecycle ${name}'; there are ${[...COMMANDS.keys()].join(", ")}.`,
    );
  }
  await (await command())(rest, environment);
}
