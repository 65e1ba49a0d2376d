/**
 * Before the first test: many start what is in `dist`, and a fresh clone has none. A build that is
 * older than its sources stays, because other processes may be using it; `npm test` renews it.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

export function setup(): void {
  const pathOf = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
  if (existsSync(pathOf("dist/cli.js"))) return;
  execFileSync(process.execPath, [pathOf("scripts/build.mjs")], { stdio: "inherit" });
}
