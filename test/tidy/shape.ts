/** How large files, functions and folders may be, and what they may be called. */
import { type Files, folderOf, isTest, productionOf, sourcesOf } from "./sources.ts";

const LINES_MAX = 380;
const TEST_LINES_MAX = 600;
const COLUMNS_MAX = 100;
const FUNCTION_LINES_MAX = 60;
/** Tests not counted. A room with more has two subjects. */
const FOLDER_FILES_MAX = 30;

/** In file names, as words: places to put anything. */
const NAMES_BANNED =
  /^(managers?|helpers?|utils?|misc|impl|common|shared|lib|core|service|handler)$/i;

export function complaintsAboutShape(files: Files): string[] {
  return [...sourcesOf(files)].flatMap(([path, text]) => complaintsAboutFile(path, text));
}

function complaintsAboutFile(path: string, text: string): string[] {
  const found: string[] = [];
  const lines = text.split("\n");
  const linesMax = isTest(path) ? TEST_LINES_MAX : LINES_MAX;
  // Import lines are many or few by where a file lies, not by what is in it.
  const importLines =
    text
      .match(/^import [^;]*;\n/gm)
      ?.join("")
      .split("\n").length ?? 1;
  const lineCount = lines.length - importLines;
  if (lineCount > linesMax) found.push(`${path} has ${lineCount} lines, over ${linesMax}`);
  lines.forEach((line, index) => {
    // The name of a test, or data in one, may run on: broken in two it would be harder to read.
    const measured = isTest(path) ? line.replace(/"[^"]*"|'[^']*'|`[^`]*`/g, "") : line;
    if (measured.length > COLUMNS_MAX) {
      found.push(`${path}:${index + 1} over ${COLUMNS_MAX} columns`);
    }
  });
  const isOpened = text.replace(/^#!.*\n/, "").startsWith("/**");
  if (!isOpened) found.push(`${path}:1 does not open with a comment that says what it is`);
  const names = path.split("/").flatMap((part) => part.split(/\.|(?=[A-Z])/));
  const banned = names.find((name) => NAMES_BANNED.test(name));
  if (banned !== undefined) found.push(`${path} "${banned}" says nothing about what is in it`);
  return found;
}

export function complaintsAboutFolders(files: Files): string[] {
  const counts = new Map<string, number>();
  for (const path of productionOf(files).keys()) {
    const folder = folderOf(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > FOLDER_FILES_MAX)
    .map(([folder, count]) => `${folder} has ${count} files, over ${FOLDER_FILES_MAX}`);
}

const FUNCTION = /^( *)(?:export )?(?:async )?function\*? (\w+)/;
const METHOD = /^( {2})(?:(?:static|async|get|set|override|private) )*\*?(#?\w+)(?:<[^>]*>)?\(/;

/** `long`: "path function" → why it reads better in one piece. */
export function complaintsAboutFunctions(
  files: Files,
  long: Readonly<Record<string, string>>,
): string[] {
  const found: string[] = [];
  const used = new Set<string>();
  for (const [path, text] of productionOf(files)) {
    for (const { name, line, lineCount } of functionsIn(text)) {
      if (lineCount <= FUNCTION_LINES_MAX) continue;
      const entry = `${path} ${name}`;
      used.add(entry);
      if (long[entry] !== undefined) continue;
      found.push(`${path}:${line} ${name} has ${lineCount} lines, over ${FUNCTION_LINES_MAX}`);
    }
  }
  const idle = Object.keys(long).filter((entry) => !used.has(entry));
  return [...found, ...idle.map((entry) => `${entry} is not long any more`)];
}

function functionsIn(
  text: string,
): readonly { readonly name: string; readonly line: number; readonly lineCount: number }[] {
  const lines = text.split("\n");
  return lines.flatMap((line, start) => {
    const match = FUNCTION.exec(line) ?? METHOD.exec(line);
    const name = match?.[2];
    if (name === undefined || /^(if|for|while|switch|catch|return)$/.test(name)) return [];
    const indent = match![1]!;
    if (!hasBody(lines, start, indent)) return [];
    const end = lines.findIndex((other, index) => index > start && other.startsWith(`${indent}}`));
    return end < 0 ? [] : [{ name, line: start + 1, lineCount: end - start + 1 }];
  });
}

/** Calls, and functions that are only declared, look the same as far as their first line goes. */
function hasBody(lines: readonly string[], start: number, indent: string): boolean {
  if (/\).* \{$/.test(lines[start]!)) return true;
  if (!lines[start]!.endsWith("(")) return false;
  const close = lines.findIndex((line, index) => index > start && line.startsWith(`${indent})`));
  return close > start && lines[close]!.endsWith("{");
}
