/** Who may import whom: rooms by the law of this folder, packages and node modules by theirs. */
import { ringsIn } from "./cycles.ts";
import type { Law } from "./law.ts";
import { type Files, folderOf, importsOf, isFake, isTest, sourcesOf } from "./sources.ts";

export interface ImportRules {
  readonly law: Law;
  /** Package → where it may be imported. Whatever is not listed here is not imported at all. */
  readonly packages: Readonly<Record<string, (path: string) => boolean>>;
  /** Folders of `src` that may use disks, sockets and threads. */
  readonly doers: readonly string[];
}

/** All that computing folders may take from node. */
const PURE_MODULES: readonly string[] = ["node:buffer", "node:crypto"];
/** Tests beside the code keep to the law, but may run on real time. */
const TESTS_MAY_IMPORT = "src/server/surroundings/realWorld.ts";

export function complaintsAboutImports(files: Files, rules: ImportRules): string[] {
  const found: string[] = [];
  for (const [path, text] of sourcesOf(files)) {
    for (const { target, path: imported, isType, line } of importsOf(path, text)) {
      const complaint = target.startsWith("node:")
        ? nodeComplaint(path, target, rules)
        : target.startsWith(".")
          ? fileComplaint(path, imported, isType, rules.law)
          : packageComplaint(path, target, rules);
      if (complaint !== undefined) found.push(`${path}:${line} ${complaint}`);
    }
  }
  return found;
}

function nodeComplaint(path: string, target: string, { doers }: ImportRules): string | undefined {
  const [top, folder] = path.split("/") as [string, string];
  if (top !== "src" || isTest(path) || doers.includes(folder)) return undefined;
  return PURE_MODULES.includes(target) ? undefined : `${folder} may not use ${target}`;
}

function packageComplaint(path: string, target: string, rules: ImportRules): string | undefined {
  const isAllowed = rules.packages[target]?.(path) === true;
  return isAllowed ? undefined : `may not import the package ${target}`;
}

function fileComplaint(
  path: string,
  imported: string,
  isType: boolean,
  law: Law,
): string | undefined {
  if (!/\.tsx?$/.test(imported)) return `"${imported}" does not name a file with its ending`;
  if (!path.startsWith("src/")) return undefined;
  if (isFake(imported) && !isTest(path)) return `may not import a stand-in for tests, ${imported}`;
  const [room, other] = [roomOf(path), roomOf(imported)];
  const row = law[room];
  if (row === undefined) return `the folder ${room} has no row in the law`;
  if (room === other || other === "base" || row.values.includes(other)) return undefined;
  if (isType && row.types?.includes(other) === true) return undefined;
  if (isTest(path) && (imported === TESTS_MAY_IMPORT || isNear(room, other, law))) {
    return undefined;
  }
  return `${room} may not import ${isType ? "types" : "values"} of ${other}`;
}

/** A folder of `src`, a folder in one of those, or a file that lies directly in `src`. */
function roomOf(path: string): string {
  const folders = folderOf(path).split("/").slice(1);
  return folders.length === 0 ? path.slice("src/".length) : folders.slice(0, 2).join("/");
}

/** A test sets up a stage: it may use whatever its neighbours in the same top folder may. */
function isNear(room: string, other: string, law: Law): boolean {
  const topOf = (each: string): string => each.split("/")[0]!;
  const neighbours = Object.keys(law).filter((each) => topOf(each) === topOf(room));
  return neighbours.some((each) => {
    const { values, types = [] } = law[each]!;
    return [each, ...values, ...types].some((known) => topOf(known) === topOf(other));
  });
}

/** The law itself: no ring of values, and no row, or entry of a row, that nobody needs. */
export function complaintsAboutLaw(files: Files, law: Law): string[] {
  const graph = new Map(Object.entries(law).map(([room, row]) => [room, row.values]));
  const rings = ringsIn(graph).map((ring) => `the law lets ${ring.join(", ")} import each other`);
  const used = new Set<string>();
  for (const [path, text] of sourcesOf(files)) {
    if (!path.startsWith("src/") || isTest(path)) continue;
    const room = roomOf(path);
    used.add(room);
    for (const { path: imported, isType } of importsOf(path, text)) {
      if (!imported.startsWith("src/")) continue;
      used.add(`${room} either ${roomOf(imported)}`);
      if (isType) used.add(`${room} types ${roomOf(imported)}`);
    }
  }
  const idle = Object.entries(law).flatMap(([room, { values, types = [] }]) => [
    ...(used.has(room) ? [] : [`${room} has a row in the law, and no file`]),
    ...values
      .filter((other) => !used.has(`${room} either ${other}`))
      .map((other) => `${room} may import ${other}, and does not`),
    ...types
      .filter((other) => !used.has(`${room} types ${other}`) || values.includes(other))
      .map((other) => `${room} may import types of ${other}, and need not`),
  ]);
  return [...rings, ...idle];
}
