/** The `orrery` command: finds the subcommand and runs it. Each has a file of its own. */
import { nearestName } from "../base/nearestName.ts";
import { DataLocked } from "../server/directory/dataLocked.ts";
import { BadOption } from "../server/surroundings/options.ts";
import { VERSION } from "../server/surroundings/version.ts";
import { LocalCaFault } from "../server/tls/keptFile.ts";
import { StoreFault } from "../store/partitionStore.ts";
import { COMMANDS, type CommandEntry, type CommandFamily, entryNamed } from "./commandTable.ts";
import { withConfig } from "./connect/configured.ts";
import { setBrokenPipe } from "./terminal/brokenPipe.ts";
import { CommandFailure } from "./terminal/failure.ts";
import { helpOptions } from "./terminal/helpOptions.ts";

const DEFAULT_COMMAND = "start";
const HELP_WORDS: readonly string[] = ["help", "--help", "-h"];
const VERSION_WORDS: readonly string[] = ["version", "--version", "-v"];
/** Those that read the settings file themselves: as what the server is told, or to show it. */
const OF_THE_FILE: readonly string[] = [DEFAULT_COMMAND, "config"];
/** What `orrery` knows besides the commands of the table. */
const OWN_COMMANDS: readonly string[] = ["help", "version"];

/** A command that was asked for, and what it was asked. */
interface Asked {
  /** As it is written after `orrery`. */
  readonly name: string;
  readonly command: CommandEntry;
  readonly args: string[];
}

export async function runCommand(words: readonly string[]): Promise<void> {
  let asked: Asked | undefined;
  try {
    const found = askedIn(words);
    if (typeof found === "string") {
      setBrokenPipe({ isOutlived: false });
      process.stdout.write(found);
      return;
    }
    asked = found;
    setBrokenPipe({ isOutlived: asked.name === DEFAULT_COMMAND });
    const { run, help } = await asked.command.load();
    const isConfigured = !OF_THE_FILE.includes(asked.name) && takesConfig(help);
    const environment = isConfigured
      ? await withConfig(process.env, asked.args, process.cwd())
      : process.env;
    await run(asked.args, environment, COMMANDS);
  } catch (error) {
    await fail(error, asked);
  }
}

/** Those that ask a server do. */
function takesConfig(help: string): boolean {
  return helpOptions(help).some(({ name }) => name === "--config");
}

/** A text is all that was asked for. */
function askedIn(words: readonly string[]): Asked | string {
  const [first = DEFAULT_COMMAND, ...args] = joined(words);
  if (VERSION_WORDS.includes(first)) return `${VERSION}\n`;
  if (HELP_WORDS.includes(first)) return args.length === 0 ? helpOfAll() : askedForHelp(args);
  // Options alone are those of the server.
  return askedOf(
    "",
    COMMANDS,
    first.startsWith("-") ? [DEFAULT_COMMAND, first, ...args] : [first, ...args],
  );
}

/** Node takes `--ttl -1` for two options; a negative number is meant. */
function joined(words: readonly string[]): readonly string[] {
  const whole: string[] = [];
  for (const word of words) {
    const last = whole.at(-1) ?? "";
    const isValue = /^-\d/.test(word) && /^--[^=]+$/.test(last);
    if (isValue) whole[whole.length - 1] = `${last}=${word}`;
    else whole.push(word);
  }
  return whole;
}

/** `orrery help lab advise` says what `orrery lab advise --help` says. */
function askedForHelp([first = "", second]: readonly string[]): Asked | string {
  if (OWN_COMMANDS.includes(first)) return helpOfAll();
  const isInFamily = entryNamed(COMMANDS, first)?.kind === "family" && second !== undefined;
  return askedOf("", COMMANDS, [first, ...(isInFamily ? [second] : []), "--help"]);
}

/** `family`: the name before these, with a space, if there is one. */
function askedOf(
  family: string,
  entries: readonly (CommandEntry | CommandFamily)[],
  [name = "", ...args]: readonly string[],
): Asked | string {
  const entry = entryNamed(entries, name);
  if (entry === undefined) throw noCommand(family, name, entries);
  if (entry.kind === "command") return { name: `${family}${name}`, command: entry, args };
  const [word] = args;
  if (word === undefined || (HELP_WORDS.includes(word) && args.length === 1)) {
    return helpOfFamily(entry);
  }
  if (word === "help") return askedOf(`${name} `, entry.commands, [args[1]!, "--help"]);
  return askedOf(`${name} `, entry.commands, args);
}

function noCommand(family: string, name: string, entries: readonly { readonly name: string }[]) {
  const names = entries.map((entry) => entry.name);
  const known = family === "" ? [...names, ...OWN_COMMANDS] : names;
  const meant = nearestName(name, known);
  const hint =
    meant !== undefined
      ? `Did you mean '${family}${meant}'?`
      : family === ""
        ? "`orrery help` lists what there is."
        : `There are ${names.join(", ")}.`;
  return new BadOption(`There is no command '${family}${name}'. ${hint}`);
}

function helpOfAll(): string {
  return `orrery: a document database that speaks the Azure Cosmos DB for NoSQL protocol

usage: orrery <command> [options]

${listOf(COMMANDS)}\
  help       this text; \`orrery help start\` for one command
  version    the version

Every command explains itself with --help.
`;
}

function helpOfFamily({ name, intro, page, commands }: CommandFamily): string {
  return `usage: orrery ${name} <command> [options]

${intro}

${listOf(commands)}
\`orrery ${name} <command> --help\` explains each; ${page} tells the whole story.
`;
}

function listOf(entries: readonly { readonly name: string; readonly about: string }[]): string {
  return entries.map(({ name, about }) => `  ${name.padEnd(10)} ${about}\n`).join("");
}

/** What the user can mend is said in one line; anything else is ours, and shows its origin. */
async function fail(error: unknown, asked: Asked | undefined): Promise<void> {
  if (error instanceof CommandFailure) {
    process.stderr.write(`orrery: ${error.message}\n`);
    process.exitCode = 1;
    return;
  }
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const isMisuse = typeof code === "string" && code.startsWith("ERR_PARSE_ARGS");
  const isUsers = [BadOption, DataLocked, StoreFault, LocalCaFault].some(
    (kind) => error instanceof kind,
  );
  const isMendable = isMisuse || isUsers || isUsersCode(code);
  const text = error instanceof Error ? error : new Error(String(error));
  const told = isMisuse
    ? await misuseText(text.message, asked)
    : isMendable
      ? text.message
      : text.stack;
  process.stderr.write(`orrery: ${told}\n`);
  process.exitCode = isMendable ? 2 : 1;
}

/** What Node says of arguments, in one line, with what was perhaps meant. */
async function misuseText(message: string, asked: Asked | undefined): Promise<string> {
  const unknown = /^Unknown option '(-[^']*)'/.exec(message)?.[1];
  if (unknown === undefined || asked === undefined) return message.replaceAll("\n", " ");
  const { help } = await asked.command.load();
  const names = helpOptions(help).map(({ name }) => name);
  const meant = nearestName(unknown, names);
  const hint = meant === undefined ? "" : ` Did you mean '${meant}'?`;
  return (
    `There is no option '${unknown}'.${hint} \`orrery help ${asked.name}\` lists those of ` +
    `'${asked.name}'.`
  );
}

/** What the system says of directories and addresses that cannot be used. */
function isUsersCode(code: unknown): boolean {
  const known = ["EACCES", "EPERM", "EROFS", "ENOSPC", "ENOTDIR", "EISDIR", "EADDRNOTAVAIL"];
  return typeof code === "string" && known.includes(code);
}
