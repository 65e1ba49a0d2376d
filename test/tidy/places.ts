/**
 * Where things are: nothing leans on what lies beside the checkout or on one machine, nothing lies
 * idle, and tests that wait are known as such.
 */
import { posix } from "node:path";
import { codeOf, type Files, importsOf, isTest, sourcesOf } from "./sources.ts";

/** Folders of a person or a machine: nobody else has them. */
const MACHINE_PATH = /(?<![\w.}])\/(home|root|Users|tmp|mnt|builds|work(space)?s?)\//;

export function complaintsAboutPaths(files: Files): string[] {
  const found: string[] = [];
  for (const [path, text] of files) {
    if (path.startsWith("test/tidy/")) continue; // These spell out what they forbid.
    text.split("\n").forEach((line, index) => {
      if (MACHINE_PATH.test(line)) found.push(`${path}:${index + 1} names a folder of one machine`);
      for (const [, climbing] of line.matchAll(/["'`(]((?:\.\.\/)+[^"'`)]*)/g)) {
        const target = posix.join(posix.dirname(path), climbing!);
        if (target.startsWith("..")) found.push(`${path}:${index + 1} leads out of the project`);
      }
    });
  }
  return found;
}

/** Files that neither an entry point nor a test reaches. */
export function complaintsAboutDeadFiles(files: Files, entryPoints: readonly string[]): string[] {
  const sources = sourcesOf(files);
  const reached = new Set<string>();
  const visit = (path: string): void => {
    const text = sources.get(path);
    if (text === undefined || reached.has(path)) return;
    reached.add(path);
    for (const { path: target } of importsOf(path, text)) visit(target);
  };
  const isStarted = (path: string): boolean => isTest(path) && !path.endsWith(".fake.ts");
  for (const path of [...entryPoints, ...[...sources.keys()].filter(isStarted)]) visit(path);
  const dead = [...sources.keys()].filter((path) => !reached.has(path));
  return dead.map((path) => `${path} is reached by no entry point and no test`);
}

/** Tests that wait on a real clock and are not listed, and those that are listed and do not. */
export function complaintsAboutWaiting(files: Files, realTime: readonly string[]): string[] {
  const waiting = [...sourcesOf(files)]
    .filter(([path]) => path.endsWith(".test.ts"))
    .filter(([path, text]) => isWaiting(path, text))
    .map(([path]) => path);
  return [
    ...waiting
      .filter((path) => !realTime.includes(path))
      .map((path) => `${path} waits: list it in test/realTime.ts, or pass it a simulated clock`),
    ...realTime
      .filter((path) => !waiting.includes(path))
      .map((path) => `${path} does not wait: take it off test/realTime.ts`),
  ];
}

function isWaiting(path: string, text: string): boolean {
  const isImported = importsOf(path, text).some(({ target }) => target === "node:timers/promises");
  return isImported || codeOf(text).some((line) => /\bsetTimeout\(/.test(line));
}
