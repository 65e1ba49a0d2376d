/** Requests of the page: what they carry, what they cost, and what becomes of failures. */
import { describe, expect, test } from "vitest";
import type { AskFailure } from "./server.ts";
import { Server } from "./server.ts";

interface Sent {
  readonly url: string;
  readonly init: RequestInit;
}

function staged(answer: () => Response | Promise<Response>) {
  const sent: Sent[] = [];
  const charges: (string | null)[] = [];
  const server = new Server({
    fetch: async (url, init) => {
      sent.push({ url, init });
      return answer();
    },
    tally: { add: (charge) => charges.push(charge) },
  });
  let signedOutCount = 0;
  let isInAgain = false;
  server.onSignedOut = () => {
    signedOutCount++;
    return Promise.resolve(isInAgain);
  };
  const comeBack = (): void => {
    isInAgain = true;
  };
  return { server, sent, charges, comeBack, signedOut: () => signedOutCount };
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers });

test("a question to the admin API has the page's header, and no key", async () => {
  const { server, sent } = staged(() => json(200, { containers: [] }));
  expect(await server.admin("containers")).toEqual({ ok: true, value: { containers: [] } });
  expect(sent[0]).toMatchObject({
    url: "/_orrery/v1/containers",
    init: {
      method: "GET",
      credentials: "same-origin",
      cache: "no-store",
      headers: { "x-orrery-page": "1" },
    },
  });
  expect(JSON.stringify(sent)).not.toMatch(/authorization/i);
});

test("a change is sent as JSON", async () => {
  const { server, sent } = staged(() => json(202, { job: {} }));
  await server.change("POST", "containers/a/b/split", { at: "middle" });
  expect(sent[0]?.init).toMatchObject({
    method: "POST",
    body: '{"at":"middle"}',
    headers: { "content-type": "application/json" },
  });
});

test("charges are those of the headers, of answers and of refusals", async () => {
  let charge = "2.83";
  const { server, charges } = staged(() =>
    json(charge === "1" ? 404 : 200, {}, { "x-ms-request-charge": charge }),
  );
  const read = { method: "GET", path: "/dbs/a" } as const;
  expect(await server.data(read)).toMatchObject({ value: { charge: 2.83, text: "{}" } });
  charge = "1";
  expect(await server.data(read)).toMatchObject({ error: { kind: "absent", charge: 1 } });
  expect(charges).toEqual(["2.83", "1"]);
});

test("a body of the data plane comes as it is: long numbers keep their digits", async () => {
  const text = '{"n":12345678901234567890}';
  const { server } = staged(() => new Response(text));
  expect(await server.data({ method: "GET", path: "/dbs" })).toMatchObject({ value: { text } });
});

describe("what goes wrong is said", () => {
  test.each<[string, () => Response | Promise<Response>, Partial<AskFailure>]>([
    [
      "a refusal, in the server's words",
      () => json(400, { code: "BadRequest", message: "No such thing." }),
      { kind: "refused", status: 400, code: "BadRequest", message: "No such thing." },
    ],
    [
      "a refusal with the id of its activity, which has a place of its own",
      () => json(404, { message: "Gone.\r\nActivityId: 1-2" }, { "x-ms-activity-id": "1-2" }),
      { kind: "absent", message: "Gone.", activityId: "1-2" },
    ],
    ["a refusal without words", () => new Response("", { status: 500 }), { kind: "refused" }],
    ["what is not allowed", () => json(403, { message: "Only reads." }), { kind: "notAllowed" }],
    ["too much", () => json(429, { message: "Later." }), { kind: "throttled" }],
    ["no answer", () => Promise.reject(new TypeError("failed")), { kind: "unreachable" }],
    ["cancelling", () => Promise.reject(new DOMException("", "AbortError")), { kind: "cancelled" }],
    ["what is no JSON", () => new Response("<html>"), { kind: "refused" }],
  ])("%s", async (_case, answer, failure) => {
    const { server } = staged(answer);
    const asked = await server.admin("overview");
    expect(asked.ok ? {} : asked.error).toMatchObject(failure);
    expect(asked.ok ? "" : asked.error.message).toMatch(/\w+/);
  });
});

test("that a session has ended is told to who wants to know, but not while one is opened", async () => {
  const { server, signedOut } = staged(() => json(401, { code: "KeyNeeded", message: "A key." }));
  await server.openSession({});
  expect(signedOut()).toBe(0);
  await server.admin("overview");
  expect(signedOut()).toBe(1);
});

test("what met with the end of a session is sent once more when there is one again", async () => {
  const answers = [json(401, { message: "Ended." }), json(201, { id: "1" })];
  const { server, sent, comeBack, signedOut } = staged(() => answers.shift()!);
  comeBack();
  const written = await server.data({ method: "POST", path: "/dbs", body: { id: "1" } });
  expect(written).toMatchObject({ ok: true, value: { status: 201 } });
  expect(sent.map(({ init }) => init.body)).toEqual(['{"id":"1"}', '{"id":"1"}']);
  expect(signedOut()).toBe(1);
});
