/**
 * The rules about the code itself that no compiler checks, held against all of it. Every complaint
 * names its place and what to do instead. Each rule is shown to find a breach in `planted.test.ts`.
 */
import { expect, test } from "vitest";
import { REAL_TIME } from "../realTime.ts";
import { BANS, complaintsAboutCalls, complaintsAboutHeaders } from "./bans.ts";
import { complaintsAboutCycles } from "./cycles.ts";
import { complaintsAboutImports, complaintsAboutLaw } from "./imports.ts";
import { LAW } from "./law.ts";
import { complaintsAboutDeadExports, complaintsAboutSameNames } from "./names.ts";
import {
  complaintsAboutDeadFiles,
  complaintsAboutPaths,
  complaintsAboutWaiting,
} from "./places.ts";
import { complaintsAboutFolders, complaintsAboutFunctions, complaintsAboutShape } from "./shape.ts";
import { isTest, readProject } from "./sources.ts";

/** Package → where it may be imported. Whatever is not listed here is not imported at all. */
const PACKAGES: Readonly<Record<string, (path: string) => boolean>> = {
  // A child process runs a source file by itself: it is bundled on the spot.
  esbuild: (path) => ["test/twoServers/rival.ts", "test/powerCuts/courtroom.ts"].includes(path),
  "fs-native-extensions": (path) => path === "src/server/directory/kernelLock.ts",
  lmdb: (path) => path.startsWith("src/store/lmdb/"),
  pg: (path) => path.startsWith("src/store/postgres/"),
  "quickjs-emscripten-core": (path) => path.startsWith("src/script/"),
  "@jitl/quickjs-wasmfile-release-sync": (path) => path.startsWith("src/script/"),
  "snowball-stemmers": (path) => path.startsWith("src/text/"),
  preact: (path) => path.startsWith("src/page/"),
  "preact/hooks": (path) => path.startsWith("src/page/"),
  ...Object.fromEntries(
    ["autocomplete", "commands", "state", "view"].map((name) => [
      `@codemirror/${name}`,
      (path: string) => path.startsWith("src/page/explorer/editor/"),
    ]),
  ),
  "playwright-core": (path) => path.startsWith("test/browser/"),
  "axe-core": (path) => path.startsWith("test/browser/"),
  yaml: (path) => path.startsWith("src/yaml/") || path.startsWith("src/lab/workload/"),
  // An example imports the package as its users do.
  orrery: (path) => path.startsWith("examples/"),
  "orrery/keys": (path) => path.startsWith("examples/"),
  "orrery/router": (path) => path.startsWith("examples/"),
  vitest: isTest,
  "fast-check": isTest,
  // Those who need it load it when they are run; nobody has to have it.
  "@azure/cosmos": (path) =>
    isTest(path) ||
    path.startsWith("examples/") ||
    ["connect", "demo", "lab", "twoAccounts"].some((room) => path.startsWith(`src/cli/${room}/`)),
};

/** Folders of `src` that may use disks, sockets and threads. */
const DOERS: readonly string[] = ["store", "script", "server", "cli", "index.ts"];

/** What is started rather than imported. Tests are, too. */
const ENTRY_POINTS: readonly string[] = [
  "src/index.ts",
  "src/keys.ts",
  "src/router.ts",
  "src/cli/main.ts",
  "src/store/lmdb/absorber.ts",
  "src/script/scriptThread.ts",
  "examples/feed-store/main.ts",
  "src/page/shell/main.tsx",
  "src/page/shell/beforePaint.ts",
  // What vitest.config.ts names.
  "test/buildFirst.ts",
  "test/database/everyServer.ts",
  "test/database/onePostgres.ts",
];

/** Functions over the limit → why each reads better in one piece. */
const LONG_FUNCTIONS: Readonly<Record<string, string>> = {
  "src/protocol/answer/refusal.ts refusalMessage": "one case for each kind of refusal",
  "src/lab/candidate/keyShape.ts keyShapeOf": "one case for each kind of key expression",
  "src/query/bind/expressions.ts bindExpression": "one case for each kind of expression",
  "src/query/evaluate/compile.ts compile": "one case for each kind of bound expression",
  "src/server/start.ts startWith": "opens in order, and closes in reverse when a step fails",
  "src/cli/lab/proveOptions.ts proveOptionsOf": "one member for each option",
  "src/lab/report/json.ts figuresJson": "one member for each figure",
  "src/server/admin/accountSurface.ts accountSurface": "one member for each question",
};

/** Types that two files export under one name → why. */
const SAME_NAMES: Readonly<Record<string, string>> = {
  KeyComponent: "orrery/keys is published by itself: its types may not lean on the server's model",
};

const project = readProject();

test("files have one concept, an opening comment and a name", () => {
  expect(complaintsAboutShape(project)).toEqual([]);
});

test("functions fit on a screen", () => {
  expect(complaintsAboutFunctions(project, LONG_FUNCTIONS)).toEqual([]);
});

test("folders are rooms with one subject", () => {
  expect(complaintsAboutFolders(project)).toEqual([]);
});

test("time, chance and the surroundings are passed in", () => {
  expect(complaintsAboutCalls(project, BANS)).toEqual([]);
});

test("headers are named in one place", () => {
  expect(complaintsAboutHeaders(project)).toEqual([]);
});

test("imports keep to the law", () => {
  const rules = { law: LAW, packages: PACKAGES, doers: DOERS };
  expect(complaintsAboutImports(project, rules)).toEqual([]);
});

test("the law has no rings and no idle rows", () => {
  expect(complaintsAboutLaw(project, LAW)).toEqual([]);
});

test("no files import each other's values in a ring", () => {
  expect(complaintsAboutCycles(project)).toEqual([]);
});

test("a name that is exported has one meaning", () => {
  expect(complaintsAboutSameNames(project, SAME_NAMES)).toEqual([]);
});

test("what is exported is imported", () => {
  expect(complaintsAboutDeadExports(project, ENTRY_POINTS)).toEqual([]);
});

test("nothing leads out of the project", () => {
  expect(complaintsAboutPaths(project)).toEqual([]);
});

test("every file is reached", () => {
  expect(complaintsAboutDeadFiles(project, ENTRY_POINTS)).toEqual([]);
});

test("tests that wait are known", () => {
  expect(complaintsAboutWaiting(project, REAL_TIME)).toEqual([]);
});
