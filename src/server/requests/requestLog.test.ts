/** The last thousand requests, and their lines on the log. */
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { millis } from "../../base/units.ts";
import { errorBody } from "../../protocol/answer/refusal.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import type { RequestLogFormat, RequestLogLevel } from "../surroundings/orreryOptions.ts";
import { RequestLog } from "./requestLog.ts";

const ACTIVITY = "00000000-0000-4000-8000-000000000001";
const ITEMS = "/dbs/shop/colls/orders/docs";

function staged(level: RequestLogLevel = "requests", format: RequestLogFormat = "line") {
  const lines: string[] = [];
  let now = 0;
  const clock = { now: () => millis(now), wallNow: () => Date.UTC(2026, 0, 1) + now };
  const log = new RequestLog({ level, format, clock, write: (line) => lines.push(line) });
  const responseTo = (url: string): ServerResponse => {
    const request = new IncomingMessage(new Socket());
    Object.assign(request, { method: "POST", url });
    return new ServerResponse(request);
  };
  const ask = (status: number, { url = ITEMS, message = "", headers = [] as string[] } = {}) => {
    const response = responseTo(url);
    log.begin(response);
    now += 1.5;
    const all = [HEADER.activityId, ACTIVITY, HEADER.requestCharge, "6.29", ...headers];
    const body = message === "" ? undefined : errorBody("Code", message, ACTIVITY);
    log.note(response, { status, headers: all, body });
  };
  return { log, lines, ask, responseTo };
}

test("a request is told in one line", () => {
  const { lines, ask } = staged();
  ask(201);
  expect(lines).toEqual([
    `2026-01-01T00:00:00.001Z POST ${ITEMS} 201 6.29 RU 1.5 ms ${ACTIVITY}\n`,
  ]);
});

test("a refused one says why, with its substatus", () => {
  const { lines, ask } = staged("errors");
  ask(201);
  const message = 'Message: {"Errors":["Resource Not Found.","Try again."]}';
  ask(404, { message, headers: [HEADER.substatus, "1002"] });
  expect(lines).toEqual([
    `2026-01-01T00:00:00.003Z POST ${ITEMS} 404/1002 6.29 RU 1.5 ms ${ACTIVITY} ` +
      "Resource Not Found. Try again.\n",
  ]);
});

test("for programs it is JSON", () => {
  const { lines, ask } = staged("errors", "json");
  ask(409, { message: "Taken." });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      at: "2026-01-01T00:00:00.001Z",
      event: "request",
      method: "POST",
      path: ITEMS,
      status: 409,
      charge: 6.29,
      ms: 1.5,
      activityId: ACTIVITY,
      reason: "Taken.",
    },
  ]);
});

describe("a line stays one", () => {
  test("whatever the reason holds", () => {
    const { lines, ask } = staged();
    ask(400, { message: "First\nsecond\u001b[31m\r\nthird\u0085" });
    expect(lines[0]).toMatch(/First second \[31m third\n$/);
  });

  test("and has an end", () => {
    const { lines, ask } = staged();
    ask(400, { url: `/${"x".repeat(9000)}`, message: "y".repeat(9000) });
    expect(lines[0]!.length).toBeLessThan(3000);
  });
});

test("diagnostics of a query are told by their messages", () => {
  const { log, ask } = staged("none");
  ask(400, { message: 'Message: {"errors":[{"severity":"Error","message":"Syntax error"}]}' });
  expect(log.entries()[0]?.reason).toBe("Syntax error");
});

test("the last thousand are kept, newest first, whatever is logged", () => {
  const { log, lines, ask } = staged("none");
  for (let index = 0; index < 1500; index++) ask(200, { url: `/${index}` });
  const paths = log.entries().map(({ path }) => path);
  expect(paths).toHaveLength(1000);
  expect([paths[0], paths[1], paths[999]]).toEqual(["/1499", "/1498", "/500"]);
  expect(lines).toEqual([]);
});

test("what was not begun is not noted", () => {
  const { log, responseTo } = staged();
  log.note(responseTo("/_orrery/v1/"), { status: 200, headers: [] });
  expect(log.entries()).toEqual([]);
});
