/**
 * Runs the command `orrery lab …` in a process of its own: simulating keys takes seconds of a whole
 * core, which a server that answers clients does not have. So a run from the page is the very
 * command that somebody would type, and cannot come to another answer.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface CommandEnd {
  readonly code: number | undefined;
  readonly output: string;
  /** What was written to standard error, apart from progress. */
  readonly complaint: string;
}

export interface RunningCommand {
  readonly ended: Promise<CommandEnd>;
  stop(): void;
}

/** Starts a command; `onProgress` is told how far it is, in words. */
export type StartCommand = (
  args: readonly string[],
  folder: string,
  onProgress: (text: string) => void,
) => RunningCommand;

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const COMPLAINT_LENGTH_MAX = 8000;
/** Lines of standard error that begin with it tell progress (`cli/terminal/drawnLine.ts`). */
const PROGRESS_MARK = "progress: ";

export const startLabCommand: StartCommand = (args, folder, onProgress) => {
  const child = spawn(process.execPath, [commandFile(), ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    // The command needs nothing of the server's surroundings, its keys least of all.
    env: { ORRERY_PROGRESS: "lines", NO_COLOR: "1" },
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= OUTPUT_BYTES_MAX) chunks.push(chunk);
    else child.kill();
  });
  let complaint = "";
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (line.startsWith(PROGRESS_MARK)) onProgress(line.slice(PROGRESS_MARK.length));
    else if (complaint.length < COMPLAINT_LENGTH_MAX) complaint += `${line}\n`;
  });
  const ended = new Promise<CommandEnd>((resolve) => {
    const end = (code: number | undefined, problem = ""): void =>
      resolve({
        code,
        output: Buffer.concat(chunks).toString(),
        complaint: (complaint + problem).trim(),
      });
    child.once("error", (error) => end(undefined, error.message));
    child.once("close", (code) => end(code ?? undefined));
  });
  return { ended, stop: () => void child.kill() };
};

/** The command beside this file once it is built; from the sources, the one that was built last. */
function commandFile(): string {
  const beside = fileURLToPath(new URL("./cli.js", import.meta.url));
  return existsSync(beside)
    ? beside
    : fileURLToPath(new URL("../../../dist/cli.js", import.meta.url));
}
