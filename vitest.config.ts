import type { ViteUserConfig } from "vitest/config";
import { defineConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Two cores: two files at a time, each in a process of its own, because crash tests and
    // the official client both spawn servers.
    pool: "forks",
    maxWorkers: 2,
  },
});

export default config;
