/** Account keys, shown and exchanged while the server runs, and who may do that. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runKeys } from "../../src/cli/keys.ts";
import { WELL_KNOWN_KEY } from "../../src/index.ts";
import type { KeysAnswer } from "../../src/protocol/admin.ts";
import type { Answer, Wire } from "./wire.ts";
import { expectStatus, ITEMS, openWire, PARTITION_KEY } from "./wire.ts";

const KEYS = "/_orrery/v1/keys";
const readOnlyKey = Buffer.alloc(64, "read-only").toString("base64");

let wire: Wire;
beforeEach(async () => {
  wire = await openWire({ memory: true, readOnlyKey });
});
afterEach(() => wire[Symbol.asyncDispose]());

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

function admin(
  method: string,
  path: string,
  key: string | undefined = WELL_KNOWN_KEY,
  headers: Record<string, string> = { "content-type": "application/json" },
): Promise<Answer> {
  const authorized = { ...headers, ...(key === "" ? {} : bearer(key)) };
  return wire.call(method, [], { path, key: null, headers: authorized });
}

async function regenerated(name: string, key?: string): Promise<string> {
  const path = `${KEYS}/${name}/regenerate`;
  const { body } = await expectStatus(200, admin("POST", path, key));
  const { keys } = JSON.parse(body.toString()) as KeysAnswer;
  expect(keys.map((entry) => entry.name)).toEqual([name]);
  return keys[0]!.key!;
}

/** The status that a key gets for reading an item, and for writing one. */
async function standing(key: string): Promise<readonly number[]> {
  const read = await wire.item("GET", "kept", { key });
  const body = '{"id":"kept","pk":"a"}';
  const headers = { ...PARTITION_KEY, "x-ms-documentdb-is-upsert": "true" };
  const write = await wire.call("POST", ITEMS, { key, body, headers });
  return [read.status, write.status];
}

describe("regenerating", () => {
  test("makes keys there were not, and ends those there were at once", async () => {
    const first = await regenerated("secondary");
    expect(await standing(first)).toEqual([200, 200]);
    const second = await regenerated("secondary");
    expect(await standing(first)).toEqual([401, 401]);
    expect(await standing(second)).toEqual([200, 200]);
    const reading = await regenerated("secondaryReadOnly");
    expect(await standing(reading)).toEqual([200, 403]);
    expect(await standing(WELL_KNOWN_KEY)).toEqual([200, 200]);
  });

  test("replaces the key that everybody knows, also in what the server says of itself", async () => {
    const primary = await regenerated("primary");
    expect(await standing(WELL_KNOWN_KEY)).toEqual([401, 401]);
    expect(await standing(primary)).toEqual([200, 200]);
    expect(wire.server.key).toBe(primary);
    expect(wire.server.connectionString).toContain(`AccountKey=${primary};`);
    await expectStatus(401, admin("GET", KEYS));
    await expectStatus(200, admin("GET", KEYS, primary));
  });

  test("the primary key ends resource tokens, the secondary does not", async () => {
    const send = async (segments: readonly string[], body: object): Promise<string> =>
      (
        await expectStatus(201, wire.call("POST", segments, { body: JSON.stringify(body) }))
      ).body.toString();
    await send(["dbs", "d", "users"], { id: "u" });
    const permission = { id: "p", permissionMode: "Read", resource: "dbs/d/colls/c" };
    const made = await send(["dbs", "d", "users", "u", "permissions"], permission);
    const { _token } = JSON.parse(made) as { _token: string };
    const headers = { authorization: encodeURIComponent(_token) };
    const read = () => wire.call("GET", ["dbs", "d", "colls", "c"], { key: null, headers });
    await regenerated("secondary");
    await expectStatus(200, read());
    await regenerated("primary");
    await expectStatus(401, read());
  });

  test("is refused for a key that an option gave", async () => {
    const path = `${KEYS}/primaryReadOnly/regenerate`;
    const { body } = await expectStatus(409, admin("POST", path));
    expect(body.toString()).toContain("given by an option");
    expect(await standing(readOnlyKey)).toEqual([200, 403]);
  });
});

test("keys are listed with where they come from", async () => {
  const { body } = await expectStatus(200, admin("GET", KEYS));
  expect(JSON.parse(body.toString())).toEqual({
    keys: [
      { name: "primary", isReadOnly: false, origin: "wellKnown", key: WELL_KNOWN_KEY },
      { name: "secondary", isReadOnly: false, origin: "none" },
      { name: "primaryReadOnly", isReadOnly: true, origin: "option", key: readOnlyKey },
      { name: "secondaryReadOnly", isReadOnly: true, origin: "none" },
    ],
  });
});

test.each<
  [
    rule: string,
    status: number,
    method: string,
    path: string,
    key?: string | undefined,
    type?: string,
  ]
>([
  ["no key, even on this machine", 401, "GET", KEYS, ""],
  ["an unknown key", 401, "GET", KEYS, "AAAA"],
  ["the read-only key, even to look", 403, "GET", KEYS, readOnlyKey],
  ["the read-only key", 403, "POST", `${KEYS}/secondary/regenerate`, readOnlyKey],
  ["a key of no such name", 404, "POST", `${KEYS}/third/regenerate`],
  ["another verb on a key", 404, "POST", `${KEYS}/secondary/forget`],
  ["a GET that would change something", 405, "GET", `${KEYS}/secondary/regenerate`],
  ["a POST to the list", 405, "POST", KEYS],
  ["a parameter", 400, "GET", `${KEYS}?all=1`],
  ["what a form can send", 415, "POST", `${KEYS}/secondary/regenerate`, undefined, "text/plain"],
])("%s is refused: %i", async (_rule, status, method, path, key, type = "application/json") => {
  await expectStatus(status, admin(method, path, key, { "content-type": type }));
});

test("a page of another site is refused", async () => {
  const headers = { "content-type": "application/json", origin: "https://evil.example" };
  await expectStatus(403, admin("POST", `${KEYS}/secondary/regenerate`, undefined, headers));
});

test("the index lists the routes", async () => {
  const { body } = await expectStatus(200, admin("GET", "/_orrery/v1/"));
  expect(body.toString()).toContain(`${KEYS}/{name}/regenerate`);
});

describe("orrery keys", () => {
  async function printed(...args: string[]): Promise<string> {
    const lines: string[] = [];
    const spy = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
      lines.push(String(text));
      return true;
    });
    try {
      await runKeys([...args, "--endpoint", wire.server.endpoint], {});
    } finally {
      spy.mockRestore();
    }
    return lines.join("");
  }

  test("list shows them", async () => {
    const text = await printed("list");
    expect(text).toContain(WELL_KNOWN_KEY);
    expect(text).toMatch(/^secondary +\(none\)$/m);
  });

  test("regenerate makes one anew and prints it", async () => {
    const { keys } = JSON.parse(await printed("regenerate", "secondary", "--json")) as KeysAnswer;
    expect(await standing(keys[0]!.key!)).toEqual([200, 200]);
  });

  test.each([[[]], [["regenerate"]], [["regenerate", "third"]], [["list", "all"]], [["forget"]]])(
    "%j makes no sense",
    async (args) => {
      await expect(printed(...args)).rejects.toThrow(/orrery keys|Name the key/);
    },
  );
});
