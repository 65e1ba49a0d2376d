/**
 * A process that takes and gives back the lock of a directory when told to: no server around it, so
 * that hundreds of races take seconds. It can be given faults, to see that a race finds them.
 */
import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

/**
 * `kernel` and `beats` are how servers with and without the package do it. In `forgetful` the
 * kernel's lock is taken for granted, in `blind` every process that cannot be seen counts as dead.
 */
export type RivalKind = "kernel" | "beats" | "forgetful" | "blind";

export interface Rival {
  readonly process: ChildProcess;
  ask(order: "lock" | "unlock"): Promise<"held" | "refused" | "done">;
}

const rivals = new Set<ChildProcess>();

export function endRivals(): void {
  for (const rival of rivals) rival.kill("SIGKILL");
  rivals.clear();
}

/** Bundled once into a folder, started as often as needed. */
export function bundleRival(folder: string): string {
  const directory = new URL("../../src/server/directory/", import.meta.url);
  const sourceOf = (name: string): string =>
    JSON.stringify(fileURLToPath(new URL(name, directory)));
  const contents = `
    import { takeLock } from ${sourceOf("takeLock.ts")};
    import { loadKernelLock } from ${sourceOf("kernelLock.ts")};
    import { ownIdentity } from ${sourceOf("holder.ts")};
    const [where, kind] = process.argv.slice(2);
    const kernel = kind === "kernel" ? await loadKernelLock() : undefined;
    if (kind === "kernel" && kernel === undefined) throw new Error("no binding");
    const self = ownIdentity();
    const world = (nonce) => ({
      self: kind === "blind" ? { ...self, pid: 2 ** 22 - 1, startedAt: "1" } : self,
      nonce,
      kernel: kind === "forgetful" ? { tryLock: () => true } : kernel,
      isLocal: () => true,
      clock: { now: () => now, wallNow: () => now },
      timer: { after },
    });
    // Who waits for a holder waits many times for a little; only that time is made short.
    let now = 0;
    const after = (delay, action) => {
      const pass = () => {
        now += delay;
        action();
      };
      const handle = setTimeout(pass, delay === 50 ? 1 : delay);
      return () => clearTimeout(handle);
    };
    let lock;
    let count = 0;
    process.on("message", async (order) => {
      if (order === "unlock") {
        lock?.release();
        lock = undefined;
        process.send("done");
        return;
      }
      try {
        lock = await takeLock(where, world(process.pid + "-" + count++));
        process.send("held");
      } catch {
        process.send("refused");
      }
    });
    process.send("ready");`;
  const outfile = join(folder, "rival.mjs");
  const binding = createRequire(import.meta.url).resolve("fs-native-extensions");
  buildSync({
    stdin: { contents, resolveDir: folder, loader: "ts" },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    alias: { "fs-native-extensions": binding },
    external: [binding],
    // What the lock does not need: it is imported by files that also have other things in them.
    treeShaking: true,
  });
  return outfile;
}

export async function startRival(bundle: string, where: string, kind: RivalKind): Promise<Rival> {
  const child = fork(bundle, [where, kind], { execArgv: [] });
  rivals.add(child);
  await once(child, "message");
  const ask = async (order: "lock" | "unlock"): Promise<"held" | "refused" | "done"> => {
    const answer = once(child, "message");
    child.send(order);
    return (await answer)[0] as "held" | "refused" | "done";
  };
  return { process: child, ask };
}
