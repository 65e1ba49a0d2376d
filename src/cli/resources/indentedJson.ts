/** JSON for people: the text that came, laid out over lines, every number as it was written. */

/** Strings are taken whole; all else by single characters. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g;

/** `text` is JSON; the last line is ended. */
export function indentedJson(text: string): string {
  let out = "";
  let depth = 0;
  let last = "";
  const line = (): string => `\n${"  ".repeat(depth)}`;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "}" || token === "]") {
      depth--;
      out += last === "{" || last === "[" ? token : line() + token;
    } else {
      const opens = last === "{" || last === "[" || last === ",";
      if (opens && last !== "") out += line();
      out += token === ":" ? ": " : token;
      if (token === "{" || token === "[") depth++;
    }
    last = token;
  }
  return `${out}\n`;
}
