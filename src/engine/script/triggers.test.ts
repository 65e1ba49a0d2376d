/** Writes with triggers, rule by rule: what is stored, and what the client is told. */
import { expect, test } from "vitest";
import { HIGH_CALLER } from "../../model/caller.ts";
import type { WriteRequest } from "../../model/request/writeRequest.ts";
import { KEY, read, write } from "../simulatedRequests.fake.ts";
import { idsIn, item, stage } from "./scriptStage.fake.ts";
import type { SimulatedScript } from "./simulatedScripts.fake.ts";
import { LINK } from "./simulatedScripts.fake.ts";

const trigger = (body: string, type: "Pre" | "Post", operation = "All") => ({
  name: body,
  body,
  type,
  operation,
});
const scripts: Readonly<Record<string, SimulatedScript>> = {
  stamp: async (_ask, { request }) =>
    JSON.stringify({ ...(JSON.parse(request!.body!) as object), stamped: true }),
  elsewhere: async () => JSON.stringify({ id: "x", pk: "elsewhere" }),
  audit: async (ask, { response }) => {
    const { id } = JSON.parse(response!.body!) as { id: string };
    await ask({ kind: "create", resource: item(`audit ${id}`) });
    return undefined;
  },
  answer: async () => '"other"',
  name: async (_ask, { request }) =>
    JSON.stringify({ ...(JSON.parse(request!.body!) as object), id: "named" }),
  again: async (ask, { response }) => {
    const { id } = JSON.parse(response!.body!) as { id: string };
    await ask({ kind: "upsert", resource: item(id, { again: true }) });
    return undefined;
  },
  remove: async (ask, { response }) => {
    const { id } = JSON.parse(response!.body!) as { id: string };
    await ask({ kind: "delete", link: `${LINK}/docs/${id}` });
    return undefined;
  },
  fail: async () => {
    throw new Error("not this");
  },
};
const request = (id: string): WriteRequest => ({
  kind: "create",
  key: [KEY],
  body: Buffer.from(item(id)),
});
const triggered = async (
  before: ReturnType<typeof trigger> | undefined,
  after: ReturnType<typeof trigger> | undefined,
  asked: WriteRequest = request("a"),
) => {
  const { account, container } = await stage(scripts);
  const written = await account.writeWithTriggers(container, {
    request: asked,
    before,
    after,
    caller: HIGH_CALLER,
    consistency: "session",
    isLogging: false,
  });
  const outcome = written.ok ? written.value.outcome : { kind: "refused", refusal: written.error };
  const found = await read(account, container, "a");
  return {
    outcome: outcome as {
      kind: string;
      refusal?: { kind: string };
      body?: Buffer;
      etag?: string;
    },
    ids: await idsIn(account, container),
    stored: found.kind === "found" ? found : undefined,
  };
};

test("a pre-trigger changes the item", async () => {
  const { outcome } = await triggered(trigger("stamp", "Pre"), undefined);
  expect(JSON.parse(outcome.body!.toString())).toMatchObject({ id: "a", stamped: true });
});

test("but not where it belongs", async () => {
  const { outcome, ids } = await triggered(trigger("elsewhere", "Pre"), undefined);
  expect([outcome.refusal?.kind, ids]).toEqual(["keyMismatch", ""]);
});

test("a post-trigger writes in the same transaction", async () => {
  expect((await triggered(undefined, trigger("audit", "Post"))).ids).toBe("a audit a");
});

test("a post-trigger changes what the client is told, not what is stored", async () => {
  const { outcome, ids } = await triggered(undefined, trigger("answer", "Post"));
  expect([outcome.body!.toString(), ids]).toEqual(['"other"', "a"]);
});

test("a pre-trigger gives an item the id that it lacks", async () => {
  const nameless: WriteRequest = { kind: "create", key: undefined, body: { pk: KEY } };
  const { outcome, ids } = await triggered(trigger("name", "Pre"), undefined, nameless);
  expect([outcome.kind, ids]).toEqual(["created", "named"]);
  const still = await triggered(trigger("audit", "Post", "Delete"), undefined, nameless);
  expect(still.outcome.refusal?.kind).toBe("badRequest");
});

test("what a post-trigger makes of the item is told, and its etag is the item's", async () => {
  const { outcome, stored } = await triggered(undefined, trigger("again", "Post"));
  expect(JSON.parse(outcome.body!.toString())).toMatchObject({ id: "a", again: true });
  expect([outcome.kind, outcome.body, outcome.etag]).toEqual([
    "created",
    stored!.body,
    stored!.etag,
  ]);
});

test("a trigger of a delete sees the item, one of a replace its self link", async () => {
  const bodies: { readonly id: string; readonly _self: string; readonly n?: number }[] = [];
  const { account, container } = await stage({
    see: async (_ask, { request }) => {
      bodies.push(JSON.parse(request!.body!));
      return request!.body;
    },
  });
  await write(account, container, "create", "a");
  const terms = { caller: HIGH_CALLER, consistency: "session", isLogging: false } as const;
  const before = trigger("see", "Pre");
  for (const asked of [
    { kind: "replace", id: "a", key: [KEY], body: { id: "a", pk: KEY, n: 1 } },
    { kind: "delete", id: "a", key: [KEY] },
  ] as const) {
    await account.writeWithTriggers(container, {
      request: asked,
      before,
      after: undefined,
      ...terms,
    });
  }
  expect(bodies.map(({ id, n }) => [id, n])).toEqual([
    ["a", 1],
    ["a", 1],
  ]);
  expect(bodies[0]!._self).toMatch(/^dbs\/.*\/docs\//);
  expect(bodies[1]!._self).toBe(bodies[0]!._self);
});

test("an item that a post-trigger deletes is told as it was", async () => {
  const { outcome, ids } = await triggered(undefined, trigger("remove", "Post"));
  expect([outcome.kind, JSON.parse(outcome.body!.toString()).id, ids]).toEqual([
    "created",
    "a",
    "",
  ]);
});

test.each(["Pre", "Post"] as const)("a %s-trigger that fails undoes the write", async (type) => {
  const failing = trigger("fail", type);
  const [before, after] = type === "Pre" ? [failing, undefined] : [undefined, failing];
  const { outcome, ids } = await triggered(before, after);
  expect([outcome.refusal?.kind, ids]).toEqual(["scriptFailed", ""]);
});

test.each<[string, ReturnType<typeof trigger> | undefined, ReturnType<typeof trigger> | undefined]>(
  [
    ["of the other type", trigger("stamp", "Post"), undefined],
    ["of the other type", undefined, trigger("audit", "Pre")],
    ["for another operation", trigger("stamp", "Pre", "Delete"), undefined],
  ],
)("a trigger %s is refused", async (_rule, before, after) => {
  const { outcome, ids } = await triggered(before, after);
  expect([outcome.refusal?.kind, ids]).toEqual(["badRequest", ""]);
});
