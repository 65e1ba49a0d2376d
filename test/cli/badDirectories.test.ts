/**
 * Every command that is given a directory or a file that it cannot use says so in one line with the
 * path and the reason, without a stack, and ends with 2. None of them hangs.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
/** Only what never ends is to fail. */
const PATIENCE_MS = 240_000;

vi.setConfig({ testTimeout: PATIENCE_MS + 60_000 });
const IS_ROOT = process.getuid?.() === 0;
const NOBODY = 65534;

let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "orrery-bad-"));
  writeFileSync(join(root, "file"), "");
  symlinkSync("nowhere", join(root, "dangling"));
  for (const name of ["lock", "journal", "tables"]) mkdirSync(join(root, `bad-${name}`));
  mkdirSync(join(root, "bad-lock", "lock"));
  writeFileSync(join(root, "bad-journal", "journal"), "");
  writeFileSync(join(root, "bad-tables", "tables"), "");
  mkdirSync(join(root, "folder"));
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** What is named, and what is wrong with it. `$` is the folder of these tests. */
const CASES: readonly (readonly [args: string, reason: RegExp])[] = [
  ["start --port 0 --data $/file", /\$\/file cannot be used: it is not a directory/],
  ["start --port 0 --data $/dangling", /\$\/dangling cannot be used: it is a symbolic link/],
  ["start --port 0 --data $/bad-lock", /\$\/bad-lock cannot be used: .*lock is not a plain file/],
  ["start --port 0 --data $/bad-journal", /\$\/bad-journal cannot be used: .*\/journal/],
  ["start --port 0 --data $/bad-tables", /\$\/bad-tables cannot be used: .*\/tables/],
  ["start --port 0 --data", /data/],
  ["restore $/nothing --data $/new", /backup \$\/nothing cannot be used: it does not exist/],
  ["restore $/folder --data $/new", /backup \$\/folder cannot be used: it is not a file/],
  ["restore $/file --data $/file", /directory \$\/file cannot be used: it is not a directory/],
  ["check $/nothing", /\$\/nothing cannot be used: it does not exist/],
  ["check $/file/sub", /\$\/file\/sub cannot be used: something is a file/],
  ["backup --data $/nothing --to $/b", /directory \$\/nothing cannot be used: it does not exist/],
  ["backup --data $/folder --to $/no/b", /\$\/no\/b cannot be used: \$\/no does not exist/],
  ["backup --data $/folder --to $/folder", /\$\/folder cannot be used: it is a directory/],
  ...(process.platform === "linux"
    ? ([["start --port 0 --data /proc/x", /\/proc\/x cannot be used: its file system/]] as const)
    : []),
];

describe("orrery", () => {
  test.concurrent.each(CASES)("%s", async (args, reason) => {
    await expectComplaint(args.replaceAll("$", root).split(" "), reason);
  });

  test("start --data with an empty name does not take the current directory", async () => {
    await expectComplaint(["start", "--port", "0", "--data", ""], /data is no path/);
  });

  test("start in a directory without permission", async (context) => {
    mkdirSync(join(root, "closed"), { mode: 0o700 });
    chmodSync(root, 0o755);
    const user = IS_ROOT ? { uid: NOBODY, gid: NOBODY } : {};
    if (!IS_ROOT) chmodSync(join(root, "closed"), 0o500);
    const canRead = spawnSync(process.execPath, [CLI, "version"], user).status === 0;
    if (!canRead) context.skip("another user cannot read this checkout");
    for (const path of [join(root, "closed"), join(root, "closed", "sub")]) {
      const args = ["start", "--port", "0", "--data", path];
      await expectComplaint(args, /closed(\/sub)? cannot be used: permission denied/, user);
    }
  });
});

async function expectComplaint(args: readonly string[], reason: RegExp, user = {}): Promise<void> {
  const child = spawn(process.execPath, [CLI, ...args], {
    ...user,
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
  });
  let [output, complaints] = ["", ""];
  child.stdout.on("data", (bytes: Buffer) => {
    output += bytes.toString();
  });
  child.stderr.on("data", (bytes: Buffer) => {
    complaints += bytes.toString();
  });
  const [code] = (await once(child, "close")) as [number | null];
  expect({ code, output, complaints }).toMatchObject({ code: 2, output: "" });
  expect(complaints).toMatch(/^orrery: [^\n]*\n$/);
  const escaped = root.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  expect(complaints).toMatch(new RegExp(reason.source.replaceAll("\\$", escaped)));
}
