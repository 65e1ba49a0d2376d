/**
 * `orrery lab workload`: a file to begin with, what is wrong with one or what was understood of it,
 * and a first one from the diagnostic logs of an account.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { pathText } from "../../keys/paths.ts";
import { DiagnosticLogs } from "../../lab/observed/diagnosticLogs.ts";
import { visible } from "../../lab/wording/plain.ts";
import { printWorkload } from "../../lab/workload/printWorkload.ts";
import { workloadTemplates } from "../../lab/workload/templates.ts";
import { workloadSummary } from "../../lab/workload/workloadSummary.ts";
import { readWorkload } from "../../lab/workload/workloadText.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { DrawnLine } from "../terminal/drawnLine.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { keyLevelsOf } from "./options.ts";
import { terminalWidth, writeJson } from "./output.ts";
import { readLogFile } from "./workloadLogFile.ts";

export const LAB_WORKLOAD_HELP: string = `usage: orrery lab workload <command> [options]

What a container has to hold and to answer, as a file: docs/lab/workload.md describes it.

  new [--template <name>]  a file to fill in; it explains every member
  templates                what there is to begin with
  check <file>             what was understood of a file, or all that is wrong with it
  import <log file>...     a workload from diagnostic logs of the service: CDBDataPlaneRequests,
                           CDBQueryRuntimeStatistics and CDBPartitionKeyRUConsumption, as JSON
                           lines, JSON or CSV, or any of them with .gz; in any order

  --template <name>        which one (default blank)
  --output <file>          where to write what new and import make (default: standard output)
  --force                  write over a file that is there
  --container <db>/<name>  import: of which container (default: the one with most requests)
  --key <path>             import: the partition key of that container, such as /tenantId or
                           "[/tenantId, /userId]"; logs name its values only
  --json                   check: what was understood, or the problems, as JSON

Ends with 0, with 1 when a file has problems, with 2 when an option makes no sense.
`;

export async function runLabWorkload(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      template: { type: "string" },
      output: { type: "string", short: "o" },
      force: { type: "boolean" },
      container: { type: "string" },
      key: { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  const [command, ...files] = positionals;
  if (values.help === true || command === undefined || command === "help") {
    process.stdout.write(LAB_WORKLOAD_HELP);
    return;
  }
  const allowed = OPTIONS_OF.get(command);
  if (allowed === undefined) {
    const list = [...OPTIONS_OF.keys()].join(", ");
    throw new BadOption(`There is no command 'lab workload ${command}'; there are ${list}.`);
  }
  for (const name of Object.keys(values)) {
    if (!allowed.includes(name)) {
      throw new BadOption(`--${name} says nothing to 'lab workload ${command}'.`);
    }
  }
  switch (command) {
    case "new":
      refuseFiles(files, "new writes a file and reads none; use --output.");
      write(templateNamed(values.template ?? "blank"), values);
      return;
    case "templates":
      refuseFiles(files, "templates takes no file.");
      writeTemplates();
      return;
    case "check":
      check(onlyOf(files), values.json === true);
      return;
    case "import":
      await importLogs(files, values, environment);
  }
}

const OPTIONS_OF: ReadonlyMap<string, readonly string[]> = new Map([
  ["new", ["template", "output", "force"]],
  ["templates", []],
  ["check", ["json"]],
  ["import", ["output", "force", "container", "key"]],
]);

function refuseFiles([file]: readonly string[], message: string): void {
  if (file !== undefined) throw new BadOption(`'${file}' is one word too many: ${message}`);
}

function onlyOf([file, extra]: readonly string[]): string {
  if (file === undefined) throw new BadOption("check needs the name of a workload file.");
  if (extra !== undefined) throw new BadOption(`'${extra}' is one word too many.`);
  return file;
}

function templateNamed(name: string): string {
  const found = workloadTemplates.find((template) => template.name === name);
  if (found !== undefined) return found.text;
  const list = workloadTemplates.map((template) => template.name).join(", ");
  throw new BadOption(`There is no template '${name}'; there are ${list}.`);
}

function writeTemplates(): void {
  const width = Math.max(...workloadTemplates.map(({ name }) => name.length));
  for (const { name, title } of workloadTemplates) {
    process.stdout.write(`${name.padEnd(width)}  ${title}\n`);
  }
}

interface WriteOptions {
  readonly output?: string | undefined;
  readonly force?: boolean | undefined;
}

/** Somebody has worked on a file that is there. */
function write(text: string, { output, force }: WriteOptions): void {
  if (output === undefined) {
    process.stdout.write(text);
    return;
  }
  if (force !== true && existsSync(output)) {
    throw new CommandFailure(`${output} is there already; --force writes over it.`);
  }
  try {
    writeFileSync(output, text);
  } catch (error) {
    throw new CommandFailure(`${output} cannot be written: ${(error as Error).message}`);
  }
  process.stderr.write(`workload: ${output}\n`);
}

function check(file: string, isJson: boolean): void {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new CommandFailure(`${file} cannot be read: ${(error as Error).message}`);
  }
  const form = /\.json$/i.test(file) ? "json" : "yaml";
  const outcome = readWorkload(text, form, basename(file));
  if (isJson) writeJson(outcome.ok ? plainOf(outcome.value) : { problems: outcome.error });
  else if (outcome.ok) process.stdout.write(workloadSummary(outcome.value, terminalWidth()));
  if (outcome.ok) return;
  const count = outcome.error.length;
  const lines = isJson
    ? []
    : outcome.error.map(({ place, message }) => visible(`${file}:${place}: ${message}`));
  const said = `${file} has ${count === 1 ? "a problem" : `${count} problems`}.`;
  throw new CommandFailure([said, ...lines].join("\n"));
}

/** JSON has no maps. */
function plainOf(value: unknown): unknown {
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([name, inside]) => [name, plainOf(inside)]));
  }
  if (Array.isArray(value)) return value.map(plainOf);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inside]) => [name, plainOf(inside)] as const);
  return Object.fromEntries(entries);
}

async function importLogs(
  files: readonly string[],
  options: WriteOptions & {
    readonly container?: string | undefined;
    readonly key?: string | undefined;
  },
  environment: Environment,
): Promise<void> {
  if (files.length === 0) throw new BadOption("import needs the name of a log file.");
  const { container, key } = options;
  const logs = new DiagnosticLogs({ container, keyPaths: pathsOf(key) });
  const progress = new DrawnLine(environment);
  for (const file of files) {
    const outcome = await readLogFile(file, (row) => {
      logs.add(row);
      if (logs.rowCount % 10_000 === 0) progress.show(`${file}: ${logs.rowCount} rows`);
    });
    progress.clear();
    if (outcome.brokenCount > 0) {
      const many = `${outcome.brokenCount} ${outcome.brokenCount === 1 ? "line" : "lines"}`;
      const first = visible(outcome.firstBroken ?? "");
      process.stderr.write(`${file}: ${many} could not be read (${first}); the others were.\n`);
    }
  }
  const workload = logs.result();
  if (workload.operations.length === 0) throw new CommandFailure(nothingText(logs, container));
  write(printWorkload(workload), options);
}

/** Levels that are paths: what a logged key can be a value of. */
function pathsOf(key: string | undefined): readonly string[] | undefined {
  if (key === undefined) return undefined;
  const levels = keyLevelsOf("--key", key);
  return levels.map((level) => {
    if (level.kind === "path") return pathText(level);
    throw new BadOption(`--key is '${key}'; it must be a path, or paths in brackets.`);
  });
}

function nothingText(logs: DiagnosticLogs, container: string | undefined): string {
  const read = `${logs.rowCount} rows were read, ${logs.unknownCount} of them not understood`;
  if (container !== undefined) {
    return `There is no request of ${container} in the logs: ${read}.`;
  }
  return `There is no request in the logs: ${read}. CDBDataPlaneRequests has them.`;
}
