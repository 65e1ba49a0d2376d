/** The admin API without sockets: what each route asks of the engine, and how it says no. */
import { describe, expect, test } from "vitest";
import type { AdminReply, AdminRequest } from "./route.ts";
import { answerAdmin } from "./routes.ts";
import type { SimulatedSurface } from "./simulatedSurface.fake.ts";
import { ALERTS, simulatedSurface } from "./simulatedSurface.fake.ts";

const NOW = Date.UTC(2026, 4, 15, 14, 10);
const HOUR = 3_600_000;
const OF = "/_orrery/v1/containers/shop/orders";

async function ask(
  url: string,
  { method = "GET", body = "" }: { readonly method?: string; readonly body?: string } = {},
  surface: SimulatedSurface = simulatedSurface(),
): Promise<AdminReply & { readonly asked: unknown[][] }> {
  const request: AdminRequest = { method, url, body: Buffer.from(body), now: NOW };
  const reply = await answerAdmin(surface, request);
  const { asked } = surface;
  if (reply.ok) return { ...reply.value, asked };
  return { status: reply.error.status, body: reply.error.error, asked };
}

const post = (url: string, body: unknown): ReturnType<typeof ask> =>
  ask(url, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });

describe("what is asked of the engine", () => {
  test.each<[string, unknown[]]>([
    ["report", ["report"]],
    ["report/", ["report"]],
    ["report?", ["report"]],
    ["heat", ["heat", { from: NOW - HOUR, to: NOW, metric: "ru", rows: 60, columns: 64 }]],
    [
      "heat?from=1000&to=2000&metric=throttled&rows=360&columns=512",
      ["heat", { from: 1000, to: 2000, metric: "throttled", rows: 360, columns: 512 }],
    ],
    [
      "history?from=2026-05-15T12:00:00Z&to=2026-05-15T15:00:00.5%2B01:00",
      ["history", { from: NOW - 2 * HOUR - 600_000, to: NOW - 600_000 + 500 }],
    ],
    [
      "history?to=5000000&slotSeconds=600",
      ["history", { from: 5_000_000 - HOUR, to: 5_000_000, slotSeconds: 600 }],
    ],
    ["topKeys", ["topKeys", { by: "size", count: 10 }]],
    ["topKeys?by=load&count=1000", ["topKeys", { by: "load", count: 1000 }]],
    ['locate?key=["ada"]', ["locate", ["ada"]]],
    ["locate?key=%5B%22a+b%22,2,null,%7B%7D%5D", ["locate", ["a b", 2, null, undefined]]],
    ["deletePrice", ["deletePrice"]],
    ["mergeSuggestions", ["suggestMerges"]],
  ])("GET %s", async (route, [what, ...question]) => {
    const { status, asked } = await ask(`${OF}/${route}`);
    expect(status).toBe(200);
    expect(asked).toEqual([[what, "shop", "orders", ...question]]);
  });

  test.each<[string, unknown, unknown[]]>([
    ["split", "", ["split", {}]],
    ["split", {}, ["split", {}]],
    ["split", { partitionId: "2", at: "middle" }, ["split", { partitionId: "2", at: "middle" }]],
    ["split", { at: "median" }, ["split", { at: "median" }]],
    ["split", { at: "1abc" }, ["split", { at: "1ABC" }]],
    ["split", { at: null }, ["split", {}]],
    ["merge", { partitionIds: ["0", "1"] }, ["merge", { partitionIds: ["0", "1"] }]],
    ["move", { partitionId: "0", to: "b" }, ["move", { partitionId: "0", to: "b" }]],
    ["buckets", { buckets: [] }, ["setBuckets", []]],
    ["buckets", { buckets: [{ id: 5, percent: 100 }] }, ["setBuckets", [{ id: 5, percent: 100 }]]],
    ["recordings", "", ["record", { secretPaths: [], seconds: 86_400 }]],
    [
      "recordings",
      { secretPaths: ["/customer/email", "*"], seconds: 60 },
      ["record", { secretPaths: ["/customer/email", "*"], seconds: 60 }],
    ],
  ])("POST %s %j", async (route, body, [what, ...question]) => {
    const { status, asked } = await post(`${OF}/${route}`, body);
    expect(status).toBe(route === "buckets" ? 200 : route === "recordings" ? 201 : 202);
    expect(asked).toEqual([[what, "shop", "orders", ...question]]);
  });

  test("names from a path are decoded, and any name is one", async () => {
    for (const name of ["a b/c", "..", "__proto__", "日本", "%2F"]) {
      const surface = simulatedSurface({ database: name, container: name });
      const path = `${encodeURIComponent(name)}/${encodeURIComponent(name)}`;
      const { status } = await ask(`/_orrery/v1/containers/${path}/report`, {}, surface);
      expect([name, status]).toEqual([name, 200]);
    }
  });
});

describe("what is answered", () => {
  test.each<[string, object]>([
    ["containers", { containers: [{ database: "shop", container: "orders", rid: "rid1" }] }],
    ["alerts", { alerts: ALERTS }],
    ["jobs", { jobs: [] }],
  ])("to %s", async (route, body) => {
    expect(await ask(`/_orrery/v1/${route}`)).toMatchObject({ status: 200, body });
  });

  test("to the last requests: all, the refused ones, or a number of them", async () => {
    const statuses = async (parameters: string): Promise<readonly unknown[]> => {
      const { body } = await ask(`/_orrery/v1/requests${parameters}`);
      const { requests } = body as { readonly requests: readonly { readonly status: number }[] };
      return requests.map(({ status }) => status);
    };
    expect(await statuses("")).toEqual([409, 201]);
    expect(await statuses("?only=refused")).toEqual([409]);
    expect(await statuses("?count=1")).toEqual([409]);
    expect(await ask("/_orrery/v1/requests?count=0")).toMatchObject({ status: 400 });
  });

  test("to alerts that are active: only those, with their rules", async () => {
    const { body } = await ask("/_orrery/v1/alerts?only=active");
    expect(body).toEqual({
      alerts: {
        alerts: [ALERTS.alerts[0]],
        history: [],
        rules: [ALERTS.rules[0]],
        settings: { hot: ALERTS.settings["hot"] },
      },
    });
    expect(await ask("/_orrery/v1/alerts?only=some")).toMatchObject({ status: 400 });
  });

  test("to overview: a row for each container, and when", async () => {
    const { body } = await ask("/_orrery/v1/overview");
    expect(body).toMatchObject({
      at: NOW,
      containers: [{ container: "orders", busiestPercent: 100, wholePercent: 40 }],
    });
  });

  test("to topKeys: the keys, and by what they are ranked", async () => {
    const { body } = await ask(`${OF}/topKeys?count=1`);
    expect(body).toMatchObject({ by: "size", keys: [{ partitionKey: ["tenant-d"] }] });
  });

  test("to limits: which are not those of the service", async () => {
    const { body } = await ask("/_orrery/v1/limits");
    expect(body).toMatchObject({
      limits: { logicalPartitionBytesMax: 20 * 1024 ** 2 },
      service: { logicalPartitionBytesMax: 20 * 1024 ** 3 },
      changed: ["logicalPartitionBytesMax"],
    });
  });

  test("to split and merge: the job, which is then among the jobs", async () => {
    const surface = simulatedSurface();
    const method = "POST";
    const split = await ask(`${OF}/split`, { method, body: '{"partitionId":"2"}' }, surface);
    expect(split.body).toMatchObject({
      job: { id: "1", kind: "split", database: "shop", partitionIds: ["2"], state: "waiting" },
    });
    const { body } = await ask("/_orrery/v1/jobs", {}, surface);
    expect(body).toMatchObject({ jobs: [{ id: "1", kind: "split" }] });
  });

  test("to recordings: how far it is, all of it, and the last word when it is discarded", async () => {
    const surface = simulatedSurface();
    const url = `${OF}/recordings`;
    expect(await ask(url, {}, surface)).toMatchObject({ status: 404 });
    await ask(url, { method: "POST" }, surface);
    expect(await ask(url, { method: "POST" }, surface)).toMatchObject({
      status: 409,
      body: { code: "Conflict" },
    });
    const workload = await ask(`${url}?part=workload`, {}, surface);
    expect(JSON.stringify(workload)).toContain("operations");
    const progress = await ask(`${url}?part=progress`, {}, surface);
    expect(progress.body).toMatchObject({ recording: { state: "running", operationCount: 0 } });
    expect(progress.body).not.toMatchObject({ recording: { formatVersion: 1 } });
    const whole = await ask(url, {}, surface);
    expect(whole.body).toMatchObject({ recording: { formatVersion: 1, operations: [] } });
    const last = await ask(url, { method: "DELETE" }, surface);
    expect(last).toMatchObject({ status: 200, body: { recording: { formatVersion: 1 } } });
    expect(await ask(url, { method: "DELETE" }, surface)).toMatchObject({ status: 404 });
  });

  test("to nothing: what there is, each with a line", async () => {
    const { body } = (await ask("/_orrery/v1/")) as {
      body: { routes: { method: string; path: string }[] };
    };
    const paths = body.routes.map(({ path }) => path);
    expect(paths).toContain("/_orrery/v1/containers/{database}/{container}/report");
    expect(paths).toContain("/_orrery/metrics");
    const verbs = body.routes.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(verbs).size).toBe(verbs.length);
    for (const route of body.routes) {
      expect(route).toMatchObject({ about: expect.stringMatching(/^[a-z]/) });
    }
    const unknown = await ask("/_orrery/v1/nothing");
    expect(unknown).toMatchObject({ status: 404, body: { code: "NotFound", routes: body.routes } });
  });

  test.each(["/_orrery/", "/_orrery/v2/jobs", "/_orrery/v1/containers/shop", `${OF}/report/x`])(
    "to %s: that nothing is there",
    async (url) => {
      expect(await ask(url)).toMatchObject({ status: 404, body: { code: "NotFound" } });
    },
  );
});

describe("what is refused", () => {
  test.each<[string, string]>([
    [`${OF}/heat?from=2000&to=1000`, "'from' must be before"],
    [`${OF}/heat?from=0`, "400 days"],
    [`${OF}/heat?from=yesterday`, "'yesterday'"],
    [`${OF}/heat?from=2026-05-15T12:00:00`, "since 1970"],
    [`${OF}/heat?from=2026-13-45`, "'from'"],
    [`${OF}/heat?to=-5`, "'to'"],
    [`${OF}/heat?metric=reads`, "ru, throttled"],
    [`${OF}/heat?rows=1`, "from 2 to 360"],
    [`${OF}/heat?rows=361`, "from 2 to 360"],
    [`${OF}/heat?columns=0`, "from 1 to 512"],
    [`${OF}/heat?columns=1.5`, "from 1 to 512"],
    [`${OF}/heat?row=5`, "'row'"],
    [`${OF}/heat?rows=5&rows=6`, "twice"],
    [`${OF}/report?x=1`, "none here"],
    [`${OF}/history?slotSeconds=x`, "'slotSeconds'"],
    [`${OF}/topKeys?by=name`, "size, load"],
    [`${OF}/topKeys?count=1001`, "from 1 to 1000"],
    [`${OF}/locate`, "missing"],
    [`${OF}/recordings?part=half`, "all, progress"],
    [`${OF}/locate?key=ada`, '["ada"]'],
    [`${OF}/locate?key=[[1]]`, "JSON array"],
    ["/_orrery/v1/containers/%zz/c/report", "path"],
  ])("GET %s: 400", async (url, part) => {
    const { status, body, asked } = await ask(url);
    expect([status, asked]).toEqual([400, []]);
    expect(body).toEqual({ code: "BadRequest", message: expect.stringContaining(part) });
  });

  test.each<[string, unknown, string]>([
    ["split", "{", "must be JSON"],
    ["split", "[]", "must be an object"],
    ["split", '"median"', "must be an object"],
    ["split", { range: "1" }, "'range'"],
    ["split", { partitionId: 1 }, "range id"],
    ["split", { partitionId: "one" }, "'one'"],
    ["split", `{"partitionId":${"[".repeat(30_000)}${"]".repeat(30_000)}}`, "range id"],
    ["split", { at: "half" }, "'half'"],
    ["move", { partitionId: "0" }, "'to'"],
    ["move", { partitionId: "0", to: "" }, "'to'"],
    ["move", { partitionId: "zero", to: "b" }, "'zero'"],
    ["split", { at: "" }, "''"],
    ["split", { at: "ABC" }, "'ABC'"],
    ["split", { at: 5 }, "'at'"],
    ["split", { partitionId: "99" }, "'99'"],
    ["merge", {}, "'partitionIds'"],
    ["merge", { partitionIds: "0,1" }, "'partitionIds'"],
    ["merge", { partitionIds: ["0"] }, "two different"],
    ["merge", { partitionIds: ["0", "0"] }, "two different"],
    ["merge", { partitionIds: ["0", "1", "2"] }, "two different"],
    ["buckets", {}, "'buckets'"],
    ["buckets", { buckets: [{ id: 0, percent: 5 }] }, "'id'"],
    ["buckets", { buckets: [{ id: 1, percent: 101 }] }, "'percent'"],
    ["buckets", { buckets: [{ id: 1, percent: 5, name: "x" }] }, "'name'"],
    ["buckets", { buckets: [1, 1].map((id) => ({ id, percent: 5 })) }, "twice"],
    ["buckets", { buckets: [1, 2, 3, 4, 5, 6].map((id) => ({ id, percent: 5 })) }, "more than 5"],
    ["buckets?x=1", {}, "'x'"],
    ["recordings", { seconds: 0 }, "'seconds'"],
    ["recordings", { seconds: 86_401 }, "'seconds'"],
    ["recordings", { secretPaths: "/a" }, "'secretPaths'"],
    ["recordings", { secretPaths: ["a"] }, "'a' is no path"],
    ["recordings", { secretPaths: ["/a", "/a"] }, "twice"],
    ["recordings", { secretPath: ["/a"] }, "'secretPath'"],
  ])("POST %s %.60j: 400", async (route, sent, part) => {
    const { status, body, asked } = await post(`${OF}/${route}`, sent);
    expect([status, asked]).toEqual([400, []]);
    expect(body).toEqual({ code: "BadRequest", message: expect.stringContaining(part) });
  });

  test.each(["report", "heat", "history", "topKeys", 'locate?key=["a"]', "mergeSuggestions"])(
    "%s of a container that is not there, by name",
    async (route) => {
      const { status, body } = await ask(`/_orrery/v1/containers/shop/none/${route}`);
      expect(status).toBe(404);
      expect(body).toEqual({
        code: "NotFound",
        message: "There is no container 'none' in a database 'shop'.",
      });
    },
  );

  test.each<[string, string, string]>([
    ["POST", `${OF}/report`, "GET"],
    ["GET", `${OF}/split`, "POST"],
    ["HEAD", "/_orrery/v1/jobs", "GET"],
    ["OPTIONS", `${OF}/merge`, "POST"],
    ["DELETE", "/_orrery/v1/", "GET"],
  ])("%s %s, with the verb that is right", async (method, url, right) => {
    const { status, body, asked } = await ask(url, { method });
    expect([status, asked]).toEqual([405, []]);
    expect(body).toMatchObject({ message: expect.stringContaining(`${right} is`) });
  });
});
