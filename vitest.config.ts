import { fileURLToPath } from "node:url";
import type { TestProjectInlineConfiguration, ViteUserConfig } from "vitest/config";
import { defineConfig } from "vitest/config";
import { hasPostgres } from "./src/store/postgres/localPostgres.fake.ts";
import { REAL_TIME } from "./test/realTime.ts";

/** Tests that leave nothing behind in their process: pure functions, simulated worlds, servers. */
const SHARING = [
  "src/**/*.test.ts",
  "test/{archive,compatibility,http,lab,lifecycle,query,router,sdk}/**/*.test.ts",
  "examples/**/*.test.ts",
];
/** Tests in a real browser: one file at a time, because a browser takes a machine for itself. */
const IN_BROWSER = "test/browser/**/*.test.ts";
/** These ask about the very process they are in, or put something in the place of a module. */
const ALONE = ["src/server/directory/holder.test.ts", "src/cli/commandTable.test.ts"];

/** Of whatever clients see and jobs do; `ORRERY_TEST_STORE=postgres` runs all of it on a PostgreSQL. */
const OF_ANY_STORE =
  "test/{archive,copies,direct,feed,http,isolation,lifecycle,query,router,sdk,tokens}/**/*.test.ts";
/** The few that every run of all tests asks of a PostgreSQL as well. */
const ALSO_ON_POSTGRES = ["test/sdk/{batch,changeFeed,splits}.test.ts"];
const OF_ITSELF = "test/database/everyServer.test.ts";
const IS_ON_POSTGRES = process.env["ORRERY_TEST_STORE"] === "postgres";
/** These are about the data directory, or know what a store in memory does not say. */
const OF_DIRECTORIES: readonly string[] = [];

/** Examples import the package by its name; they are tested with its sources. */
const PACKAGE = [
  { find: /^orrery\/keys$/, replacement: fileURLToPath(new URL("src/keys.ts", import.meta.url)) },
  {
    find: /^orrery\/router$/,
    replacement: fileURLToPath(new URL("src/router.ts", import.meta.url)),
  },
  { find: /^orrery$/, replacement: fileURLToPath(new URL("src/index.ts", import.meta.url)) },
];

/** Every server of these tests has its data in a PostgreSQL. */
const ON_POSTGRES: TestProjectInlineConfiguration = {
  extends: true,
  resolve: {
    alias: [
      {
        find: /^.*\/openStore\.ts$/,
        replacement: fileURLToPath(new URL("test/database/everyServer.ts", import.meta.url)),
      },
    ],
  },
  test: {
    name: "on postgres",
    include: IS_ON_POSTGRES ? [OF_ANY_STORE, OF_ITSELF] : [...ALSO_ON_POSTGRES, OF_ITSELF],
    exclude: [...OF_DIRECTORIES],
    globalSetup: ["test/database/onePostgres.ts"],
  },
};

const PROJECTS: TestProjectInlineConfiguration[] = [
  // Modules are read once for many files: a third of the time of these is reading them.
  {
    extends: true,
    test: {
      name: "sharing",
      include: SHARING,
      exclude: [...ALONE, ...REAL_TIME],
      isolate: false,
    },
  },
  {
    extends: true,
    test: {
      name: "others",
      include: ["test/**/*.test.ts", ...ALONE],
      exclude: [SHARING[1]!, IN_BROWSER, OF_ITSELF, ...REAL_TIME, "**/node_modules/**"],
    },
  },
  {
    extends: true,
    test: { name: "real time", include: [...REAL_TIME] },
  },
  {
    extends: true,
    test: {
      name: "browser",
      include: [IN_BROWSER],
      fileParallelism: false,
      isolate: false,
      // After all others, because it has another number of workers.
      sequence: { groupOrder: 1 },
    },
  },
];

const config: ViteUserConfig = defineConfig({
  resolve: { alias: PACKAGE },
  test: {
    globalSetup: ["test/buildFirst.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for takes as long as the machine takes; only what never comes is to fail.
    expect: { poll: { timeout: 30_000 } },
    // For two cores: three files at a time, because some of them mostly wait; in processes, because
    // crash tests and the official client both spawn servers.
    pool: "forks",
    maxWorkers: 3,
    projects: [...(IS_ON_POSTGRES ? [] : PROJECTS), ...(hasPostgres() ? [ON_POSTGRES] : [])],
  },
});

export default config;
