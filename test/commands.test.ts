/**
 * The commands that people type: the scripts of package.json, `npm run bench <name>` and `npm run
 * campaign <name>`. Every command that a document or a comment mentions exists, every campaign
 * finds its tests and the variables it sets, and the contributor's table lists all of them.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** As `scripts/runByName.mjs` describes it. */
interface Run {
  readonly about: string;
  readonly takes: string;
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly isOfSources?: boolean;
}

type Runs = Readonly<Record<string, Run>>;

const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const campaigns = exportOf("scripts/campaigns.mjs", "CAMPAIGNS");
const benches = exportOf("bench/benches.mjs", "BENCHES");

test("package.json has the handful of scripts that people type", () => {
  const typed = ["build", "start", "orrery", "test", "check", "lint", "format", "page"];
  expect(Object.keys(scripts).toSorted()).toEqual(
    [...typed, "prepack", "bench", "campaign", "example", "image", "test:changed"].toSorted(),
  );
});

test("whoever names no run, or one that does not exist, gets the list", () => {
  for (const [file, runs] of [
    ["scripts/campaign.mjs", campaigns],
    ["bench/main.mjs", benches],
  ] as const) {
    const asked = node([file]);
    expect(asked.status).toBe(0);
    for (const [name, { about, takes }] of Object.entries(runs)) {
      expect(asked.stdout).toMatch(new RegExp(`^ {2}${name} +${takes} +`, "m"));
      expect(asked.stdout).toContain(about);
    }
    for (const wrong of ["nonsense", "toString"]) {
      const { status, stderr } = node([file, wrong]);
      expect(status).toBe(2);
      expect(stderr).toContain(`There is no "${wrong}".`);
      expect(stderr).toContain(asked.stdout);
    }
  }
});

test("a run gets its options and its environment, and its exit code is the command's", () => {
  const folder = mkdtempSync(join(tmpdir(), "orrery-commands-"));
  try {
    const file = join(folder, "run.mjs");
    writeFileSync(
      file,
      `const { SET_BY_RUN, SET_BY_BOTH } = process.env;
       process.stdout.write(JSON.stringify([process.argv.slice(2), SET_BY_RUN, SET_BY_BOTH]));
       process.exitCode = 3;`,
    );
    const run: Run = {
      about: "says what it was given",
      takes: "no time",
      command: [file, "first"],
      environment: { SET_BY_RUN: "run", SET_BY_BOTH: "run" },
      isOfSources: true,
    };
    const text = `
      import { runByName } from "./scripts/runByName.mjs";
      const args = ["one", "-t", "a b"];
      const runs = { one: ${JSON.stringify(run)} };
      process.exitCode = await runByName({ usage: "", runs, args });`;
    const { status, stdout } = node(["--input-type=module", "-e", text], { SET_BY_BOTH: "caller" });
    expect(JSON.parse(stdout)).toEqual([["first", "-t", "a b"], "run", "caller"]);
    expect(status).toBe(3);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

describe("a campaign", () => {
  const tests = ["src", "test"].flatMap(filesUnder).filter((path) => path.endsWith(".test.ts"));

  test.each(Object.entries(campaigns))("%s finds its tests and its variables", (_name, run) => {
    const [file = "", ...args] = run.command;
    expect(existsSync(`${ROOT}${file}`)).toBe(true);
    if (!file.endsWith("vitest.mjs")) return;
    const filters = args.filter((arg) => arg !== "run" && !arg.startsWith("--"));
    const found = filters.map((filter) => tests.filter((path) => path.includes(filter)));
    expect(found.filter((paths) => paths.length === 0)).toEqual([]);
    const texts = found.flat().map((path) => readFileSync(`${ROOT}${path}`, "utf8"));
    const variables = Object.keys(run.environment ?? {}).filter((name) => /^ORRERY_/.test(name));
    const idle = variables.filter((name) => !texts.some((text) => text.includes(name)));
    expect(idle).toEqual([]);
  });

  test("has its row in CONTRIBUTING.md, with its time", () => {
    const text = readFileSync(`${ROOT}CONTRIBUTING.md`, "utf8");
    const rows = [...text.matchAll(/^\| `npm run campaign ([\w-]+)` +\| ([^|]+?) +\|/gm)];
    const listed = rows.map(([, name, takes]) => [name, takes]);
    const all = Object.entries(campaigns).map(([name, { takes }]) => [name, takes]);
    expect(listed.toSorted()).toEqual(all.toSorted());
  });
});

test("every benchmark is a file", () => {
  const missing = Object.values(benches).filter(({ command: [file] }) => !existsSync(ROOT + file));
  expect(missing).toEqual([]);
});

describe("mentions of `npm run`", () => {
  test("name scripts, campaigns and benchmarks that exist", () => {
    const pages = readdirSync(ROOT).filter((name) => name.endsWith(".md"));
    const folders = ["docs", "bench", "examples", "scripts", "src", "test", ".ci"].flatMap(
      filesUnder,
    );
    const found = [...pages, ...folders]
      // A history names commands as they were called then; this file has wrong ones on purpose.
      .filter((path) => path !== "CHANGELOG.md" && path !== "test/commands.test.ts")
      .filter((path) => /\.(md|ts|mjs)$|^\.ci\//.test(path))
      .flatMap((path) => wrongMentions(path, readFileSync(`${ROOT}${path}`, "utf8")));
    expect(found).toEqual([]);
  });

  test.each([
    ["a script that was renamed", "run `npm run bench:smoke`", "bench:smoke"],
    ["a campaign that does not exist", "`npm run campaign crashes`", "campaign crashes"],
    ["a benchmark that does not exist", "`npm run bench peer -- --smoke`", "bench peer"],
  ])("are looked at: %s", (_name, text, wrong) => {
    expect(wrongMentions("a.md", text)).toEqual([`a.md:1 there is no npm run ${wrong}`]);
  });

  test("may leave the name open", () => {
    expect(wrongMentions("a.md", "`npm run bench`, `npm run campaign <name>`, npm run x")).toEqual([
      "a.md:1 there is no npm run x",
    ]);
  });
});

function wrongMentions(path: string, text: string): string[] {
  return text.split("\n").flatMap((line, index) => {
    const mentions = [...line.matchAll(/\bnpm run (?:-s )?([\w:-]+)(?: ([a-z][\w-]*))?/g)];
    return mentions.flatMap(([, script = "", name]) => {
      const place = `${path}:${index + 1} there is no npm run ${script}`;
      if (!Object.hasOwn(scripts, script)) return [place];
      const runs = { bench: benches, campaign: campaigns }[script];
      const isWrong = runs !== undefined && name !== undefined && !Object.hasOwn(runs, name);
      return isWrong ? [`${place} ${name}`] : [];
    });
  });
}

/** The value of an export of a script, which no test can import: it is no TypeScript. */
function exportOf(path: string, name: string): Runs {
  const text = `import { ${name} } from "./${path}"; process.stdout.write(JSON.stringify(${name}));`;
  const { status, stdout, stderr } = node(["--input-type=module", "-e", text]);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Runs;
}

function node(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const env = { ...process.env, ...environment };
  return spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8", env });
}

function filesUnder(folder: string): string[] {
  return readdirSync(`${ROOT}${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory())
      return ["results", "dist"].includes(entry.name) ? [] : filesUnder(path);
    return entry.isFile() ? [path] : [];
  });
}
