/** Lifecycles by the admin API of an account in memory: what it answers, and what it refuses. */
import { describe, expect, test } from "vitest";
import { lifecycleStage, write } from "../../../engine/lifecycle/lifecycleStage.fake.ts";
import type { JsonObject } from "../../../json/value.ts";
import type { LifecycleEntry, LifecyclePlan } from "../../../model/lifecycle.ts";
import { accountSurface } from "../accountSurface.ts";
import { prometheusText } from "../prometheus.ts";
import { answerAdmin } from "../routes.ts";
import { simulatedRecordings } from "../simulatedRecordings.fake.ts";
import { ALERTS, NO_LAB } from "../simulatedSurface.fake.ts";
import { lifecycleFamilies } from "./lifecycleMetrics.ts";

const PAIR = {
  hot: { database: "d", container: "hot" },
  warm: { database: "d", container: "warm" },
};
const QUESTION = { ...PAIR, ageProperty: "/date", ageSeconds: 864_000 };

type Asking = (method: string, path: string, body?: object) => Promise<Answered>;

interface Answered {
  readonly status: number;
  readonly body: {
    readonly lifecycle?: LifecycleEntry;
    readonly lifecycles?: readonly LifecycleEntry[];
    readonly plan?: LifecyclePlan;
    readonly items?: readonly JsonObject[];
    readonly job?: LifecycleEntry;
    readonly message?: string;
  };
}

async function staged() {
  const stage = await lifecycleStage();
  const { account, time } = stage;
  const surface = accountSurface({
    account,
    clock: time.clock,
    alerts: () => ALERTS,
    requests: () => [],
    recordings: simulatedRecordings(PAIR.hot, []),
    lab: NO_LAB,
  });
  const ask: Asking = async (method, path, body) => {
    const request = {
      method,
      url: `/_orrery/v1/${path}`,
      body: Buffer.from(body === undefined ? "" : JSON.stringify(body)),
      now: time.clock.wallNow(),
    };
    const reply = await answerAdmin(surface, request);
    return reply.ok
      ? { status: reply.value.status, body: reply.value.body as Answered["body"] }
      : { status: reply.error.status, body: reply.error.error };
  };
  return { ...stage, surface, ask };
}

test("a lifecycle is planned, started, looked at, led and stopped", async () => {
  const { ask, account, hot, time, surface } = await staged();
  await write(account, hot, "old", { date: 5 });
  await write(account, hot, "odd", {});
  const planned = await ask("POST", "lifecycles", { ...QUESTION, dryRun: true });
  expect(planned).toMatchObject({ status: 200, body: { plan: { dueCount: 1, setAsideCount: 1 } } });
  expect((await ask("GET", "lifecycles")).body.lifecycles).toEqual([]);
  const started = await ask("POST", "lifecycles", { ...QUESTION, intervalSeconds: 5 });
  expect(started.status).toBe(201);
  const { id } = started.body.lifecycle!;
  expect(started.body.lifecycle).toMatchObject({
    ...QUESTION,
    kind: "lifecycle",
    intervalSeconds: 5,
    batch: 100,
    sharePercent: 50,
    markProperty: "migrated",
    markTtlSeconds: 86_400,
  });
  await time.advance(1000);
  const { lifecycle } = (await ask("GET", `lifecycles/${id}`)).body;
  expect(lifecycle).toMatchObject({
    state: "waiting",
    totals: { moved: 1, edited: 0, removed: 0 },
    lastRound: { setAsideCount: 1 },
    setAsideCount: 1,
    dueCount: 0,
  });
  expect(lifecycle!.settledBefore).toBeLessThanOrEqual(lifecycle!.movedBefore);
  expect(lifecycle!.nextRoundAt).toBeGreaterThan(time.clock.wallNow());
  expect((await ask("GET", `lifecycles/${id}/setAside`)).body.items).toMatchObject([
    { lifecycle: id, id: "odd", code: "undated", document: { id: "odd" } },
  ]);
  expect((await ask("GET", `jobs/${id}`)).body.job).toMatchObject({ id, kind: "lifecycle" });
  expect((await ask("GET", "jobs")).body.lifecycles).toHaveLength(1);
  expect((await ask("POST", `jobs/${id}/pause`, {})).body.message).toContain("is a lifecycle");
  const led: readonly (readonly [string, object, string])[] = [
    ["pause", {}, "paused"],
    ["resume", {}, "waiting"],
    ["run", {}, "waiting"],
    ["change", { ageSeconds: 900_000, archiveAfterSeconds: 10 }, "waiting"],
    ["change", { archiveAfterSeconds: 0 }, "waiting"],
    ["stop", {}, "stopped"],
  ];
  for (const [step, body, state] of led) {
    const answer = await ask("POST", `lifecycles/${id}/${step}`, body);
    expect(answer, step).toMatchObject({ status: 200, body: { lifecycle: { state } } });
  }
  const [ended] = await surface.lifecycles.entries();
  expect(ended).toMatchObject({ state: "stopped", ageSeconds: 900_000 });
  expect(ended!.archiveAfterSeconds).toBeUndefined();
  expect(await ask("POST", `lifecycles/${id}/run`, {})).toMatchObject({
    status: 400,
    body: { message: "The lifecycle has ended." },
  });
});

describe("what is refused", () => {
  test.each<[string, object, string]>([
    [
      "no containers",
      { ageProperty: "/date", ageSeconds: 9 },
      "The member 'hot' must be an object",
    ],
    ["no date", { ...PAIR, ageSeconds: 9 }, "names the path of the date of items"],
    ["no age", { ...PAIR, ageProperty: "/date" }, "after how many seconds an item is moved"],
    ["an age of nothing", { ...QUESTION, ageSeconds: 0 }, "'ageSeconds' must be a whole number"],
    ["half a second", { ...QUESTION, intervalSeconds: 0.5 }, "'intervalSeconds' must be a whole"],
    ["a batch of none", { ...QUESTION, batch: 0 }, "'batch' must be a whole number from 1"],
    ["a share of all and more", { ...QUESTION, sharePercent: 101 }, "up to 100"],
    ["a word nobody knows", { ...QUESTION, hott: 1 }, "hott"],
    ["a pair described wrongly", { ...QUESTION, create: { key: 1 } }, "has no member 'key'"],
    ["a yes that is none", { ...QUESTION, enableTtl: "yes" }, "must be true or false"],
    ["a path that is none", { ...QUESTION, ageProperty: "date" }, "is no path of a property"],
    ["a container twice", { ...QUESTION, warm: PAIR.hot }, "are the same container"],
    [
      "a container that is not there",
      { ...QUESTION, warm: { database: "d", container: "x" } },
      "The warm container d/x is not there.",
    ],
  ])("%s", async (_name, question, message) => {
    const { ask } = await staged();
    const answer = await ask("POST", "lifecycles", question);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(message);
  });

  test.each<[string, string, object, number, string]>([
    ["a step nobody knows", "fly", {}, 404, "There is no step 'fly' of a lifecycle"],
    ["a change of nothing", "change", {}, 400, "Say what is to change"],
    ["a pause with settings", "pause", { batch: 5 }, 400, "The step 'pause' has no member 'batch'"],
    ["a resume that is none", "resume", {}, 400, "is not paused"],
    ["a mark that is none", "change", { markProperty: "id" }, 400, "can be no mark"],
  ])("%s", async (_name, step, body, status, message) => {
    const { ask } = await staged();
    const { id } = (await ask("POST", "lifecycles", QUESTION)).body.lifecycle!;
    const answer = await ask("POST", `lifecycles/${id}/${step}`, body);
    expect(answer.status).toBe(status);
    expect(answer.body.message).toContain(message);
  });

  test("a lifecycle that is not there", async () => {
    const { ask } = await staged();
    for (const [method, path] of [
      ["GET", "lifecycles/x"],
      ["GET", "lifecycles/x/setAside"],
      ["POST", "lifecycles/x/run"],
    ] as const) {
      const answer = await ask(method, path);
      expect(answer).toMatchObject({
        status: 404,
        body: { message: "There is no lifecycle 'x'." },
      });
    }
  });
});

test("Prometheus is told what a lifecycle does", async () => {
  const { ask, account, hot, time, surface } = await staged();
  await write(account, hot, "old", { date: 5 });
  await ask("POST", "lifecycles", QUESTION);
  await time.advance(1000);
  const families = lifecycleFamilies(await surface.lifecycles.entries(), time.clock.wallNow());
  const text = prometheusText(families);
  expect(text).toMatch(/orrery_lifecycle_moved_items_total\{.*hot="d\/hot",warm="d\/warm"\} 1\n/);
  expect(text).toMatch(/orrery_lifecycle_stopped\{.*\} 0\n/);
});
