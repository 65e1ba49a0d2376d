import type { ViteUserConfig } from "vitest/config";
import { defineConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // For two cores: three files at a time, because some of them mostly wait; each in a process of
    // its own, because crash tests and the official client both spawn servers.
    pool: "forks",
    maxWorkers: 3,
  },
});

export default config;
