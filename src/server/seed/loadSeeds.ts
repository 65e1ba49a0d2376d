/**
 * Finds what the option `init` names: a file, the files of a folder, or a value. Reads all of it
 * but the items, so that whatever is wrong is told before anything is opened.
 *
 * In a folder, every `.yaml` and `.yml` file is a seed, in the order of names, and so is
 * `init.json`: other files are what those name. Paths are from the folder of the file that has
 * them.
 */
import { accessSync, constants, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { JsonValue } from "../../json/value.ts";
import { readSeed, readSeedValue } from "../../seed/readSeed.ts";
import type { SeedContainer, SeedItems, SeedScript, ServerSeed } from "../../seed/seed.ts";
import { BadOption } from "../surroundings/options.ts";

/** Of many problems, so many are told. */
const PROBLEMS_MAX = 20;
const SEED_FILE = /\.ya?ml$/i;
const JSON_SEED = "init.json";

export function loadSeeds(init: string | object | undefined): readonly ServerSeed[] {
  if (init === undefined) return [];
  if (typeof init === "string") return filesOf(init).map(seedOfFile);
  const read = readSeedValue("init", init as JsonValue);
  if (!read.ok) throw problemsOf(read.error);
  return [withFiles(read.value, process.cwd())];
}

function filesOf(path: string): readonly string[] {
  if (path === "") throw new BadOption("init is no path; it names a file or a folder.");
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new BadOption(`init names ${path}, which does not exist.`);
  if (!stats.isDirectory()) return [path];
  const files = readdirSync(path)
    .filter((name) => SEED_FILE.test(name) || name === JSON_SEED)
    .toSorted();
  if (files.length > 0) return files.map((name) => join(path, name));
  throw new BadOption(
    `init names the folder ${path}, which has no seed: a .yaml file, or ${JSON_SEED}.`,
  );
}

function seedOfFile(file: string): ServerSeed {
  const text = textIn(file, "init names");
  const read = readSeed(file, text, /\.json$/i.test(file) ? "json" : "yaml");
  if (!read.ok) throw problemsOf(read.error);
  return withFiles(read.value, dirname(resolve(file)));
}

/** With code instead of paths of code, and paths that are whole. */
function withFiles(seed: ServerSeed, folder: string): ServerSeed {
  const problems: string[] = [];
  const attempt = <T>(read: () => T, instead: T): T => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof BadOption)) throw error;
      problems.push(error.message);
      return instead;
    }
  };
  const container = (one: SeedContainer): SeedContainer => ({
    ...one,
    scripts: one.scripts.map((script) => attempt(() => withCode(script, folder), script)),
    items: one.items.map((items) => attempt(() => withPath(items, folder), items)),
  });
  const databases = seed.databases.map((database) => ({
    ...database,
    containers: database.containers.map(container),
  }));
  if (problems.length > 0) throw problemsOf(problems);
  return { ...seed, databases };
}

function withCode(script: SeedScript, folder: string): SeedScript {
  if ("text" in script.code) return script;
  const path = resolve(folder, script.code.path);
  return { ...script, code: { text: textIn(path, `${script.place}:`) } };
}

function withPath(items: SeedItems, folder: string): SeedItems {
  if ("item" in items) return items;
  const path = resolve(folder, items.path);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new BadOption(`${items.place}: ${path} does not exist.`);
  if (stats.isDirectory()) throw new BadOption(`${items.place}: ${path} is a folder.`);
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new BadOption(`${items.place}: ${(error as Error).message}.`);
  }
  return { place: items.place, path };
}

function textIn(path: string, asking: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : String(error);
    const reason = code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
    throw new BadOption(`${asking} ${path} ${reason}.`);
  }
}

export function problemsOf(problems: readonly string[]): BadOption {
  const more = problems.length - PROBLEMS_MAX;
  const told = problems.slice(0, PROBLEMS_MAX).join("\n");
  return new BadOption(more > 0 ? `${told}\nand ${more} more` : told);
}
