/**
 * The rules about the code itself that no compiler checks. Every file is read once and all
 * complaints are reported together, each with its place and what to do instead.
 *
 * To change the architecture, change `MAY_IMPORT` in the same commit, and docs/architecture.md
 * with it; a new arrow needs a decision in docs/decisions first. An exception carries its reason,
 * and one that is no longer needed is itself a complaint.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** Folder of `src` → the folders it may import, besides itself and `base`. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  json: [],
  store: [],
  script: ["json"],
  text: [],
  model: ["json"],
  partition: ["json", "model"],
  geo: ["json"],
  itemFile: ["json"],
  keys: [],
  index: ["json", "model", "geo", "text"],
  throughput: ["model"],
  statistics: ["json", "model", "partition"],
  alerts: ["json", "model", "statistics"],
  query: ["json", "model", "partition", "index", "geo", "text"],
  recording: ["json", "model", "query"],
  lab: [
    "json",
    "itemFile",
    "model",
    "keys",
    "partition",
    "index",
    "throughput",
    "statistics",
    "query",
    "recording",
  ],
  engine: [
    "json",
    "model",
    "store",
    "script",
    "text",
    "partition",
    "index",
    "throughput",
    "statistics",
    "query",
  ],
  protocol: ["json", "model", "partition", "statistics"],
  server: [
    "json",
    "model",
    "store",
    "script",
    "partition",
    "throughput",
    "statistics",
    "alerts",
    "query",
    "recording",
    "engine",
    "protocol",
  ],
  cli: [
    "json",
    "itemFile",
    "model",
    "store",
    "keys",
    "partition",
    "statistics",
    "recording",
    "lab",
    "protocol",
    "server",
  ],
  // The embedding API, `src/index.ts`.
  "index.ts": ["server"],
  // What applications use beside the official client, `src/keys.ts`.
  "keys.ts": ["keys"],
};

/** Tests beside the code keep to the same law, but may run on real time. */
const TESTS_MAY_IMPORT = "src/server/realWorld.ts";

/** Package → where it may be imported. Whatever is not listed here is not imported at all. */
const MAY_USE: Readonly<Record<string, (path: string) => boolean>> = {
  // A child process runs a source file by itself: it is bundled on the spot.
  esbuild: (path) => ["test/twoServers/rival.ts", "test/powerCuts/courtroom.ts"].includes(path),
  "fs-native-extensions": (path) => path === "src/server/directory/kernelLock.ts",
  lmdb: (path) => path.startsWith("src/store/lmdb/"),
  "quickjs-emscripten-core": (path) => path.startsWith("src/script/"),
  "@jitl/quickjs-wasmfile-release-sync": (path) => path.startsWith("src/script/"),
  "snowball-stemmers": (path) => path.startsWith("src/text/"),
  yaml: (path) => path.startsWith("src/lab/workload/"),
  vitest: isTest,
  "fast-check": isTest,
  // Demos load it when they are run; nobody has to have it.
  "@azure/cosmos": (path) =>
    isTest(path) || ["src/cli/demo/", "src/cli/lab/"].some((folder) => path.startsWith(folder)),
};

/** All that computing folders may take from node; disks, sockets and threads are for `DOERS`. */
const PURE_MODULES: readonly string[] = ["node:buffer", "node:crypto"];
const DOERS: readonly string[] = ["store", "script", "server", "cli", "index.ts"];

/** What is started rather than imported. Tests are, too. */
const ENTRY_POINTS: readonly string[] = [
  "src/index.ts",
  "src/keys.ts",
  "src/cli/main.ts",
  "src/store/lmdb/absorber.ts",
  "src/script/scriptThread.ts",
];

type Exceptions = Readonly<Record<string, string>>;

interface Ban {
  readonly pattern: RegExp;
  readonly instead: string;
  /** Tests may read clocks and draw numbers; they may not print or give up on types. */
  readonly inTests: boolean;
  /** File, or folder with a slash at its end → why. */
  readonly except?: Exceptions;
}

const REAL_WORLD = { "src/server/realWorld.ts": "the one place that makes the real ones" };

/** Looked for in code, not in comments. */
const BANS: readonly Ban[] = [
  {
    pattern: /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bhrtime\b/,
    instead: "a Clock passed in",
    inTests: false,
    except: {
      ...REAL_WORLD,
      "src/script/scriptThread.ts": "a clock cannot be passed to a thread; scripts have deadlines",
    },
  },
  {
    pattern: /\bMath\.random\b|(?<!\.)\brandom(Bytes|Int|UUID)\(/,
    instead: "a Random passed in",
    inTests: false,
    except: {
      ...REAL_WORLD,
      "src/server/activityId.ts": "activity ids must differ; nothing depends on their value",
      "src/server/tls/keptFile.ts": "names of temporary files, likewise",
    },
  },
  {
    pattern: /\bset(Timeout|Interval|Immediate)\b|\bqueueMicrotask\b|\bnextTick\b/,
    instead: "a Timer passed in",
    inTests: false,
    except: REAL_WORLD,
  },
  {
    pattern: /\bprocess\.env\b/,
    instead: "an option passed in",
    inTests: false,
    except: {
      "src/cli/start.ts": "hands the environment to the options, whole",
      "src/cli/query.ts": "likewise",
      "src/cli/main.ts": "hands the environment to the commands, whole",
    },
  },
  {
    pattern: /\bprocess\.(?!env\b)/,
    instead: "a value passed in",
    inTests: false,
    except: {
      "src/cli/": "the command is the process",
      "src/server/": "logs to standard error and names its process in the lock",
      "src/store/disk.ts": "how a write is made durable depends on the platform",
      "src/store/lmdb/tablesFolder.ts": "likewise",
    },
  },
  {
    pattern: /\bconsole\.\w/,
    instead: "a Log passed in, or nothing",
    inTests: true,
  },
  {
    pattern: /\bas any\b|: any\b|<any\b|\bany\[\]|@ts-(ignore|nocheck)\b/,
    instead: "unknown, and a parse function",
    inTests: true,
  },
  {
    pattern: /\b\w*(Manager|Helper|Utils?|Misc|Impl)\b|\b(manager|helper|utils?|misc|impl)\b/,
    instead: "a word of docs/glossary.md",
    inTests: true,
  },
  {
    pattern: /^export default\b/,
    instead: "a named export",
    inTests: true,
  },
  {
    pattern: /^export (type )?(\*|\{[^}]*\}) from\b/,
    instead: "an import of the file that owns the name",
    inTests: true,
    except: {
      "src/index.ts": "the embedding API is a list of what others own",
      "src/keys.ts": "likewise",
    },
  },
];

/** In file names, as words: places to put anything. */
const NAMES_BANNED =
  /^(managers?|helpers?|utils?|misc|impl|common|shared|lib|core|service|handler)$/i;

/** Folders of a person or a machine: nobody else has them. */
const MACHINE_PATH = /(?<![\w.}])\/(home|root|Users|tmp|mnt|builds|work(space)?s?)\//;

const LINES_MAX = 380;
const TEST_LINES_MAX = 600;
const COLUMNS_MAX = 100;

const ROOT = fileURLToPath(new URL("..", import.meta.url));

test("tidy", () => {
  const files = ["src", "test", "bench", "scripts", "docs", ".ci"].flatMap(filesUnder);
  const sources = files.filter((path) => /^(src|test)\/.*\.ts$/.test(path));
  const texts = new Map(sources.map((path) => [path, read(path)]));
  const used = new Set<string>();
  const found = [...texts].flatMap(([path, text]) => [
    ...complaintsAboutShape(path, text),
    ...complaintsAboutCalls(path, text, used),
    ...complaintsAboutImports(path, text),
  ]);
  const documents = readdirSync(ROOT).filter((name) => /\.(md|json|ts)$/.test(name));
  for (const path of [...files, ...documents]) {
    found.push(...complaintsAboutPaths(path, texts.get(path) ?? read(path)));
  }
  expect([...found, ...deadFiles(texts), ...idleExceptions(used)]).toEqual([]);
});

function complaintsAboutShape(path: string, text: string): string[] {
  const found: string[] = [];
  const lines = text.split("\n");
  const linesMax = isTest(path) ? TEST_LINES_MAX : LINES_MAX;
  // Import lines are long or short by where a file lies, not by what is in it.
  const importLines =
    text
      .match(/^import [^;]*;\n/gm)
      ?.join("")
      .split("\n").length ?? 1;
  const lineCount = lines.length - (importLines - 1);
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

function complaintsAboutCalls(path: string, text: string, used: Set<string>): string[] {
  if (path === "test/tidy.test.ts") return []; // It spells out what it forbids.
  const found: string[] = [];
  codeOf(text).forEach((line, index) => {
    for (const ban of BANS) {
      if (!ban.pattern.test(line) || (isTest(path) && !ban.inTests)) continue;
      const exception = Object.keys(ban.except ?? {}).find((prefix) => path.startsWith(prefix));
      if (exception === undefined) found.push(`${path}:${index + 1} use ${ban.instead}`);
      else used.add(`${ban.instead}: ${exception}`);
    }
  });
  return found;
}

function complaintsAboutImports(path: string, text: string): string[] {
  const found: string[] = [];
  const [top, folder] = path.split("/") as [string, string];
  for (const { target, line } of importsOf(text)) {
    const complain = (what: string): void => {
      found.push(`${path}:${line} ${what}`);
    };
    if (target.startsWith("node:")) {
      const mayDo = top !== "src" || isTest(path) || DOERS.includes(folder);
      if (!mayDo && !PURE_MODULES.includes(target)) complain(`${folder} may not use ${target}`);
    } else if (!target.startsWith(".")) {
      if (MAY_USE[target]?.(path) !== true) complain(`may not import the package ${target}`);
    } else if (!target.endsWith(".ts")) {
      complain(`"${target}" does not name a file with its ending`);
    } else if (top === "src") {
      const imported = posix.join(posix.dirname(path), target);
      const importedFolder = imported.split("/")[1]!;
      const allowed = [folder, "base", ...(MAY_IMPORT[folder] ?? [])];
      if (MAY_IMPORT[folder] === undefined) complain(`the folder ${folder} has no law`);
      if (imported.startsWith("src/") && allowed.includes(importedFolder)) continue;
      if (isTest(path) && imported === TESTS_MAY_IMPORT) continue;
      complain(`${folder} may not import ${importedFolder}`);
    }
  }
  return found;
}

/** Nothing may lean on what lies beside the checkout, or on one machine. */
function complaintsAboutPaths(path: string, text: string): string[] {
  const found: string[] = [];
  text.split("\n").forEach((line, index) => {
    if (MACHINE_PATH.test(line)) found.push(`${path}:${index + 1} names a folder of one machine`);
    for (const [, climbing] of line.matchAll(/["'`(]((?:\.\.\/)+[^"'`)]*)/g)) {
      const target = posix.join(posix.dirname(path), climbing!);
      if (target.startsWith("..")) found.push(`${path}:${index + 1} leads out of the project`);
    }
  });
  return found;
}

/** Files that neither an entry point nor a test reaches. */
function deadFiles(texts: ReadonlyMap<string, string>): string[] {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    const text = texts.get(path);
    if (text === undefined || reached.has(path)) return;
    reached.add(path);
    for (const { target } of importsOf(text)) visit(posix.join(posix.dirname(path), target));
  };
  for (const path of [...ENTRY_POINTS, ...[...texts.keys()].filter(isTest)]) visit(path);
  const dead = [...texts.keys()].filter((path) => !reached.has(path));
  return dead.map((path) => `${path} is reached by no entry point and no test`);
}

function idleExceptions(used: ReadonlySet<string>): string[] {
  const listed = BANS.flatMap(({ instead, except }) =>
    Object.keys(except ?? {}).map((path) => `${instead}: ${path}`),
  );
  const idle = listed.filter((entry) => !used.has(entry));
  return idle.map((entry) => `test/tidy.test.ts has an exception nobody needs (${entry})`);
}

function importsOf(text: string): { readonly target: string; readonly line: number }[] {
  const found = text.matchAll(
    /^(?:import|export|\})[^"\n]* from "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm,
  );
  return [...found].map((match) => ({
    target: match[1] ?? match[2] ?? match[3]!,
    line: text.slice(0, match.index).split("\n").length,
  }));
}

/** The lines without comments and without the insides of plain strings; as many as there were. */
function codeOf(text: string): string[] {
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

function isTest(path: string): boolean {
  return /\.(test|fake)\.ts$/.test(path) || path.startsWith("test/");
}

/** Files below a folder of the project, by paths from its root. */
function filesUnder(folder: string): string[] {
  const entries = readdirSync(`${ROOT}${folder}`, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !basename(entry.parentPath).startsWith("results"))
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(ROOT.length).replaceAll("\\", "/"));
}

function read(path: string): string {
  return readFileSync(`${ROOT}${path}`, "utf8");
}
