/**
 * JSON as text, without reading its numbers: a number with more digits than the browser has is
 * shown, edited and exported as it came. The text must be JSON that the server has written.
 */

const STEP = "  ";

/** The same JSON, a member a line. */
export function indented(text: string): string {
  let made = "";
  let depth = 0;
  const line = (): string => `\n${STEP.repeat(depth)}`;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === '"') {
      const end = stringEnd(text, at);
      made += text.slice(at, end);
      at = end - 1;
    } else if (sign === "{" || sign === "[") {
      const next = /\S/.exec(text.slice(at + 1, at + 64))?.[0];
      if (next === "}" || next === "]") {
        made += sign + next;
        at = text.indexOf(next, at + 1);
      } else {
        depth++;
        made += sign + line();
      }
    } else if (sign === "}" || sign === "]") {
      depth--;
      made += line() + sign;
    } else if (sign === ",") made += sign + line();
    else if (sign === ":") made += ": ";
    else if (!/\s/.test(sign)) made += sign;
  }
  return made;
}

/** The texts of the members of the list that a member of the outermost object is. */
export function listTexts(text: string, name: string): readonly string[] {
  const start = memberStart(text, name);
  if (start === undefined || text[start] !== "[") return [];
  const found: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === '"') at = stringEnd(text, at) - 1;
    else if (sign === "{" || sign === "[") depth++;
    else if (sign === "}" || sign === "]") depth--;
    const isEnd = depth === 0;
    if (isEnd || (depth === 1 && text[at] === ",")) {
      const member = text.slice(from, at).trim();
      if (member !== "") found.push(member);
      from = at + 1;
    }
    if (isEnd) break;
  }
  return found;
}

function memberStart(text: string, name: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === "{" || sign === "[") depth++;
    else if (sign === "}" || sign === "]") depth--;
    else if (sign === '"') {
      const end = stringEnd(text, at);
      const isName = depth === 1 && text.slice(at, end) === JSON.stringify(name);
      const after = /^\s*:\s*/.exec(text.slice(end, end + 64));
      if (isName && after !== null) return end + after[0].length;
      at = end - 1;
    }
  }
  return undefined;
}

/** The place after the closing quote. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
