/** A server in a process of its own that may have few files open, and has short deadlines. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ITEMS } from "../http/wire.ts";
import type { WatchedTarget } from "./campaign.ts";
import { answerOf } from "./campaign.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
/** The rest of the arguments is run with the first one as its limit of open files. */
const LIMITED = 'ulimit -n "$0" && exec "$@"';

interface SpawnedTarget extends WatchedTarget, AsyncDisposable {
  /** Lines of its log. */
  readonly log: readonly string[];
  /** The exit code, or the signal that ended it; `undefined` while it runs. */
  readonly ended: string | undefined;
}

export async function startTarget(
  data: string,
  { openFiles, deadlineSeconds }: { readonly openFiles: number; readonly deadlineSeconds: number },
): Promise<SpawnedTarget> {
  const command = [process.execPath, CLI, "start", "--json", "--port", "0", "--data", data];
  const names = ["--header-timeout", "--body-timeout", "--idle-timeout"];
  const deadlines = names.flatMap((name) => [name, String(deadlineSeconds)]);
  const args = [...command, "--no-rate-limit", ...deadlines];
  const child = spawn("sh", ["-c", LIMITED, String(openFiles), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => log.push(line));
  const exited = once(child, "exit");
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    exited.then(() => {
      throw new Error(`the server did not start: ${log.join("\n")}`);
    }),
  ])) as [string];
  const { endpoint, key, pid } = JSON.parse(line) as {
    readonly endpoint: string;
    readonly key: string;
    readonly pid: number;
  };
  const deadlineMs = deadlineSeconds * 1000;
  const target = { port: Number(new URL(endpoint).port), key, deadlineMs };
  await answerOf(target, "POST", ["dbs"], '{"id":"d"}');
  const container = '{"id":"c","partitionKey":{"paths":["/pk"]}}';
  await answerOf(target, "POST", ITEMS.slice(0, 3), container);
  return {
    ...target,
    log,
    get ended() {
      return child.exitCode === null ? (child.signalCode ?? undefined) : String(child.exitCode);
    },
    descriptorCount: () => openFilesOf(pid),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

function openFilesOf(pid: number): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return undefined; // Not Linux, or it is gone.
  }
}
