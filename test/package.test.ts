/**
 * What a user gets from the package: packed, installed into an empty folder and run from there.
 *
 * Packing runs no scripts: the build is the one that `npm test` made, and rebuilding it would take
 * `dist` away from under the tests beside this one.
 */
import type { ChildProcessByStdio } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Bells, not walls: whoever passes one looks at what is shipped first. See CONTRIBUTING.md. */
const PACKED_BYTES_MAX = 2_500_000;
const FILE_COUNT_MAX = 500;
/** The lowest version of Node that everything has to take. */
const NODE_MIN = [20, 19] as const;
const TIMEOUT_MS = 120_000;

/** Everything the package may hold, and what it cannot do without. */
const ALLOWED: readonly RegExp[] = [
  /^dist\/.+\.(js|d\.ts)$/,
  /^dist\/page\/.+\.(html|js|css|svg|json)(\.gz)?$/,
  /^dist\/orrery\.config\.schema\.json$/,
  /^(docs|examples)\/.+\.(md|png|svg)$/,
  /^examples\/(feed-store|containers)\/.+$/,
  /^bench\/README\.md$/,
  /^((README|CHANGELOG|CONTRIBUTING)\.md|LICENSE|package\.json)$/,
];
const REQUIRED: readonly string[] = [
  "LICENSE",
  "README.md",
  "package.json",
  "dist/absorber.js",
  "dist/cli.js",
  "dist/index.js",
  "dist/keys.js",
  "dist/router.js",
  "dist/page/files.json",
  "dist/page/index.html",
  "dist/types/index.d.ts",
  "dist/types/keys.d.ts",
  "dist/types/router.d.ts",
  "docs/README.md",
];
/** Scripts that a package manager runs for whoever installs a package. */
const RUN_AT_INSTALL = ["preinstall", "install", "postinstall", "prepublish", "prepare"];

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

interface Ready {
  readonly endpoint: string;
  readonly key: string;
  readonly pid: number;
}

let folder = "";
let app = "";
let packed: Packed = { filename: "", files: [] };
/** What npm said while it installed the package. */
let installed = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "orrery-package-"));
  app = join(folder, "app");
  mkdirSync(app);
  writeFileSync(join(app, "package.json"), '{ "private": true, "type": "module" }\n');
  const options = ["--ignore-scripts", "--json", "--pack-destination", folder];
  [packed] = JSON.parse(run(ROOT, "npm", "pack", ...options)) as [Packed];
  const tarball = join(folder, packed.filename);
  const quietly = ["--no-audit", "--no-fund", "--prefer-offline"];
  installed = runForAll(app, "npm", "install", ...quietly, tarball).stderr;
}, TIMEOUT_MS);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the package holds the build and its papers, and nothing else", () => {
  const paths = packed.files.map(({ path }) => path);
  const isAllowed = (path: string): boolean => ALLOWED.some((pattern) => pattern.test(path));
  expect(paths.filter((path) => !isAllowed(path) || path.includes(".test."))).toEqual([]);
  expect(REQUIRED.filter((path) => !paths.includes(path))).toEqual([]);
});

test("the package is small, and as small as CONTRIBUTING.md says", () => {
  expect(statSync(join(folder, packed.filename)).size).toBeLessThan(PACKED_BYTES_MAX);
  expect(packed.files.length).toBeLessThan(FILE_COUNT_MAX);
  const said = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
  expect(said).toContain(`below ${PACKED_BYTES_MAX / 1e6} MB and ${FILE_COUNT_MAX} files`);
});

test("what its pages link to is in the package", () => {
  const root = join(app, "node_modules", "orrery");
  const pages = packed.files.map(({ path }) => path).filter((path) => path.endsWith(".md"));
  const broken = pages.flatMap((page) => {
    const prose = readFileSync(join(root, page), "utf8").replaceAll(/^```.*?^```$/gms, "");
    const links = [...prose.matchAll(/\]\(<?([^)\s>#]+)/g)].map(([, target = ""]) => target);
    const own = links.filter((target) => !/^[a-z]+:/.test(target));
    return own
      .filter((target) => !existsSync(join(root, dirname(page), target)))
      .map((target) => `${page}: ${target}`);
  });
  expect(broken).toEqual([]);
  expect(pages.length).toBeGreaterThan(40);
});

test("installing it runs nothing, and npm finds nothing unfit or abandoned in it", () => {
  const text = readFileSync(join(app, "node_modules", "orrery", "package.json"), "utf8");
  const { scripts = {} } = JSON.parse(text) as { readonly scripts?: Record<string, string> };
  expect(Object.keys(scripts).filter((name) => RUN_AT_INSTALL.includes(name))).toEqual([]);
  expect(installed).not.toMatch(/EBADENGINE|EBADPLATFORM|deprecated|npm error/);
});

test("everything that is installed, for developing too, takes the lowest Node there is to be", () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    readonly packages: Record<string, { readonly engines?: { readonly node?: string } }>;
  };
  const wanted = Object.entries(packages).map(
    ([path, { engines }]) => `${path || "orrery"} wants node ${engines?.node ?? "*"}`,
  );
  expect(wanted.length).toBeGreaterThan(100);
  expect(wanted.filter((words) => !takes(words.replace(/^.* wants node /, "")))).toEqual([]);
  expect(takes(">=22.0.0") || takes("^18 || ^22") || takes(">=20.20")).toBe(false);
});

test("the installed command says its version", () => {
  const text = readFileSync(join(ROOT, "package.json"), "utf8");
  const { version } = JSON.parse(text) as { readonly version: string };
  expect(run(app, "npx", "--no-install", "orrery", "version")).toBe(`${version}\n`);
});

test(
  "the installed command serves, and ends when told to",
  () =>
    withServer(async ({ endpoint, key }) => {
      const health = await fetch(`${endpoint}/_health/live`);
      expect(await health.json()).toEqual({ status: "live" });
      const page = await fetch(`${endpoint}/_explorer/`);
      expect(await page.text()).toContain("<title>Orrery</title>");
      const account = await fetch(`${endpoint}/`, { headers: signedHeaders(key) });
      expect(account.status).toBe(200);
      expect(await account.json()).toHaveProperty("writableLocations");
    }),
  TIMEOUT_MS,
);

test(
  "the README's example prints what the README says",
  () =>
    withServer(async ({ endpoint }) => {
      const readme = readFileSync(join(ROOT, "README.md"), "utf8");
      const code = /```js\n([^`]+)```/.exec(readme)?.[1] ?? "";
      const output = /console\.log\(.*\); \/\/ (.*\n)/.exec(code)?.[1];
      expect(output).toBeDefined();
      linkClient();
      writeFileSync(join(app, "readme.mjs"), code.replace("http://127.0.0.1:8081", endpoint));
      expect(run(app, process.execPath, "readme.mjs")).toBe(output);
    }),
  TIMEOUT_MS,
);

test(
  "the example on the page about the router prints what the page says",
  () =>
    withServer(async ({ endpoint }) => {
      const page = readFileSync(join(ROOT, "docs", "use", "router.md"), "utf8");
      const code = /```js\n(.+?)```\n/s.exec(page)?.[1] ?? "";
      const said = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, text]) => text);
      expect(said.length).toBeGreaterThan(3);
      linkClient();
      writeFileSync(join(app, "feeds.mjs"), code.replace("http://127.0.0.1:8081", endpoint));
      const printed = run(app, process.execPath, "feeds.mjs").trim().split("\n");
      expect(printed.join(", ")).toBe(said.join(", "));
    }),
  TIMEOUT_MS,
);

test("the embedding API can be imported, and its types are found", () => {
  const use =
    'import { startOrrery } from "orrery";\n' +
    "const server = await startOrrery({ memory: true });\n" +
    'const answer = await fetch(server.endpoint + "/_health/ready");\n' +
    "process.stdout.write(String(answer.status));\n" +
    "await server.close();\n";
  writeFileSync(join(app, "use.mjs"), use);
  expect(run(app, process.execPath, "use.mjs")).toBe("200");

  const typed =
    'import { startOrrery } from "orrery";\n' +
    "await using server = await startOrrery({ memory: true });\n" +
    "export const endpoint: string = server.endpoint;\n" +
    "// @ts-expect-error a port is a number\n" +
    'await startOrrery({ port: "8081" });\n';
  writeFileSync(join(app, "typed.mts"), typed);
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const flags =
    "--noEmit --strict --target ES2022 --lib ES2022,ESNext.Disposable --module NodeNext";
  run(app, process.execPath, tsc, ...flags.split(" "), "--types", "", "typed.mts");
});

test("key strategies can be imported by themselves, and their types are found", () => {
  const use =
    'import { strategyOf } from "orrery/keys";\n' +
    "const strategy = strategyOf(\"concat(/car, '-', month(/at))\");\n" +
    'const key = strategy.keyOf({ car: "abxyz", at: "2019-06-30T10:00:00Z" });\n' +
    "process.stdout.write(key.join());\n";
  writeFileSync(join(app, "keys.mjs"), use);
  expect(run(app, process.execPath, "keys.mjs")).toBe("abxyz-2019-06");

  const typed =
    'import { type KeyStrategy, timeBucket } from "orrery/keys";\n' +
    'export const month: KeyStrategy = timeBucket({ time: "/at", grain: "month" });\n' +
    "// @ts-expect-error no such period\n" +
    'timeBucket({ time: "/at", grain: "fortnight" });\n';
  writeFileSync(join(app, "keys.mts"), typed);
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const flags = "--noEmit --strict --target ES2022 --lib ES2022 --module NodeNext";
  run(app, process.execPath, tsc, ...flags.split(" "), "--types", "", "keys.mts");
});

test("the router can be imported by itself, and its types are found", () => {
  const use =
    'import { BadRoute, hotWarmRouter } from "orrery/router";\n' +
    "try {\n" +
    "  hotWarmRouter({ hot: {}, warm: {} });\n" +
    "} catch (error) {\n" +
    "  process.stdout.write(String(error instanceof BadRoute));\n" +
    "}\n";
  writeFileSync(join(app, "router.mjs"), use);
  expect(run(app, process.execPath, "router.mjs")).toBe("true");

  const typed =
    'import { hotWarmRouter, orreryWatermark, type RoutedContainer } from "orrery/router";\n' +
    "declare const hot: RoutedContainer;\n" +
    "declare const warm: RoutedContainer;\n" +
    'const place = (container: string) => ({ database: "news", container });\n' +
    'const endpoint = "http://127.0.0.1:8081";\n' +
    'const places = { hot: place("feeds"), warm: place("old") };\n' +
    "const watermark = orreryWatermark({ endpoint, ...places });\n" +
    'const paths = ["/pk"];\n' +
    'const terms = { ageProperty: "date", ageSeconds: 60, clock: Date, paths, watermark };\n' +
    "export const router = hotWarmRouter({ hot, warm, ...terms });\n" +
    "// @ts-expect-error a limit is a number\n" +
    'router.query({ limit: "all" });\n';
  writeFileSync(join(app, "router.mts"), typed);
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const flags = "--noEmit --strict --target ES2022 --lib ES2022 --module NodeNext";
  run(app, process.execPath, tsc, ...flags.split(" "), "--types", "", "router.mts");
});

/** The official client, as an application would have it beside the package. */
function linkClient(): void {
  const client = join("node_modules", "@azure", "cosmos");
  if (existsSync(join(app, client))) return;
  mkdirSync(join(app, "node_modules", "@azure"), { recursive: true });
  symlinkSync(join(ROOT, client), join(app, client), "dir");
}

/** Whether a range of versions, of the forms that occur, has `NODE_MIN` in it. */
function takes(range: string): boolean {
  return range.split("||").some((part) => {
    const [, sign = "", major, minor = "0"] =
      /^(\^|>=)? ?(\d+)(?:\.(\d+))?/.exec(part.trim()) ?? [];
    if (major === undefined) return part.trim() === "*";
    const isSame = Number(major) === NODE_MIN[0];
    if (isSame) return Number(minor) <= NODE_MIN[1];
    return sign === ">=" && Number(major) < NODE_MIN[0];
  });
}

function run(cwd: string, command: string, ...args: readonly string[]): string {
  return runForAll(cwd, command, ...args).stdout;
}

function runForAll(cwd: string, command: string, ...args: readonly string[]) {
  const options = { cwd, env: ownEnvironment(), encoding: "utf8", timeout: TIMEOUT_MS } as const;
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  const said = `${command} ${args.join(" ")}\n${error?.message ?? ""}${stdout}${stderr}`;
  expect(status, said).toBe(0);
  return { stdout, stderr };
}

/** Without what an outer npm says about the project it runs in: an inner one would believe it. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const outer = /^(npm_(package|lifecycle)_|npm_config_local_prefix$|INIT_CWD$|NODE_OPTIONS$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !outer.test(name)));
}

/** Runs the installed command for as long as `use` takes. */
async function withServer(use: (ready: Ready) => Promise<void>): Promise<void> {
  const args = ["--no-install", "orrery", "start", "--json", "--memory", "--port", "0"];
  // A group of its own: whatever npx starts on the way can be ended with it.
  const child = spawn("npx", args, {
    cwd: app,
    env: ownEnvironment(),
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  try {
    const ready = await readyLine(child);
    await use(ready);
    process.kill(ready.pid, "SIGTERM");
    expect(await ended).toEqual([0, null]);
  } finally {
    endGroup(child);
  }
}

async function readyLine(child: ChildProcessByStdio<null, Readable, null>): Promise<Ready> {
  for await (const line of createInterface({ input: child.stdout })) {
    return JSON.parse(line) as Ready;
  }
  throw new Error("the server ended without a word");
}

/** A read of the account, signed as the protocol wants it. */
function signedHeaders(key: string): Record<string, string> {
  const date = new Date().toUTCString();
  const lines = `get\n\n\n${date.toLowerCase()}\n\n`;
  const digest = createHmac("sha256", Buffer.from(key, "base64")).update(lines).digest("base64");
  const authorization = encodeURIComponent(`type=master&ver=1.0&sig=${digest}`);
  return { authorization, "x-ms-date": date, "x-ms-version": "2020-07-15" };
}

/** Only the group that this test started; it is usually gone by then. */
function endGroup({ pid }: { readonly pid?: number | undefined }): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    return;
  }
}
