/**
 * The declarations that an application needs. The compiler writes one for each file of `src`, and
 * an application sees three of them and what these lead to: one in twenty-five.
 */
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/** Removes from `folder` every declaration that none of `entries` leads to, and empty folders. */
/** @type {(folder: string, entries: readonly string[]) => void} */
export function keepReachableTypes(folder, entries) {
  /** @type {Set<string>} */
  const reached = new Set();
  for (const entry of entries) reach(join(folder, entry), reached);
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const path of paths) {
    const file = join(path.parentPath, path.name);
    if (path.isFile() && !reached.has(file)) rmSync(file);
  }
  // Longer paths first, so that a folder whose folders are gone is empty when its turn comes.
  const folders = paths.filter((path) => path.isDirectory());
  const names = folders.map((path) => join(path.parentPath, path.name));
  for (const name of names.sort((one, other) => other.length - one.length)) {
    if (readdirSync(name).length === 0) rmdirSync(name);
  }
}

/** @type {(file: string, reached: Set<string>) => void} */
function reach(file, reached) {
  if (reached.has(file)) return;
  reached.add(file);
  const text = readFileSync(file, "utf8");
  for (const [, path = ""] of text.matchAll(/(?:from|import\() ?"(\.{1,2}\/[^"]+)"/g)) {
    const next = join(dirname(file), path.replace(/\.[jt]s$/, ".d.ts"));
    if (!existsSync(next)) throw new Error(`${file} leads to ${path}, which is not there`);
    reach(next, reached);
  }
}
