import { fileURLToPath } from "node:url";
import type { ViteUserConfig } from "vitest/config";
import { defineConfig } from "vitest/config";
import { REAL_TIME } from "./test/realTime.ts";

/** Tests that leave nothing behind in their process: pure functions, simulated worlds, servers. */
const SHARING = [
  "src/**/*.test.ts",
  "test/{archive,compatibility,http,lab,lifecycle,query,router,sdk}/**/*.test.ts",
  "examples/**/*.test.ts",
];
/** Tests in a real browser: one file at a time, because a browser takes a machine for itself. */
const IN_BROWSER = "test/browser/**/*.test.ts";
/** These ask about the very process they are in. */
const ALONE = ["src/server/directory/holder.test.ts"];

/** Examples import the package by its name; they are tested with its sources. */
const PACKAGE = [
  { find: /^orrery\/keys$/, replacement: fileURLToPath(new URL("src/keys.ts", import.meta.url)) },
  {
    find: /^orrery\/router$/,
    replacement: fileURLToPath(new URL("src/router.ts", import.meta.url)),
  },
  { find: /^orrery$/, replacement: fileURLToPath(new URL("src/index.ts", import.meta.url)) },
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
    projects: [
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
          exclude: [SHARING[1]!, IN_BROWSER, ...REAL_TIME, "**/node_modules/**"],
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
    ],
  },
});

export default config;
