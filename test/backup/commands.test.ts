/** `orrery backup`, `restore` and `check` as people run them, and the route they stand on. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage, TemporaryDirectory } from "../sdk/stage.ts";
import { openContainer, openStage, temporaryDirectory } from "../sdk/stage.ts";
import { orrery } from "./command.ts";

const READ_ONLY_KEY = Buffer.from("this one may only read").toString("base64");
const ITEM_COUNT = 40;

let stage: Stage;
let directory: TemporaryDirectory;
let data: string;

beforeAll(async () => {
  directory = temporaryDirectory();
  data = join(directory.path, "data");
  stage = await openStage({ data, readOnlyKey: READ_ONLY_KEY });
  const container = await openContainer(stage.database);
  for (let at = 0; at < ITEM_COUNT; at++) {
    await container.items.create({ id: `i${at}`, pk: `p${at % 5}`, at, text: "x".repeat(20_000) });
  }
  const { code } = await backup("whole.backup");
  expect(code).toBe(0);
}, 60_000);

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
});

const run = (...args: readonly string[]) => orrery(directory.path, ...args);
const backup = (file: string, ...more: readonly string[]) =>
  run("backup", "--to", file, "--endpoint", stage.server.endpoint, ...more);
const pathOf = (name: string): string => join(directory.path, name);

describe("orrery backup", () => {
  test("does not overwrite a file unless it is told to", async () => {
    writeFileSync(pathOf("there.backup"), "precious");
    const refused = await backup("there.backup");
    expect(refused).toMatchObject({ code: 1, complaints: expect.stringContaining("--force") });
    expect(readFileSync(pathOf("there.backup"), "utf8")).toBe("precious");
    expect(await backup("there.backup", "--force")).toMatchObject({ code: 0 });
    expect((await run("check", "there.backup", "--quick")).code).toBe(0);
  });

  test("leaves nothing behind when there is no server, no key, no directory", async () => {
    const before = readdirSync(directory.path).sort();
    const nobody = await run("backup", "--to", "x", "--endpoint", "http://127.0.0.1:9");
    expect(nobody).toMatchObject({
      code: 1,
      complaints: expect.stringContaining("Nobody listens"),
    });
    const stranger = Buffer.from("the key of a stranger").toString("base64");
    const refused = await backup("x", "--key", stranger);
    expect(refused).toMatchObject({ code: 1, complaints: expect.stringContaining("the key") });
    const reader = await backup("x", "--key", READ_ONLY_KEY);
    expect(reader).toMatchObject({ code: 1, complaints: expect.stringContaining("read-only") });
    expect(readdirSync(directory.path).sort()).toEqual(before);
  });

  test("of a directory waits for no server, but for one that has it open", async () => {
    const busy = await run("backup", "--to", "x", "--data", data);
    expect(busy).toMatchObject({ code: 2, complaints: expect.stringContaining("in use") });
    const restored = pathOf("for-backup");
    await run("restore", "whole.backup", "--data", restored);
    expect(await run("backup", "--to", "again.backup", "--data", restored)).toMatchObject({
      code: 0,
    });
    const check = await run("check", "again.backup");
    expect(check.output).toContain(`${ITEM_COUNT} items`);
  });

  test("of a throw-away server is refused", async () => {
    await using other = await openStage();
    const refused = await run("backup", "--to", "x", "--endpoint", other.server.endpoint);
    expect(refused).toMatchObject({ code: 1, complaints: expect.stringContaining("--memory") });
  });
});

describe("orrery restore", () => {
  test("makes a directory that a server opens, with everything in it", async () => {
    const restored = pathOf("restored");
    const { code, output } = await run("restore", "whole.backup", "--data", restored);
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toMatch(/1 database, 1 container, 40 items/);
    expect(readdirSync(restored).sort()).toEqual(["journal", "tables"]);
    await using again = await openStage({ data: restored });
    const [container] = (await again.database.containers.readAll().fetchAll()).resources;
    const query = "SELECT VALUE COUNT(1) FROM c";
    const items = again.database.container(container!.id).items;
    expect((await items.query(query).fetchAll()).resources).toEqual([ITEM_COUNT]);
  });

  test("takes an empty directory and no other", async () => {
    mkdirSync(pathOf("empty"));
    expect((await run("restore", "whole.backup", "--data", "empty")).code).toBe(0);
    const full = await run("restore", "whole.backup", "--data", "empty");
    expect(full).toMatchObject({ code: 1, complaints: expect.stringContaining("not empty") });
    const busy = await run("restore", "whole.backup", "--data", data);
    expect(busy).toMatchObject({ code: 2, complaints: expect.stringContaining("in use") });
  });

  test("of what an interrupted one left begins again", async () => {
    mkdirSync(pathOf("half/restore.tmp"), { recursive: true });
    writeFileSync(pathOf("half/restore.tmp/rubbish"), "x");
    expect((await run("restore", "whole.backup", "--data", "half")).code).toBe(0);
    expect(readdirSync(pathOf("half")).sort()).toEqual(["journal", "tables"]);
  });

  test.each([
    ["damaged", (bytes: Buffer) => flipped(bytes, bytes.length >> 1), /damaged at byte \d+/],
    ["cut off", (bytes: Buffer) => bytes.subarray(0, bytes.length - 100), /cut off at byte \d+/],
    ["something else", () => Buffer.from("{}"), /this is no backup/],
  ])("of a backup that is %s says where, and makes nothing", async (name, damage, says) => {
    const file = `${name.replace(" ", "-")}.bad`;
    writeFileSync(pathOf(file), damage(readFileSync(pathOf("whole.backup"))));
    const { code, complaints } = await run("restore", file, "--data", "nowhere");
    expect(code).toBe(1);
    expect(complaints).toMatch(says);
    expect(existsSync(pathOf("nowhere"))).toBe(false);
    const check = await run("check", file, "--json");
    expect(check.code).toBe(1);
    expect(JSON.parse(check.output)).toMatchObject({ damageCount: 1 });
  });
});

describe("orrery check", () => {
  test("of a backup leaves nothing beside it", async () => {
    const before = readdirSync(directory.path).sort();
    const { code, output } = await run("check", "whole.backup", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ damageCount: 0, findings: [] });
    expect(readdirSync(directory.path).sort()).toEqual(before);
  });

  test("refuses a directory that a server has open, and one that is not there", async () => {
    const busy = await run("check", data);
    expect(busy).toMatchObject({ code: 2, complaints: expect.stringContaining("in use") });
    expect(await run("check", "nowhere")).toMatchObject({ code: 2 });
    expect(await run("check")).toMatchObject({ code: 2 });
  });

  test("outlives an engine that does not survive the file", async () => {
    const broken = pathOf("broken");
    await run("restore", "whole.backup", "--data", broken);
    const path = join(broken, "tables", "data.mdb");
    const bytes = readFileSync(path);
    // The metas point beyond the end of what is left.
    writeFileSync(path, bytes.subarray(0, 16 * 1024));
    const { code, output } = await run("check", broken);
    expect(code).toBe(1);
    expect(output).toMatch(/damage {2}/);
    expect(readdirSync(broken).sort()).toEqual(["journal", "tables"]);
  });
});

describe("POST /_orrery/v1/backup", () => {
  const json = { "content-type": "application/json" };
  const withKey = () => ({ ...json, authorization: `Bearer ${stage.server.key}` });

  test("needs a key on this machine, too, and no parameters", async () => {
    expect((await post(json)).statusCode).toBe(401);
    expect((await post({ ...withKey(), "content-type": "text/plain" })).statusCode).toBe(415);
    expect((await post(withKey(), "?quick=1")).statusCode).toBe(400);
    expect((await post({ ...withKey(), origin: "http://evil.example" })).statusCode).toBe(403);
  });

  test("ends when its client hangs up, and gives the next", async () => {
    const first = await post(withKey());
    expect(first.statusCode).toBe(200);
    first.destroy();
    await expect.poll(async () => (await backup("next.backup", "--force")).code).toBe(0);
    await expect.poll(() => existsSync(join(data, "backup.tmp"))).toBe(false);
  });

  function post(headers: Record<string, string>, query = ""): Promise<IncomingMessage> {
    const url = new URL(`/_orrery/v1/backup${query}`, stage.server.endpoint);
    return new Promise((resolve, reject) => {
      const sent = request(url, { method: "POST", headers, agent: false }, resolve);
      sent.on("error", reject);
      sent.end();
    });
  }
});

function flipped(bytes: Buffer, at: number): Buffer {
  bytes[at]! ^= 0x20;
  return bytes;
}
