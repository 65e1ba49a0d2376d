/**
 * Words and calls that code may not have, because time, chance and the surroundings are passed in,
 * types are not given up, and names say what they mean. An exception carries its reason, and one
 * that is no longer needed is itself a complaint.
 */
import { codeOf, type Files, isTest, sourcesOf } from "./sources.ts";

type Exceptions = Readonly<Record<string, string>>;

interface Ban {
  readonly pattern: RegExp;
  readonly instead: string;
  /** Tests may read clocks and draw numbers; they may not print or give up on types. */
  readonly inTests: boolean;
  /** File, or folder with a slash at its end → why. */
  readonly except?: Exceptions;
}

const REAL_WORLD = {
  "src/server/surroundings/realWorld.ts": "the one place that makes the real ones",
};

const EXAMPLE = {
  "examples/feed-store/main.ts": "a command: it is the process, and hands out what it has",
};

const BROWSER_WORLD = {
  "src/page/session/browserWorld.ts": "the one place of the page that takes them from the browser",
};

/** Looked for in code, not in comments. */
export const BANS: readonly Ban[] = [
  {
    pattern: /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bhrtime\b/,
    instead: "a Clock passed in",
    inTests: false,
    except: {
      ...REAL_WORLD,
      ...EXAMPLE,
      ...BROWSER_WORLD,
      "src/script/scriptThread.ts": "a clock cannot be passed to a thread; scripts have deadlines",
    },
  },
  {
    pattern: /\bMath\.random\b|(?<!\.)\brandom(Bytes|Int|UUID)\(/,
    instead: "a Random passed in",
    inTests: false,
    except: {
      ...REAL_WORLD,
      "src/server/http/activityId.ts": "activity ids must differ; nothing depends on their value",
      "src/server/tls/keptFile.ts": "names of temporary files, likewise",
    },
  },
  {
    pattern: /\bset(Timeout|Interval|Immediate)\b|\bqueueMicrotask\b|\bnextTick\b/,
    instead: "a Timer passed in",
    inTests: false,
    except: { ...REAL_WORLD, ...EXAMPLE, ...BROWSER_WORLD },
  },
  {
    pattern: /\bprocess\.env\b/,
    instead: "an option passed in",
    inTests: false,
    except: {
      "src/cli/command.ts": "hands the environment to the commands, whole",
    },
  },
  {
    pattern: /\bprocess\.(?!env\b)/,
    instead: "a value passed in",
    inTests: false,
    except: {
      "src/cli/": "the command is the process",
      "src/server/": "logs to standard error and names its process in the lock",
      ...EXAMPLE,
      "src/store/disk.ts": "how a write is made durable depends on the platform",
      "examples/feed-store/archive/archiveFolder.ts": "likewise",
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
    instead: "a word of docs/inside/glossary.md",
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
      "src/router.ts": "orrery/router is a list of what src/router owns",
    },
  },
];

export function complaintsAboutCalls(files: Files, bans: readonly Ban[]): string[] {
  const found: string[] = [];
  const used = new Set<string>();
  for (const [path, text] of sourcesOf(files)) {
    if (path.startsWith("test/tidy/")) continue; // These spell out what they forbid.
    codeOf(text).forEach((line, index) => {
      for (const ban of bans) {
        if (!ban.pattern.test(line) || (isTest(path) && !ban.inTests)) continue;
        const exception = Object.keys(ban.except ?? {}).find((prefix) => path.startsWith(prefix));
        if (exception === undefined) found.push(`${path}:${index + 1} use ${ban.instead}`);
        else used.add(`${ban.instead}: ${exception}`);
      }
    });
  }
  const listed = bans.flatMap(({ instead, except }) =>
    Object.keys(except ?? {}).map((path) => `${instead}: ${path}`),
  );
  const idle = listed.filter((entry) => !used.has(entry));
  return [...found, ...idle.map((entry) => `there is an exception nobody needs (${entry})`)];
}

const HEADER_LITERAL = /["'`]x-(ms|orrery)-/;

/** Names of headers have one home, so that what is decoded is decoded in one place. */
export function complaintsAboutHeaders(files: Files): string[] {
  return [...sourcesOf(files)].flatMap(([path, text]) => {
    if (isTest(path) || path.startsWith("src/protocol/")) return [];
    return text.split("\n").flatMap((line, index) => {
      const isComment = /^\s*(\/\*|\*|\/\/)/.test(line);
      if (isComment || !HEADER_LITERAL.test(line)) return [];
      return [`${path}:${index + 1} names a header: names of headers are in src/protocol`];
    });
  });
}
