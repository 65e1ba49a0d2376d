#!/usr/bin/env node
/** The `orrery` command: finds the subcommand and runs it. Each has a file of its own. */

import { DataLocked } from "../server/dataLock.ts";
import { BadOption } from "../server/options.ts";
import { LocalCaFault } from "../server/tls/keptFile.ts";
import { StoreFault } from "../store/partitionStore.ts";
import { DEMO_HELP, runDemo } from "./demo.ts";
import { CommandFailure } from "./failure.ts";
import { KEYS_HELP, runKeys } from "./keys.ts";
import { MERGE_HELP, runMerge } from "./merge.ts";
import { PARTITIONS_HELP, runPartitions } from "./partitions.ts";
import { runQuery } from "./query.ts";
import { QUERY_HELP } from "./queryOptions.ts";
import { runSplit, SPLIT_HELP } from "./split.ts";
import { runStart, START_HELP } from "./start.ts";

declare const ORRERY_VERSION: string;

const HELP = `orrery: a document database that speaks the Azure Cosmos DB for NoSQL protocol

usage: orrery <command> [options]

  start      run the server (the default when no command is given)
  query      ask a running server, and print the rows
  partitions show how a container is placed and where its load is
  split      split a physical partition
  merge      merge two physical partitions
  lab        find the partition key for your data and your workload
  import     put items from files into a container
  export     write the items of a container to a file
  backup     write a backup of a running server into one file
  restore    make a data directory of a backup
  check      look for damage in a data directory or a backup
  record     record what is asked of a container, as a workload for the lab
  keys       show the account keys of a running server, or make one anew
  demo       watch hot and full partitions, fan-out and splits happen
  help       this text; \`orrery help start\` for one command
  version    the version

Every command explains itself with --help.
`;

const HELP_OF: ReadonlyMap<string | undefined, string> = new Map([
  ["start", START_HELP],
  ["query", QUERY_HELP],
  ["partitions", PARTITIONS_HELP],
  ["split", SPLIT_HELP],
  ["merge", MERGE_HELP],
  ["keys", KEYS_HELP],
  ["demo", DEMO_HELP],
]);

const [command = "start", ...rest] = process.argv.slice(2);

try {
  await run(command, rest);
} catch (error) {
  fail(error);
}

async function run(name: string, args: string[]): Promise<void> {
  switch (name) {
    case "start":
      await runStart(args);
      return;
    case "query":
      await runQuery(args);
      return;
    case "partitions":
      await runPartitions(args, process.env);
      return;
    case "split":
      await runSplit(args, process.env);
      return;
    case "merge":
      await runMerge(args, process.env);
      return;
    case "keys":
      await runKeys(args, process.env);
      return;
    case "demo":
      await runDemo(args, process.env);
      return;
    case "lab":
      await runLab(args);
      return;
    case "record":
      await runRecord(args);
      return;
    case "import":
      await runImport(args);
      return;
    case "export":
      await runExport(args);
      return;
    case "backup":
      await runBackup(args);
      return;
    case "restore":
      await runRestore(args);
      return;
    case "check":
      await runCheck(args);
      return;
    case "help":
    case "--help":
    case "-h":
      await help(args);
      return;
    case "version":
    case "--version":
    case "-v":
      process.stdout.write(`${ORRERY_VERSION}\n`);
      return;
    default:
      if (name.startsWith("-")) await runStart([name, ...args]);
      else throw new BadOption(`There is no command '${name}'. Try \`orrery help\`.`);
  }
}

/** The lab is loaded when it is asked for: the server is started far more often. */
async function runLab(args: string[]): Promise<void> {
  await (await import("./lab.ts")).runLab(args, process.env);
}

/** Likewise: it writes what the lab reads. */
async function runRecord(args: string[]): Promise<void> {
  await (await import("./record.ts")).runRecord(args, process.env);
}

/** Likewise: they share readers and progress with it. */
async function runImport(args: string[]): Promise<void> {
  await (await import("./import.ts")).runImport(args, process.env);
}

async function runExport(args: string[]): Promise<void> {
  await (await import("./export.ts")).runExport(args, process.env);
}

/** Likewise: they read data directories on their own. */
async function runBackup(args: string[]): Promise<void> {
  await (await import("./backup.ts")).runBackup(args, process.env);
}

async function runRestore(args: string[]): Promise<void> {
  await (await import("./restore.ts")).runRestore(args, process.env);
}

async function runCheck(args: string[]): Promise<void> {
  await (await import("./check.ts")).runCheck(args, process.env);
}

async function help([name, ...rest]: string[]): Promise<void> {
  if (name === "lab") await runLab(["help", ...rest]);
  else if (name === "record") await runRecord(["--help"]);
  else if (name === "import") await runImport(["--help"]);
  else if (name === "export") await runExport(["--help"]);
  else if (name === "backup") await runBackup(["--help"]);
  else if (name === "restore") await runRestore(["--help"]);
  else if (name === "check") await runCheck(["--help"]);
  else process.stdout.write(HELP_OF.get(name) ?? HELP);
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
