/** When the keys of an identity provider are read, and what becomes of it when they cannot be. */
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MINUTE_MS, millis } from "../../base/units.ts";
import { IssuerKeys } from "./issuerKeys.ts";

const JWK = generateKeyPairSync("ec", { namedCurve: "prime256v1" }).publicKey.export({
  format: "jwk",
});
const setOf = (...ids: readonly string[]): string =>
  JSON.stringify({ keys: ids.map((kid) => ({ ...JWK, kid })) });

let now = 0;
let lateAction: (() => void) | undefined;
let problems: string[];
const close: (() => void)[] = [];

beforeEach(() => {
  now = 0;
  problems = [];
});
afterEach(() => {
  for (const action of close.splice(0)) action();
});

function keysFrom(source: string): IssuerKeys {
  return new IssuerKeys({
    source,
    clock: { now: () => millis(now), wallNow: () => now },
    timer: {
      after(_delay, action) {
        lateAction = action;
        return () => undefined;
      },
      soon: async () => undefined,
    },
    log: (_event, fields) => problems.push(String(fields?.["reason"])),
  });
}

const has = async (keys: IssuerKeys, id: string): Promise<boolean> =>
  (await keys.find(id)) !== undefined;

describe("from an address", () => {
  test("they are read when one is asked for, and then known", async () => {
    const { url, asked } = await provider((response) => response.end(setOf("a", "b")));
    const keys = keysFrom(url);
    expect(asked()).toBe(0);
    expect(await Promise.all(["a", "b", "a"].map((id) => has(keys, id)))).toEqual([
      true,
      true,
      true,
    ]);
    expect(keys.find("a")).not.toBeInstanceOf(Promise);
    expect(asked()).toBe(1);
  });

  test("an unknown one makes them be read again, at most once a minute", async () => {
    let ids = ["a"];
    const { url, asked } = await provider((response) => response.end(setOf(...ids)));
    const keys = keysFrom(url);
    expect(await has(keys, "a")).toBe(true);
    ids = ["b"];
    for (let n = 0; n < 20; n++) expect(await has(keys, `made up ${n}`)).toBe(false);
    expect(await has(keys, "b")).toBe(false);
    expect(asked()).toBe(1);
    now += MINUTE_MS;
    expect(await has(keys, "b")).toBe(true);
    expect(await has(keys, "a")).toBe(false);
    expect(asked()).toBe(2);
  });

  test("one that was withdrawn is not trusted for more than an hour", async () => {
    let ids = ["a", "b"];
    const { url } = await provider((response) => response.end(setOf(...ids)));
    const keys = keysFrom(url);
    expect(await has(keys, "a")).toBe(true);
    ids = ["b"];
    now += 59 * MINUTE_MS;
    expect(await has(keys, "a")).toBe(true);
    now += MINUTE_MS;
    expect(await has(keys, "a")).toBe(false);
  });

  test.each<[problem: string, answer: (response: ServerResponse) => void, says: RegExp]>([
    ["an error", (response) => response.writeHead(500).end("{}"), /status 500/],
    [
      "another address",
      (response) => response.writeHead(302, { location: "/other" }).end(),
      /status 302/,
    ],
    ["no keys", (response) => response.end("{}"), /JWKS/],
    ["too much", (response) => response.end("x".repeat(1024 * 1024 + 1)), /more than/],
    [
      "half of it",
      (response) => response.write("{", () => response.destroy()),
      /breaks off|aborted|hang up/,
    ],
    ["nothing", () => lateAction!(), /in time/],
  ])("%s leaves what was known", async (_problem, answer, says) => {
    let isFine = true;
    const { url, asked } = await provider((response) => {
      if (isFine) response.end(setOf("a"));
      else answer(response);
    });
    const keys = keysFrom(url);
    expect(await has(keys, "a")).toBe(true);
    isFine = false;
    now += 60 * MINUTE_MS;
    expect(await has(keys, "a")).toBe(true);
    expect(await has(keys, "b")).toBe(false);
    expect(asked()).toBe(2);
    expect(problems).toEqual([expect.stringMatching(says)]);
  });
});

test("from a file they are read likewise", async () => {
  const folder = mkdtempSync(join(tmpdir(), "orrery-issuer-"));
  close.push(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "keys.json");
  writeFileSync(path, setOf("a"));
  const keys = keysFrom(path);
  expect(await has(keys, "a")).toBe(true);
  writeFileSync(path, setOf("b"));
  expect(await has(keys, "b")).toBe(false);
  now += MINUTE_MS;
  expect(await has(keys, "b")).toBe(true);
});

async function provider(
  answer: (response: ServerResponse) => void,
): Promise<{ readonly url: string; asked(): number }> {
  let count = 0;
  const server = createServer((request, response) => {
    count++;
    expect(request.url).toBe("/keys");
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  close.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/keys`, asked: () => count };
}
