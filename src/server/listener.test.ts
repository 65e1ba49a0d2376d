/**
 * What clients are told when the server itself is in trouble: that it is, and when to come back;
 * not where its files are, and not how its code looks inside.
 */
import { once } from "node:events";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import { containerIn, databaseIn, simulatedAccount } from "../engine/simulatedAccount.fake.ts";
import { StoreFault } from "../store/partitionStore.ts";
import type { Gatekeeper } from "./access/gatekeeper.ts";
import { Connections } from "./connections/connections.ts";
import { Outbox } from "./http/outbox.ts";
import type { ListenerSetting } from "./listener.ts";
import { createListener } from "./listener.ts";
import { realClock, realTimer } from "./surroundings/realWorld.ts";

const OPEN_DOOR: Gatekeeper = {
  refusalOf: () => undefined,
  tokenMint: { mint: () => "" },
};

let closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers) await close();
  closers = [];
});

async function stage(more: Partial<ListenerSetting> = {}) {
  const simulated = await simulatedAccount();
  const { account, trouble } = simulated;
  await containerIn(account, await databaseIn(account));
  const logged: string[] = [];
  const log = (event: string): number => logged.push(event);
  const outbox = new Outbox(realTimer, (defect) => {
    throw defect;
  });
  const connections = new Connections({
    clock: realClock,
    timer: realTimer,
    log,
    deadlines: { headMs: 10_000, bodyMs: 60_000, idleMs: 130_000 },
    connectionsMax: 100,
  });
  const listener = createListener({
    account,
    gatekeeper: OPEN_DOOR,
    log,
    outbox,
    connections,
    clock: realClock,
    isAllowedHost: () => true,
    publicEndpoint: undefined,
    tls: undefined,
    ...more,
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  closers.push(() => {
    connections.hurry();
    listener.close();
  });
  const { port } = listener.address() as AddressInfo;
  const ask = async (method: string, path: string, body = "", headers = {}) => {
    const asking = request({ host: "127.0.0.1", port, method, path, headers, agent: false });
    asking.end(body);
    const [answer] = await once(asking, "response");
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
  };
  return { trouble, logged, ask };
}

const ITEMS = "/dbs/d/colls/c/docs";
const KEY = { "x-ms-documentdb-partitionkey": '["a"]' };
const WORDS = "EROFS: read-only file system, open '/var/lib/orrery/journal/7.log'";

describe("a disk that fails", () => {
  test.each([
    ["an item", "POST", ITEMS, '{"id":"1","pk":"a"}'],
    ["a database", "POST", "/dbs", '{"id":"other"}'],
    ["a container", "POST", "/dbs/d/colls", '{"id":"o","partitionKey":{"paths":["/pk"]}}'],
    ["a key", "POST", "/dbs/d/colls/c/operations/partitionkeydelete", ""],
  ])(
    "is told with a time to come back and without a path: %s",
    async (_rule, method, path, body) => {
      const { trouble, ask } = await stage();
      await ask("POST", ITEMS, '{"id":"kept","pk":"a"}', KEY);
      trouble.fault = (operation) => (operation === "commit" ? new StoreFault(WORDS) : undefined);
      const answer = await ask(method, path, body, KEY);
      expect(answer.status).toBe(503);
      expect(Number(answer.headers["x-ms-retry-after-ms"])).toBeGreaterThan(0);
      expect(Number(answer.headers["retry-after"])).toBeGreaterThanOrEqual(1);
      expect(answer.headers["x-ms-activity-id"]).toMatch(/^[0-9a-f-]{36}$/);
      expect(JSON.parse(answer.body)).toMatchObject({ code: "ServiceUnavailable" });
      expect(answer.body).toContain("EROFS");
      expect(answer.body).not.toMatch(/var|lib|journal|\.log/);
    },
  );
});

describe("a defect", () => {
  test("is told without a stack, and the log has it", async () => {
    const broken = {
      refusalOf: () => {
        throw new Error("gears in /var/lib/orrery/gears.ts are missing");
      },
    };
    const { ask, logged } = await stage({ gatekeeper: { ...OPEN_DOOR, ...broken } });
    const answer = await ask("POST", ITEMS, "{}");
    expect(answer.status).toBe(500);
    expect(answer.headers["x-ms-activity-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.parse(answer.body)).toMatchObject({ code: "InternalServerError" });
    expect(answer.body).not.toMatch(/gears|\bat /);
    expect(logged).toEqual(["requestFailed"]);
  });
});
