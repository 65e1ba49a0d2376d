/**
 * The text of the project as the rules of this folder see it: files by their paths, and what a line
 * of code imports, exports or calls. The code is formatted by one program, so patterns over lines
 * find what a parser would.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, posix } from "node:path";
import { fileURLToPath } from "node:url";

/** Files by their paths from the root of the project. */
export type Files = ReadonlyMap<string, string>;

interface Import {
  /** As it is written: a path with its ending, or a package. */
  readonly target: string;
  /** From the root of the project; the same as `target` for a package. */
  readonly path: string;
  readonly names: readonly string[];
  readonly isType: boolean;
  readonly line: number;
}

interface Export {
  readonly kind: "type" | "value";
  readonly name: string;
  readonly line: number;
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** All texts of the project: code, documents, and what is run beside them. */
export function readProject(): Files {
  const paths = ["src", "test", "examples", "bench", "scripts", "docs", ".ci"].flatMap(filesUnder);
  const documents = readdirSync(ROOT).filter((name) => /\.(md|json|ts)$/.test(name));
  const read = (path: string): string => readFileSync(`${ROOT}${path}`, "utf8");
  return new Map([...paths, ...documents].map((path) => [path, read(path)]));
}

/** Folders of what a run has made. */
const MADE = /^(results.*|dist)$/;

function filesUnder(folder: string): string[] {
  const entries = readdirSync(`${ROOT}${folder}`, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !MADE.test(basename(entry.parentPath)))
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(ROOT.length).replaceAll("\\", "/"));
}

/** The TypeScript of the project. */
export function sourcesOf(files: Files): Files {
  return new Map([...files].filter(([path]) => /^(src|test|examples)\/.*\.tsx?$/.test(path)));
}

/** The TypeScript that is shipped. */
export function productionOf(files: Files): Files {
  return new Map([...sourcesOf(files)].filter(([path]) => !isTest(path)));
}

export function isFake(path: string): boolean {
  return path.endsWith(".fake.ts");
}

/** Tests and what stands in for something in tests. */
export function isTest(path: string): boolean {
  return path.endsWith(".test.ts") || isFake(path) || path.startsWith("test/");
}

export function folderOf(path: string): string {
  return posix.dirname(path);
}

const STATIC_IMPORT =
  /^(?:import|export)\s+(?<type>type\s+)?(?<names>\{[^}]*\}|\*(?: as \w+)?)\s+from\s+"(?<target>[^"]+)"/gm;
const BARE_IMPORT = /^import\s+"(?<target>[^"]+)"/gm;
const DYNAMIC_IMPORT =
  /(?:\{(?<names>[^{}]*)\}\s*=\s*await\s+)?\bimport\("(?<target>[^"]+)"\)(?:\)?\.(?<member>\w+))?/gm;

export function importsOf(path: string, text: string): readonly Import[] {
  const patterns = [STATIC_IMPORT, BARE_IMPORT, DYNAMIC_IMPORT];
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ groups, index }) => {
      const { target = "", names = "", member = "", type } = groups ?? {};
      const written = `${names},${member}`.replace(/[{}]/g, "").split(",");
      return {
        target,
        path: target.startsWith(".") ? posix.join(posix.dirname(path), target) : target,
        names: written.map(nameIn).filter((name) => name !== ""),
        isType: type !== undefined,
        line: lineAt(text, index),
      };
    }),
  );
}

/** `type A as B`, `a: b` and `a` all name what another file exports as the first of them. */
function nameIn(written: string): string {
  return written
    .trim()
    .replace(/^type\s+/, "")
    .split(/\s+as\s+|:/)[0]!
    .trim();
}

const EXPORT = /^export (?:abstract |async )?(interface|type|class|function\*?|const|let) (\w+)/gm;

export function exportsOf(text: string): readonly Export[] {
  return [...text.matchAll(EXPORT)].map((match) => ({
    kind: /interface|type|class/.test(match[1]!) ? "type" : "value",
    name: match[2]!,
    line: lineAt(text, match.index),
  }));
}

/** The lines without comments and without the insides of plain strings; as many as there were. */
export function codeOf(text: string): readonly string[] {
  const isComment = (line: string): boolean => /^\s*(\/\*|\*|\/\/)/.test(line);
  return text.split("\n").map((line) =>
    isComment(line)
      ? ""
      : line
          .replace(/"(?:[^"\\]|\\.)*"/g, '""')
          .replace(/ \/\/ .*$/, "")
          .trimEnd(),
  );
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
