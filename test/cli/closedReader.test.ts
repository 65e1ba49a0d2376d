/**
 * Whoever reads what a command prints may stop, as `head` does: the command ends then without a
 * word, and a server goes on.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

/** Each starts a process, which takes its time on a busy machine. */
vi.setConfig({ testTimeout: 180_000 });

test.each(["lifecycle --help", "lifecycle advise --volume 50GB --queries-per-second 5"])(
  "orrery %s",
  async (args) => {
    const child = spawn(process.execPath, [CLI, ...args.split(" ")]);
    child.stdout.destroy();
    let told = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      told += text;
    });
    const [code] = await once(child, "close");
    expect([code, told]).toEqual([141, ""]);
  },
);

test("a server goes on", async () => {
  const child = spawn(process.execPath, [CLI, "start", "--memory", "--port", "0"]);
  try {
    child.stdout.setEncoding("utf8");
    let words = "";
    while (!/http:\/\/[\d.]+:\d+/.test(words)) words += await once(child.stdout, "data");
    child.stdout.destroy();
    const [endpoint = ""] = /http:\/\/[\d.]+:\d+/.exec(words) ?? [];
    expect((await fetch(`${endpoint}/alive`)).status).toBe(200);
    child.kill("SIGTERM");
    expect(await once(child, "close")).toEqual([0, null]);
  } finally {
    child.kill("SIGKILL");
  }
});
