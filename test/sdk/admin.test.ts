/**
 * The admin API through sockets, behind the same listener as the data plane, in front of a
 * simulated engine.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { request } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Account } from "../../src/engine/account.ts";
import { SERVICE_LIMITS } from "../../src/model/limits.ts";
import type { IndexAnswer } from "../../src/protocol/admin.ts";
import { openGatekeeper } from "../../src/server/access/gatekeeper.ts";
import type { AdminSetting } from "../../src/server/admin/door.ts";
import { openAdmin } from "../../src/server/admin/door.ts";
import type { SimulatedSurface } from "../../src/server/admin/simulatedSurface.fake.ts";
import { simulatedSurface } from "../../src/server/admin/simulatedSurface.fake.ts";
import { Connections } from "../../src/server/connections/connections.ts";
import { hostGate } from "../../src/server/http/hostAllowList.ts";
import { Outbox } from "../../src/server/http/outbox.ts";
import { createListener } from "../../src/server/listener.ts";
import { nodeFamilies } from "../../src/server/nodes/nodeFamilies.ts";
import { WELL_KNOWN_KEY } from "../../src/server/surroundings/options.ts";
import { realClock, realRandom, realTimer } from "../../src/server/surroundings/realWorld.ts";
import { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";

interface Told {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Stage {
  readonly surface: SimulatedSurface;
  readonly logged: string[];
  ask(path: string, options?: Asking): Promise<Told>;
  close(): Promise<void>;
}

interface Asking {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

const KEYS = { list: [{ key: WELL_KNOWN_KEY, isReadOnly: false }] };

async function openStage(setting: Partial<AdminSetting> = {}): Promise<Stage> {
  const account = await Account.open({
    store: EmbeddedStore.inMemory(realTimer),
    clock: realClock,
    timer: realTimer,
    random: realRandom,
    limits: SERVICE_LIMITS,
  });
  const logged: string[] = [];
  const log = (event: string): number => logged.push(event);
  const outbox = new Outbox(realTimer, (defect) => {
    throw defect;
  });
  const { wallNow } = realClock;
  const surface = simulatedSurface();
  const connections = new Connections({
    clock: realClock,
    timer: realTimer,
    log,
    deadlines: { headMs: 10_000, bodyMs: 60_000, idleMs: 130_000 },
    connectionsMax: 1000,
  });
  const listener = createListener({
    account,
    gatekeeper: openGatekeeper({ account, keys: KEYS, wallNow }),
    log,
    outbox,
    connections,
    clock: realClock,
    isAllowedHost: hostGate([]),
    publicEndpoint: undefined,
    tls: undefined,
    admin: openAdmin({
      surface,
      access: "loopback",
      keys: KEYS,
      outbox,
      log,
      wallNow,
      version: "1.2.3",
      ...setting,
    }),
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  return {
    surface,
    logged,
    ask: (path, options) => ask(listener, path, options),
    close: async () => {
      connections.hurry();
      listener.close();
      await account.close();
    },
  };
}

async function ask(
  listener: Server,
  path: string,
  { method = "GET", headers = {}, body }: Asking = {},
): Promise<Told> {
  const { port } = listener.address() as AddressInfo;
  const asking = request({ host: "127.0.0.1", port, path, method, headers });
  asking.end(body);
  const [answer] = await once(asking, "response");
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage.close());

const SPLIT = "/_orrery/v1/containers/shop/orders/split";
const JSON_TYPE = { "content-type": "application/json" };

describe("an answer", () => {
  test("is JSON that nobody keeps and no other site can embed", async () => {
    const { status, headers, body } = await stage.ask("/_orrery/v1/containers");
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ containers: [{ container: "orders" }] });
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(headers).not.toHaveProperty("access-control-allow-origin");
  });

  test("of the metrics is text of the version Prometheus reads", async () => {
    const { status, headers, body } = await stage.ask("/_orrery/metrics");
    expect([status, headers["content-type"]]).toEqual([
      200,
      "text/plain; version=0.0.4; charset=utf-8",
    ]);
    expect(body).toContain(
      '\norrery_partition_items{database="shop",container="orders",partition="1"} 200000\n',
    );
    expect(body).toContain('\norrery_info{version="1.2.3"} 1\n');
    expect(body).not.toContain("orrery_responses_total");
  });

  test("to a POST is 202 when it starts a job", async () => {
    const body = JSON.stringify({ at: "middle" });
    const told = await stage.ask(SPLIT, { method: "POST", headers: JSON_TYPE, body });
    expect(told.status).toBe(202);
    expect(stage.surface.asked).toContainEqual(["split", "shop", "orders", { at: "middle" }]);
  });

  test("is given, and logged, when the engine makes a mistake", async () => {
    const broken = await openStage({
      surface: {
        ...simulatedSurface(),
        overview: () => {
          throw new Error("secret reason");
        },
        counters: () => {
          throw new Error("secret reason");
        },
      },
    });
    for (const path of ["/_orrery/v1/overview", "/_orrery/metrics"]) {
      const { status, body } = await broken.ask(path);
      expect(status).toBe(500);
      expect(body).not.toContain("secret");
    }
    expect(broken.logged).toEqual(["adminRequestFailed", "adminRequestFailed"]);
    await broken.close();
  });
});

describe("the door stays shut", () => {
  test.each<[string, number, string, Asking]>([
    ["for a host that nobody named", 403, SPLIT, { headers: { host: "evil.example" } }],
    [
      "for a page of another site",
      403,
      "/_orrery/v1/jobs",
      { headers: { origin: "https://evil.example" } },
    ],
    [
      "for a page on another port of this machine",
      403,
      "/_orrery/metrics",
      { headers: { host: "localhost:8081", origin: "http://localhost:3000" } },
    ],
    ["for a form", 415, SPLIT, { method: "POST", headers: { "content-type": "text/plain" } }],
    ["for a body of no type", 415, SPLIT, { method: "POST", body: "{}" }],
    [
      "for a body that is too long",
      413,
      SPLIT,
      { method: "POST", headers: JSON_TYPE, body: " ".repeat(65_537) },
    ],
    ["for a body that is not JSON", 400, SPLIT, { method: "POST", headers: JSON_TYPE, body: "{" }],
    ["for other verbs", 405, SPLIT, { method: "PUT", headers: JSON_TYPE, body: "{}" }],
    ["for a question before it could be asked", 405, SPLIT, { method: "OPTIONS" }],
    ["where nothing is", 404, "/_orrery/v1/nothing", {}],
  ])("%s: %i", async (_rule, status, path, asking) => {
    const before = stage.surface.asked.length;
    const told = await stage.ask(path, asking);
    expect(told.status).toBe(status);
    expect(JSON.parse(told.body)).toMatchObject({
      code: expect.any(String),
      message: expect.any(String),
    });
    expect(stage.surface.asked.length).toBe(before);
  });

  test("and open for a page of this server", async () => {
    const headers = { host: "localhost:8081", origin: "http://localhost:8081" };
    expect((await stage.ask("/_orrery/v1/jobs", { headers })).status).toBe(200);
  });

  test("for everybody when it is switched off", async () => {
    const shut = await openStage({ access: "off" });
    for (const path of ["/_orrery/v1/", "/_orrery/metrics", "/_orrery/"]) {
      expect((await shut.ask(path)).status).toBe(404);
    }
    await shut.close();
  });

  test("for what was handed on, without a key", async () => {
    const open = await openStage({ access: "any" });
    const headers = { "x-forwarded-for": "10.0.0.1" };
    const refused = await open.ask("/_orrery/v1/jobs", { headers });
    expect([refused.status, refused.headers["www-authenticate"]]).toEqual([
      401,
      'Bearer realm="orrery"',
    ]);
    const authorization = `Bearer ${WELL_KNOWN_KEY}`;
    const { status } = await open.ask("/_orrery/v1/jobs", {
      headers: { ...headers, authorization },
    });
    expect(status).toBe(200);
    await open.close();
  });
});

test("the data plane is as it was, with the door and without", async () => {
  expect((await stage.ask("/_health/live")).status).toBe(200);
  expect((await stage.ask("/dbs")).status).toBe(401);
  expect((await stage.ask("/_orreryx/v1/jobs")).status).not.toBe(200);
});

const LONE = {
  role: "works",
  takeoverCount: 1,
  forwardedCount: 0,
  knownCount: 1,
  silentCount: 0,
} as const;

describe("docs/operate/admin.md", () => {
  const page = readFileSync(new URL("../../docs/operate/admin.md", import.meta.url), "utf8");

  test("has a heading for each route, and none besides", async () => {
    const { routes } = JSON.parse((await stage.ask("/_orrery/v1/")).body) as IndexAnswer;
    const there = routes.map(({ method, path }) => `${method} ${path}`);
    const described = [...page.matchAll(/^### `(.*)`$/gm)].map(([, heading]) => heading);
    const elsewhere = ["GET /_orrery/v1/", "GET /_orrery/metrics"];
    expect(described.sort()).toEqual(there.filter((route) => !elsewhere.includes(route)).sort());
    for (const { method, path, parameters } of routes) {
      const section = page.split(`${method} ${path}\``)[1] ?? "";
      for (const name of parameters) expect(section).toContain(name);
    }
  });

  test("has examples that are JSON", () => {
    const examples = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(
      ([, example]) => example!,
    );
    expect(examples.length).toBeGreaterThan(10);
    for (const example of examples) expect(() => JSON.parse(example)).not.toThrow();
  });

  test("has a row for each metric, and none besides", async () => {
    const counting = await openStage({ statusCounts: () => new Map([[200, 1]]) });
    const { body } = await counting.ask("/_orrery/metrics");
    await counting.close();
    const told = [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]);
    // This server is no node of a cluster.
    const ofNodes = nodeFamilies(LONE).map(({ name, type }) => [name, type]);
    const rows = [...page.matchAll(/^\| `(\w+)` +\| (counter|gauge) +\|/gm)];
    const listed = rows.map(([, name, type]) => [name, type]).sort();
    expect(listed).toEqual([...told, ...ofNodes].sort());
  });
});
