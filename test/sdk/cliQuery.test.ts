/** The `orrery query` command, as people and scripts run it: from `dist`, as a process. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startOrrery } from "../../src/index.ts";
import type { Stage } from "./stage.ts";
import { clientOf, openStage, temporaryDirectory } from "./stage.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

interface RunSetting {
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Nothing of this process's own surroundings decides what the command does. */
async function orrery(
  args: readonly string[],
  { environment = {}, input = "" }: RunSetting = {},
): Promise<Ran> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [CLI, ...args], { env: { PATH, HOME, ...environment } });
  // A command that does not read its input may be gone before it is written.
  child.stdin.on("error", () => undefined).end(input);
  const closed = once(child, "close");
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await closed;
  return { code: child.exitCode, output, errors };
}

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
  const { container } = await stage.database.containers.create({
    id: "my orders",
    partitionKey: "/pk",
    throughput: 20_000,
  });
  for (let n = 0; n < 30; n++) {
    await container.items.create({ id: `i${n}`, pk: n % 2 === 0 ? "even" : "odd", n });
  }
});

afterAll(() => stage[Symbol.asyncDispose]());

function query(args: readonly string[], setting?: RunSetting): Promise<Ran> {
  const name = `${stage.database.id}/my orders`;
  return orrery(
    ["query", "--container", name, "--endpoint", stage.server.endpoint, ...args],
    setting,
  );
}

const NUMBERS = "SELECT VALUE c.n FROM c ORDER BY c.n";

describe.concurrent("rows", () => {
  test("are lines of JSON where nobody looks, over all pages", async () => {
    const { code, output, errors } = await query([NUMBERS, "--page-size", "7"]);
    expect(code).toBe(0);
    expect(output).toBe(Array.from({ length: 30 }, (_, n) => `${n}\n`).join(""));
    expect(errors).toMatch(/^30 rows, 5 pages, \d+\.\d\d RU, \d+\.\d\d s\n$/);
  });

  test("end where they should", async () => {
    const { output, errors } = await query([NUMBERS, "--max-items", "3", "--page-size", "2"]);
    expect(output).toBe("0\n1\n2\n");
    expect(errors).toMatch(/^3 rows, 2 pages, .*; there are more\n$/);
  });

  test("are one list of JSON, if asked to", async () => {
    const { output } = await query([NUMBERS, "--format", "json", "--page-size", "4"]);
    expect(JSON.parse(output)).toEqual(Array.from({ length: 30 }, (_, n) => n));
    const none = await query(["SELECT * FROM c WHERE false", "--format", "json"]);
    expect([none.output, none.code]).toEqual(["[]\n", 0]);
  });

  test("are a table, if asked to", async () => {
    const { output } = await query([
      "SELECT c.id, c.n FROM c WHERE c.n IN (9, 10)",
      "--format",
      "table",
    ]);
    expect(output.split("\n").slice(0, 2)).toEqual(["id    n", "───  ──"]);
    expect(output.split("\n").slice(2).sort()).toEqual(["", "i10  10", "i9    9"]);
  });

  test("are those of one logical partition, with a key", async () => {
    const { output } = await query(["SELECT VALUE COUNT(1) FROM c", "--partition-key", "odd"]);
    expect(output).toBe("15\n");
  });

  test("follow the parameters", async () => {
    const text = "SELECT VALUE [@n, @text] FROM c WHERE c.n = @n";
    const { output } = await query([text, "--parameter", "n=3", "--parameter", "@text=a b"]);
    expect(output).toBe('[3,"a b"]\n');
  });
});

describe.concurrent("the text of a query", () => {
  test("comes from standard input", async () => {
    const { output } = await query(["-"], { input: "SELECT VALUE 'é'\n" });
    expect(output).toBe('"é"\n');
  });

  test("comes from a file", async () => {
    using directory = temporaryDirectory();
    const file = join(directory.path, "q.sql");
    writeFileSync(file, "-- one\nSELECT VALUE 1");
    expect((await query(["-f", file])).output).toBe("1\n");
  });
});

describe.concurrent("what is told beside the rows", () => {
  test("is the plan with its work", async () => {
    const { output, errors } = await query(["SELECT c.id FROM c WHERE c.n = 3", "--explain"]);
    expect(output).toBe('{"id":"i3"}\n');
    for (const part of ["project c.id", "filter (c.n = 3)", "read by seek", "· /n =", "items "]) {
      expect(errors).toContain(part);
    }
  });

  test("is what was measured", async () => {
    const { errors } = await query(["SELECT c.id FROM c WHERE c.n < 3", "--metrics"]);
    expect(errors).toMatch(/items read {3}3 \(\d+ bytes\)/);
    expect(errors).toContain("100.0 %");
  });
});

describe.concurrent("a refusal", () => {
  test("shows the place in the text, and ends with 1", async () => {
    const { code, output, errors } = await query(["SELECT *\nFRM c"]);
    expect([code, output]).toEqual([1, ""]);
    expect(errors).toBe(
      "orrery: Syntax error, incorrect syntax near 'FRM'. (SC1001)\n  FRM c\n  ^^^\n",
    );
  });

  test.each<[string, readonly string[], string]>([
    ["a query that fails on its data", ["SELECT VALUE c.n / 0 FROM c"], "4001"],
    ["a container that is not there", ["SELECT 1", "--container", "no/where"], "no/where"],
    ["another key", ["SELECT 1", "--key", Buffer.alloc(64).toString("base64")], "--key"],
    ["nobody there", ["SELECT 1", "--endpoint", "http://127.0.0.1:1"], "orrery start"],
  ])("%s is told in a line, and ends with 1", async (_rule, args, part) => {
    const { code, output, errors } = await query(args);
    expect([code, output]).toEqual([1, ""]);
    expect(errors).toMatch(/^orrery: [^\n]+\n$/);
    expect(errors).toContain(part);
  });

  test.each<[string, readonly string[], string]>([
    ["no text", [], "query"],
    ["words that are not quoted", ["SELECT", "1"], "quote"],
    ["an unknown option", ["SELECT 1", "--frmat", "json"], "--frmat"],
    ["an unknown format", ["SELECT 1", "--format", "xml"], "ndjson"],
    ["a container that is half a name", ["SELECT 1", "--container", "orders"], "orders"],
    ["a file that is not there", ["-f", "no-such-file.sql"], "no-such-file.sql"],
  ])("%s is misuse, and ends with 2", async (_rule, args, part) => {
    const { code, output, errors } = await query(args);
    expect([code, output]).toEqual([2, ""]);
    expect(errors).toMatch(/^orrery: /);
    expect(errors).toContain(part);
    expect(errors).not.toMatch(/^\s+at /m);
  });
});

describe.concurrent("the server", () => {
  test("is found by the environment, as it is started", async () => {
    const { port } = stage.server;
    const name = `${stage.database.id}/my orders`;
    const args = ["query", "SELECT VALUE 1", "--container", name];
    const { output } = await orrery(args, { environment: { PORT: String(port) } });
    expect(output).toBe("1\n");
  });

  test("with a certificate of its own is trusted on this machine", async () => {
    using directory = temporaryDirectory();
    await using secure = await startOrrery({ https: true, data: directory.path });
    const agent = new Agent({ ca: secure.caCertificate! });
    const client = clientOf(secure, { agent });
    const { database } = await client.databases.create({ id: "d" });
    await database.containers.create({ id: "c", partitionKey: "/pk" });
    client.dispose();
    agent.destroy();
    const args = ["SELECT VALUE 1", "--container", "d/c"];
    const { output } = await query([...args, "--endpoint", secure.endpoint]);
    expect(output).toBe("1\n");
    const plain = secure.endpoint.replace("https:", "http:");
    const refused = await query([...args, "--endpoint", plain]);
    expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining("https://")]);
  });

  test("that speaks no TLS is told apart from one that is not there", async () => {
    const answer = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
    const plain = createServer((socket) => socket.end(answer)).listen(0, "127.0.0.1");
    await once(plain, "listening");
    const { port } = plain.address() as { port: number };
    const endpoint = `https://127.0.0.1:${port}`;
    const { code, errors } = await query(["SELECT 1", "--endpoint", endpoint]);
    plain.close();
    expect([code, errors]).toEqual([1, expect.stringContaining("does not speak TLS")]);
  });

  test("that is something else is told, too", async () => {
    const other = createServer((socket) => socket.end("220 smtp.example\r\n")).listen(
      0,
      "127.0.0.1",
    );
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const { code, errors } = await query(["SELECT 1", "--endpoint", `http://127.0.0.1:${port}`]);
    other.close();
    expect([code, errors]).toEqual([1, expect.stringMatching(/^orrery: [^\n]+\n$/)]);
  });
});

test.each([[["query", "--help"]], [["help", "query"]]])("%j explains", async (args) => {
  const { code, output } = await orrery(args);
  expect(code).toBe(0);
  expect(output).toContain("--partition-key");
});
