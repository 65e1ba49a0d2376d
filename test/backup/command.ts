/** The command as people run it: from `dist`, as a process. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly complaints: string;
}

/** Nothing of this process's own surroundings decides what the command does. */
export async function orrery(cwd: string, ...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [CLI, ...args], { env: {}, cwd });
  const [[code], output, complaints] = await Promise.all([
    once(child, "close"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code: code as number | null, output, complaints };
}
