/** The `orrery` command: finds the subcommand and runs it. Each has a file of its own. */

import { DataLocked } from "../server/directory/dataLocked.ts";
import { BadOption } from "../server/surroundings/options.ts";
import { VERSION } from "../server/surroundings/version.ts";
import { LocalCaFault } from "../server/tls/keptFile.ts";
import { StoreFault } from "../store/partitionStore.ts";
import type { Environment } from "./connect/serverOptions.ts";
import { CommandFailure } from "./terminal/failure.ts";

const HELP = `orrery: a document database that speaks the Azure Cosmos DB for NoSQL protocol

usage: orrery <command> [options]

  start      run the server (the default when no command is given)
  query      ask a running server, and print the rows
  partitions show how a container is placed and where its load is
  split      split a physical partition
  merge      merge two physical partitions
  copy       copy a container under another key, verified, and lead clients to the copy
  lifecycle  data that ages: how to keep it, move it by itself, archive it, get it back
  jobs       long work of the server: list, watch, pause, resume, cancel, throttle
  lab        find the partition key for your data and your workload
  import     put items from files into a container
  export     write the items of a container to a file
  backup     write a backup of a running server into one file
  restore    make a data directory of a backup
  check      look for damage in a data directory or a backup
  doctor     find out whether a database can keep the data
  record     record what is asked of a container, as a workload for the lab
  nodes      show the servers that share a database, and which of them works
  cluster    \`cluster demo\`: three servers on one database here, and one is killed
  keys       show the account keys of a running server, or make one anew
  demo       watch hot and full partitions, fan-out and splits happen
  help       this text; \`orrery help start\` for one command
  version    the version

Every command explains itself with --help.
`;

type Run = (args: string[], environment: Environment) => Promise<void>;

/** Each is loaded when it is asked for: none needs what all of them need together. */
const COMMANDS: Readonly<Record<string, () => Promise<Run>>> = {
  start: async () => (await import("./start.ts")).runStart,
  query: async () => (await import("./query.ts")).runQuery,
  partitions: async () => (await import("./partitions/partitions.ts")).runPartitions,
  split: async () => (await import("./partitions/split.ts")).runSplit,
  merge: async () => (await import("./partitions/merge.ts")).runMerge,
  copy: async () => (await import("./copy/copy.ts")).runCopy,
  lifecycle: async () => (await import("./lifecycle/lifecycle.ts")).runLifecycle,
  jobs: async () => (await import("./jobs/jobs.ts")).runJobs,
  lab: async () => (await import("./lab.ts")).runLab,
  import: async () => (await import("./import.ts")).runImport,
  export: async () => (await import("./export.ts")).runExport,
  backup: async () => (await import("./backup.ts")).runBackup,
  restore: async () => (await import("./restore.ts")).runRestore,
  check: async () => (await import("./check.ts")).runCheck,
  doctor: async () => (await import("./doctor.ts")).runDoctor,
  record: async () => (await import("./record.ts")).runRecord,
  nodes: async () => (await import("./cluster/nodes.ts")).runNodes,
  cluster: async () => (await import("./cluster/cluster.ts")).runCluster,
  keys: async () => (await import("./keys.ts")).runKeys,
  demo: async () => (await import("./demo.ts")).runDemo,
};

/** Those that have commands of their own, and explain each of them. */
const HAS_COMMANDS: ReadonlySet<string> = new Set(["lab", "lifecycle", "cluster"]);

export async function runCommand([command = "start", ...rest]: readonly string[]): Promise<void> {
  try {
    await run(command, rest);
  } catch (error) {
    fail(error);
  }
}

async function run(name: string, args: string[]): Promise<void> {
  switch (name) {
    case "help":
    case "--help":
    case "-h":
      await help(args);
      return;
    case "version":
    case "--version":
    case "-v":
      process.stdout.write(`${VERSION}\n`);
      return;
  }
  const isOption = name.startsWith("-");
  const load = isOption ? COMMANDS["start"] : commandOf(name);
  if (load === undefined) {
    throw new BadOption(`There is no command '${name}'. Try \`orrery help\`.`);
  }
  await (await load())(isOption ? [name, ...args] : args, process.env);
}

function commandOf(name: string): (() => Promise<Run>) | undefined {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}

async function help([name = "", ...rest]: string[]): Promise<void> {
  const load = commandOf(name);
  if (load === undefined) process.stdout.write(HELP);
  else await (await load())(HAS_COMMANDS.has(name) ? ["help", ...rest] : ["--help"], process.env);
}

/** What the user can mend is said in one line; anything else is ours, and shows its origin. */
function fail(error: unknown): void {
  if (error instanceof CommandFailure) {
    process.stderr.write(`orrery: ${error.message}\n`);
    process.exitCode = 1;
    return;
  }
  const isUsers = [BadOption, DataLocked, StoreFault, LocalCaFault].some(
    (kind) => error instanceof kind,
  );
  const isMendable =
    isUsers || (error instanceof Error && "code" in error && isUsersCode(error.code));
  const text = error instanceof Error ? error : new Error(String(error));
  process.stderr.write(`orrery: ${isMendable ? text.message : text.stack}\n`);
  process.exitCode = isMendable ? 2 : 1;
}

/** Unknown options, and what the system says of directories and addresses that cannot be used. */
function isUsersCode(code: unknown): boolean {
  const known = ["EACCES", "EPERM", "EROFS", "ENOSPC", "ENOTDIR", "EISDIR", "EADDRNOTAVAIL"];
  return typeof code === "string" && (code.startsWith("ERR_PARSE_ARGS") || known.includes(code));
}
