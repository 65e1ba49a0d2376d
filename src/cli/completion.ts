/**
 * `orrery completion`: prints a script by which a shell completes commands and options. It is made
 * of the table of commands and of their texts of help, so it knows what this version knows.
 */
import { parseArgs } from "node:util";
import { BadOption } from "../server/surroundings/options.ts";
import type { CommandEntry, CommandFamily } from "./commandTable.ts";
import { bashScript, fishScript, type KnownCommand, zshScript } from "./completion/scripts.ts";
import type { Environment } from "./connect/serverOptions.ts";
import { helpOptions } from "./terminal/helpOptions.ts";

export const COMPLETION_HELP: string = `usage: orrery completion bash|zsh|fish

Prints what lets a shell complete the commands and options of orrery.

  bash   eval "$(orrery completion bash)"                        in ~/.bashrc
  zsh    eval "$(orrery completion zsh)"                         in ~/.zshrc, after compinit
  fish   orrery completion fish > ~/.config/fish/completions/orrery.fish

  --help                   this text
`;

const SCRIPTS: Readonly<Record<string, (commands: readonly KnownCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export async function runCompletion(
  args: string[],
  _environment: Environment,
  table: readonly (CommandEntry | CommandFamily)[],
): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { help: { type: "boolean", short: "h" } },
  });
  if (values.help === true) {
    process.stdout.write(COMPLETION_HELP);
    return;
  }
  const [shell, extra] = positionals;
  if (extra !== undefined) throw new BadOption(`'${extra}' is one word too many.`);
  const script = shell !== undefined && Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined) {
    throw new BadOption(`Name a shell: \`orrery completion ${Object.keys(SCRIPTS).join("|")}\`.`);
  }
  process.stdout.write(script(await knownCommands(table)));
}

/** All of the table, with the options that each takes. */
async function knownCommands(
  table: readonly (CommandEntry | CommandFamily)[],
): Promise<readonly KnownCommand[]> {
  const known = table.map(async (entry): Promise<readonly KnownCommand[]> => {
    if (entry.kind === "command") return [await knownOf("", entry)];
    const { name, about, commands } = entry;
    const inside = await Promise.all(commands.map((command) => knownOf(`${name} `, command)));
    const words = commands.map((command) => command.name);
    return [{ name, about, words, options: [] }, ...inside];
  });
  const all = (await Promise.all(known)).flat();
  const names = table.map(({ name }) => name);
  const help = { name: "help", about: "explain a command", words: names, options: [] };
  const version = { name: "version", about: "print the version", words: [], options: [] };
  return [...all, help, version];
}

async function knownOf(family: string, command: CommandEntry): Promise<KnownCommand> {
  const { help } = await command.load();
  const { name, about, words } = command;
  return { name: `${family}${name}`, about, words, options: helpOptions(help) };
}
