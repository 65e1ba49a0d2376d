/**
 * The rules about the code itself that no compiler checks, held against all of it. Every complaint
 * names its place and what to do instead. Each rule is shown to find a breach in `planted.test.ts`.
 */
import { expect, test } from "vitest";
import { REAL_TIME } from "../realTime.ts";
import { BANS, complaintsAboutCalls } from "./bans.ts";
import { complaintsAboutImports } from "./imports.ts";
import { LAW } from "./law.ts";
import {
  complaintsAboutDeadFiles,
  complaintsAboutPaths,
  complaintsAboutWaiting,
} from "./places.ts";
import { complaintsAboutShape } from "./shape.ts";
import { isTest, readProject } from "./sources.ts";

/** Package → where it may be imported. Whatever is not listed here is not imported at all. */
const PACKAGES: Readonly<Record<string, (path: string) => boolean>> = {
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

/** Folders of `src` that may use disks, sockets and threads. */
const DOERS: readonly string[] = ["store", "script", "server", "cli", "index.ts"];

/** What is started rather than imported. Tests are, too. */
const ENTRY_POINTS: readonly string[] = [
  "src/index.ts",
  "src/keys.ts",
  "src/cli/main.ts",
  "src/store/lmdb/absorber.ts",
  "src/script/scriptThread.ts",
];

const project = readProject();

test("files have one concept, an opening comment and a name", () => {
  expect(complaintsAboutShape(project)).toEqual([]);
});

test("time, chance and the surroundings are passed in", () => {
  expect(complaintsAboutCalls(project, BANS)).toEqual([]);
});

test("imports keep to the law", () => {
  const rules = { law: LAW, packages: PACKAGES, doers: DOERS };
  expect(complaintsAboutImports(project, rules)).toEqual([]);
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
