/**
 * The options of a command, read from its text of help: each has a line of its own there that
 * begins with two spaces and the option. So what is offered to somebody who mistyped one, and what
 * a shell completes, is what the help says.
 */

export interface HelpOption {
  /** With its dashes. */
  readonly name: string;
  /** A single letter, with its dash. */
  readonly short: string | undefined;
  /** Such as `file` of `--out <file>`; undefined for one that takes no value. */
  readonly value: string | undefined;
  /** The first line of what it means. */
  readonly about: string;
}

const NAME = /^ {2}(?:(-\w), )?(--[a-z][a-z0-9-]*)(.*)$/;
/** Either what stands for any value, or the words that there are. */
const VALUE = /^[ =](<[^>]*>\S*|[a-z-]+(?:\|[a-z-]+)+)(?: +(.*))?$/;

export function helpOptions(help: string): readonly HelpOption[] {
  const found = new Map<string, HelpOption>();
  for (const line of help.split("\n")) {
    const [, short, name = "", rest = ""] = NAME.exec(line) ?? [];
    const [, value, about] = VALUE.exec(rest) ?? [];
    const isLine = value !== undefined || /^( {2}|$)/.test(rest);
    if (name === "" || !isLine || found.has(name)) continue;
    const told = value?.replace(/^<([^>]*)>.*$/, "$1");
    const words = value === undefined ? rest.trim() : (about ?? "");
    found.set(name, { name, short, value: told, about: words });
  }
  return [...found.values()];
}
