/** A node in a process of its own: the command `orrery start`, as anybody would type it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { CommandFailure } from "../terminal/failure.ts";

export interface NodeProcess {
  readonly endpoint: string;
  readonly key: string;
  readonly name: string;
  readonly pid: number;
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>;
  /** Ends it in order. */
  end(): Promise<void>;
}

interface NodeSetting {
  readonly store: string;
  readonly data: string;
  /** Where programs are found. */
  readonly path: string | undefined;
}

export async function startNode({ store, data, path }: NodeSetting): Promise<NodeProcess> {
  const args = ["start", "--json", "--port", "0", "--data", data, "--no-explorer"];
  const child = spawn(process.execPath, [process.argv[1]!, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: path, ORRERY_STORE: store },
    // Ctrl-C is for the command, which ends the nodes itself.
    detached: true,
  });
  let complaint = "";
  child.stderr.on("data", (bytes: Buffer) => {
    complaint = (complaint + bytes.toString()).slice(-4000);
  });
  const gone = once(child, "exit");
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([
    once(lines, "line").then(([first]) => first as string),
    gone.then(() => undefined),
  ]);
  if (line === undefined) throw new CommandFailure(`A node did not start: ${complaint.trim()}`);
  const { endpoint, key, node } = JSON.parse(line) as Readonly<Record<string, string>>;
  const endWith = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await gone;
  };
  return {
    endpoint: endpoint!,
    key: key!,
    name: node!,
    pid: child.pid!,
    kill: () => endWith("SIGKILL"),
    end: () => endWith("SIGTERM"),
  };
}
