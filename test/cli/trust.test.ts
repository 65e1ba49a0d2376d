/** How a newcomer gets from a started server to a client that trusts it, by what is printed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startOrrery } from "../../src/index.ts";
import { temporaryDirectory } from "../sdk/stage.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CLI = join(ROOT, "dist/cli.js");

interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

async function run(cwd: string, args: readonly string[], environment: object = {}): Promise<Ran> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH, HOME, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, output, errors };
}

/** A program with the official client, which asks for the databases. */
const PROGRAM = `
import { createRequire } from "node:module";
const { CosmosClient } = createRequire("${ROOT}package.json")("@azure/cosmos");
const { ENDPOINT: endpoint, KEY: key } = process.env;
const client = new CosmosClient({ endpoint, key });
client.databases.readAll().fetchAll().then(
  ({ resources }) => process.stdout.write(JSON.stringify(resources.map(({ id }) => id))),
  (error) => process.stdout.write(String(error.code)),
).finally(() => client.dispose());
`;

test("what the banner says for Node makes the official client trust the server", async () => {
  using folder = temporaryDirectory();
  writeFileSync(join(folder.path, "app.mjs"), PROGRAM);
  const { PATH, HOME } = process.env;
  const args = [CLI, "start", "--https", "--port", "0", "--data", "data"];
  const child = spawn(process.execPath, args, {
    cwd: folder.path,
    env: { PATH, HOME },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (line.startsWith("End it")) break;
    }
    const banner = lines.join("\n");
    for (const language of ["Node ", "Python", "Java ", "Go "]) expect(banner).toContain(language);
    const ca = /NODE_EXTRA_CA_CERTS=(\S+) node/.exec(banner)?.[1];
    const [, endpoint] = /endpoint +(\S+)/.exec(banner) ?? [];
    const [, key] = /\n {2}key +(\S+)/.exec(banner) ?? [];
    const account = { ENDPOINT: endpoint, KEY: key };
    const refused = await run(folder.path, ["app.mjs"], account);
    expect(refused.output).toBe("SELF_SIGNED_CERT_IN_CHAIN");
    const trusted = await run(folder.path, ["app.mjs"], { ...account, NODE_EXTRA_CA_CERTS: ca });
    expect(trusted.output).toBe("[]");
    const told = await run(folder.path, [CLI, "trust", "--data", "data"]);
    expect([told.code, told.output.includes(`NODE_EXTRA_CA_CERTS=${ca} node`)]).toEqual([0, true]);
  } finally {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
  }
});

test("the authority of a running server is asked for, and written", async () => {
  using folder = temporaryDirectory();
  await using server = await startOrrery({ memory: true });
  const told = await run(folder.path, [CLI, "trust", "--endpoint", server.endpoint]);
  expect([told.code, told.errors]).toEqual([0, ""]);
  const ca = join(folder.path, "orrery-ca.pem");
  expect(told.output).toContain(`SSL_CERT_FILE=${ca} go run .`);
  const again = await run(folder.path, [CLI, "trust", "--ca", ca]);
  expect(again.output).toBe(told.output);
});

test("what is no certificate is refused", async () => {
  using folder = temporaryDirectory();
  const path = join(folder.path, "no.pem");
  writeFileSync(path, "no");
  const { code, errors } = await run(folder.path, [CLI, "trust", "--ca", path]);
  expect([code, errors]).toEqual([
    2,
    `orrery: --ca names ${path}, which is no certificate in PEM.\n`,
  ]);
  const both = await run(folder.path, [CLI, "trust", "--install", "--remove"]);
  expect([both.code, both.errors]).toEqual([
    2,
    "orrery: --install and --remove exclude each other.\n",
  ]);
});
