/**
 * The words of a fault without the names of files: those are the owner's business and in the log. A
 * client has no use for them, and should not learn how a machine is laid out.
 */

const INSTEAD = "a file of the server";

/** What the system says names files in quotes; ours name them as they are, and without blanks. */
const QUOTED_PATH = /(['"`])(?:(?!\1).)*[/\\](?:(?!\1).)*\1/g;
const BARE_PATH = /(?<![\w/\\])(?:[A-Za-z]:[/\\]|\.{0,2}[/\\])[^\s'"`,;()]*[^\s'"`,;().:]/g;

export function withoutPaths(message: string): string {
  return message.replace(QUOTED_PATH, INSTEAD).replace(BARE_PATH, INSTEAD);
}
