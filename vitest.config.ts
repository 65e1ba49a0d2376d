import type { ViteUserConfig } from "vitest/config";
import { defineConfig } from "vitest/config";

/** Folders of pure functions and simulated worlds: their tests leave nothing behind. */
const PURE =
  "src/{alerts,base,engine,geo,index,json,keys,lab,model,partition,protocol,query,recording," +
  "statistics,throughput}/**/*.test.ts";

const config: ViteUserConfig = defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // For two cores: three files at a time, because some of them mostly wait; in processes, because
    // crash tests and the official client both spawn servers.
    pool: "forks",
    maxWorkers: 3,
    projects: [
      // Modules are read once for many files: a third of the time of these is reading them.
      { extends: true, test: { name: "pure", include: [PURE], isolate: false } },
      {
        extends: true,
        test: {
          name: "others",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [PURE, "**/node_modules/**"],
        },
      },
    ],
  },
});

export default config;
