/**
 * What scripts can call and what comes of it, rule by rule. The host is a list of items; the real
 * one is the engine's.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json/value.ts";
import { realClock } from "../server/surroundings/realWorld.ts";
import { CONTAINER, fakeHost } from "./fakeHost.fake.ts";
import { procedures } from "./fakeProcedure.fake.ts";

const { run, answerOf } = procedures(realClock);

const ANSWER = "const answer = (x) => getContext().getResponse().setBody(x);";
const PETS: readonly JsonObject[] = [
  { id: "a", n: 3, tags: ["x", "y"], name: "Ann" },
  { id: "b", n: 1, tags: [], name: "Bo" },
  { id: "c", n: 2, tags: ["z"] },
];

describe("request and response", () => {
  test.each<[string, string, unknown]>([
    ["nothing set, nothing answered", "function () {}", undefined],
    ["a string is JSON", "function () { getContext().getResponse().setBody('a') }", "a"],
    ["objects are JSON", "function () { __.response.setBody({ a: [1, null] }) }", { a: [1, null] }],
    [
      "the last one counts",
      "function () { for (let i = 0; i < 9; i++) __.response.setBody(i) }",
      8,
    ],
    [
      "what was set can be read",
      "function () { __.response.setBody(1); __.response.setBody(__.response.getBody() + 1) }",
      2,
    ],
    [
      "appending begins with nothing",
      "function () { for (let i = 0; i < 10; i++) __.response.appendValue('Body', i) }",
      "0123456789",
    ],
    [
      "appendBody is the same",
      "function () { __.response.setBody('a'); __.response.appendBody('b') }",
      "ab",
    ],
    ["setValue of Body", "function () { __.response.setValue('Body', 7) }", 7],
    [
      "getValue of Body",
      "function () { __.response.setBody([__.response.getValue('body')]) }",
      [""],
    ],
    [
      "other values cannot be set",
      "function () { __.response.setValue('etag', 1) }",
      expect.stringMatching(/^threw: Error: 'etag' of the response cannot be set/),
    ],
    [
      "a procedure's request has its arguments",
      "function () { __.response.setBody(__.request.getBody()) }",
      [1, 2],
    ],
    [
      "and cannot be set",
      "function () { __.request.setBody(1) }",
      expect.stringMatching(/^threw: Error: The body of the request cannot be set/),
    ],
    [
      "circles cannot be answered",
      "function () { const a = []; a[0] = a; __.response.setBody(a) }",
      expect.stringMatching(/^threw: TypeError: circular/),
    ],
    [
      "too much cannot be answered",
      "function () { __.response.setBody('x'.repeat(5e6)) }",
      expect.stringMatching(/^threw: Error: The body of the response has 5000002/),
    ],
  ])("%s", async (_, body, expected) => {
    expect(await answerOf(body, [1, 2])).toEqual(expected);
  });

  const request = { operationType: "Create", body: '{"id":"a" }', values: { "x-ms-date": "now" } };

  test("a pre-trigger sees the request and may change its body", async () => {
    const body =
      "function () { const r = __.request; const item = r.getBody();" +
      " item.by = [r.getOperationType(), r.getValue('X-MS-Date'), r.getValue('no')]; r.setBody(item) }";
    const outcome = await run(body, { kind: "preTrigger", request });
    const requestBody = '{"id":"a","by":["Create","now",null]}';
    expect(outcome).toMatchObject({ kind: "done", requestBody, responseBody: undefined });
  });

  test.each<[string, string, string]>([
    ["untouched it stays as it came", "function () { __.request.getBody().x = 1 }", '{"id":"a" }'],
    [
      "a string is taken as JSON text",
      "function () { __.request.setBody('{\"id\":1}') }",
      '{"id":1}',
    ],
  ])("request of a pre-trigger: %s", async (_, body, requestBody) => {
    expect(await run(body, { kind: "preTrigger", request })).toMatchObject({ requestBody });
  });

  test("a pre-trigger has no response", async () => {
    const outcome = await run("function () { getContext().getResponse() }", { kind: "preTrigger" });
    expect(outcome).toMatchObject({ kind: "threw", message: expect.stringMatching(/no response/) });
  });

  test("a post-trigger sees request and response and may change what is answered", async () => {
    const response = { operationType: "Create", body: '{"id":"a","_ts":1}', values: {} };
    const body =
      "function () { const { request: q, response: r } = __;" +
      " r.setBody([q.getBody(), r.getBody(), r.getMaxResourceQuota(), r.getResourceQuotaCurrentUsage(), r.getOperationType()]) }";
    const quota = { max: "q=1", used: "u=1" };
    const outcome = await run(body, { kind: "postTrigger", request, response, quota });
    const expected = [{ id: "a" }, { id: "a", _ts: 1 }, "q=1", "u=1", "Create"];
    expect(outcome).toMatchObject({ kind: "done", responseBody: JSON.stringify(expected) });
    const untouched = await run("function () {}", { kind: "postTrigger", request, response });
    expect(untouched).toMatchObject({ responseBody: undefined, requestBody: request.body });
  });
});

describe("operations on items", () => {
  const link = CONTAINER.selfLink;
  test.each<[string, string, unknown]>([
    [
      "links",
      "answer([__.getSelfLink(), getContext().getCollection().getAltLink()])",
      [link, CONTAINER.altLink],
    ],
    [
      "create: accepted, and later its item",
      "const was = __.createDocument(__.getSelfLink(), { id: 'd' }, (e, item, o) => answer([was, item, o.etag]))",
      [true, { id: "d" }, '"d"'],
    ],
    [
      "create by the name of the container",
      "__.createDocument(__.getAltLink(), { id: 'd' }, {}, (e, item) => answer(item.id))",
      "d",
    ],
    [
      "create from JSON text",
      '__.createDocument(__.getSelfLink(), \'{"id":"d"}\', (e, item) => answer(item.id))',
      "d",
    ],
    [
      "create draws an id if there is none",
      "__.createDocument(__.getSelfLink(), { n: 1 }, (e, item) => answer(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(item.id)))",
      true,
    ],
    [
      "create draws none if told so",
      "__.createDocument(__.getSelfLink(), { n: 1 }, { disableAutomaticIdGeneration: true }, (e, item) => answer(item))",
      { n: 1 },
    ],
    [
      "a refusal comes to the callback",
      "__.createDocument(__.getSelfLink(), { id: 'a' }, (e) => answer([e.number, e.body, e.message, e instanceof Error, e.number === ErrorCodes.Conflict]))",
      [409, "the id is taken", "the id is taken", true, true],
    ],
    [
      "a refusal that nobody waits for ends the script",
      "__.createDocument(__.getSelfLink(), { id: 'a' })",
      "threw: Error: the id is taken",
    ],
    [
      "a refusal that is ignored does not",
      "__.createDocument(__.getSelfLink(), { id: 'a' }, () => answer(1))",
      1,
    ],
    [
      "upsert",
      "__.upsertDocument(__.getSelfLink(), { id: 'a', n: 9 }, (e, item) => answer(item.n))",
      9,
    ],
    ["read", "__.readDocument(__.getAltLink() + '/docs/a', (e, item) => answer(item.n))", 3],
    [
      "read what is known",
      "__.readDocument(__.getAltLink() + '/docs/a', { ifNoneMatch: 'same' }, (e, item, o) => answer([item === undefined, o.notModified]))",
      [true, true],
    ],
    [
      "read what is not there",
      "__.readDocument(__.getAltLink() + '/docs/q', (e, item) => answer([e.number, item === undefined]))",
      [404, true],
    ],
    [
      "replace",
      "__.replaceDocument(__.getSelfLink() + 'docs/a/', { id: 'a', n: 8 }, {}, (e, item) => answer(item.n))",
      8,
    ],
    [
      "patch",
      "__.patchDocument(__.getSelfLink() + 'docs/a/', [{ op: 'add', path: '/n', value: 1 }], (e, item) => answer(item.patched[0].op))",
      "add",
    ],
    [
      "delete",
      "__.deleteDocument(__.getSelfLink() + 'docs/a/', {}, (e, o) => answer([e === undefined, o.requestCharge]))",
      [true, 1],
    ],
    [
      "a feed",
      "__.readDocuments(__.getSelfLink(), (e, items, o) => answer([items.length, o.continuation === undefined]))",
      [3, true],
    ],
    [
      "a feed by pages",
      "__.readDocuments(__.getSelfLink(), { pageSize: 2 }, (e, one, o) => __.readDocuments(__.getSelfLink(), { pageSize: 2, continuation: o.continuation }, (e, two) => answer([one.length, two.length])))",
      [2, 1],
    ],
    [
      "a query",
      "__.queryDocuments(__.getSelfLink(), 'SELECT * FROM c', (e, rows) => answer(rows.length))",
      3,
    ],
    [
      "a query with parameters",
      "__.queryDocuments(__.getSelfLink(), { query: 'SELECT', parameters: [{ name: '@n', value: 1 }] }, {}, (e, rows) => answer(rows[0].id))",
      "b",
    ],
    [
      "a query that is refused",
      "__.queryDocuments(__.getSelfLink(), 'BROKEN', (e) => answer(e.number))",
      400,
    ],
    [
      "a callback may ask again",
      "__.createDocument(__.getSelfLink(), { id: 'e' }, () => __.deleteDocument(__.getAltLink() + '/docs/e', () => __.readDocuments(__.getSelfLink(), (e, items) => answer(items.length))))",
      3,
    ],
    [
      "callbacks come in order",
      "const seen = []; for (let i = 0; i < 600; i++) __.readDocument(__.getAltLink() + '/docs/a', () => { seen.push(i); answer(seen.every((x, y) => x === y) && seen.length) })",
      600,
    ],
    [
      "promises can wait for callbacks",
      "return new Promise((ok) => __.readDocument(__.getAltLink() + '/docs/a', (e, item) => ok(item))).then((item) => answer(item.n))",
      3,
    ],
    [
      "a rejected promise ends the script",
      "return Promise.reject(new Error('no'))",
      expect.stringMatching(/^threw: Error: no/),
    ],
    [
      "so does that of a callback",
      "__.readDocuments(__.getSelfLink(), async () => { throw 'no' })",
      "threw: no",
    ],
    [
      "what a callback throws ends the script",
      "__.readDocuments(__.getSelfLink(), () => { throw new Error(403, 'no') })",
      expect.stringMatching(/^threw: Error: no\r\nStack trace: Error: no\n.*proc\.js:2/),
    ],
    [
      "abort cannot be caught",
      "try { getContext().abort(new Error('gone')) } catch {} answer(1)",
      expect.stringMatching(/^threw: Error: gone/),
    ],
    [
      "nothing is accepted after abort",
      "try { getContext().abort() } catch {} __.createDocument(__.getSelfLink(), { id: 'd' })",
      expect.stringMatching(/^threw: Error: The script called abort/),
    ],
  ])("%s", async (_, body, expected) => {
    const text = `function () { ${ANSWER}\n ${body} }`;
    expect(await answerOf(text, [], fakeHost(PETS))).toEqual(expected);
  });

  test.each<[string, string, RegExp]>([
    [
      "a link of another container",
      "__.createDocument('dbs/x/colls/y', {})",
      /createDocument: the link must be that of this container/,
    ],
    ["no link", "__.readDocuments(undefined)", /readDocuments: the link must be/],
    [
      "an item's link that is the container's",
      "__.readDocument(__.getSelfLink())",
      /readDocument: the link must be that of an item/,
    ],
    [
      "an item that is none",
      "__.createDocument(__.getSelfLink(), 5)",
      /createDocument: the item must be an object/,
    ],
    ["text that is no JSON", "__.createDocument(__.getSelfLink(), 'x')", /SyntaxError/],
    [
      "options that are none",
      "__.createDocument(__.getSelfLink(), {}, 5)",
      /options must be an object, not a number/,
    ],
    [
      "a callback that is none",
      "__.createDocument(__.getSelfLink(), {}, {}, 5)",
      /the callback must be a function, not a number/,
    ],
    [
      "too few arguments",
      "__.queryDocuments(__.getSelfLink())",
      /queryDocuments needs 2 arguments/,
    ],
    ["a query that is none", "__.queryDocuments(__.getSelfLink(), 5)", /the query must be a text/],
    [
      "a parameter without a name",
      "__.queryDocuments(__.getSelfLink(), { query: '', parameters: [1] })",
      /every parameter must have a name/,
    ],
    [
      "an item of five megabytes",
      "__.createDocument(__.getSelfLink(), { x: 'x'.repeat(5e6) })",
      /too large/,
    ],
    [
      "attachments",
      "__.createAttachment(__.getSelfLink(), {})",
      /createAttachment is not supported/,
    ],
    [
      "queries of attachments",
      "__.queryAttachments(__.getSelfLink(), {})",
      /queryAttachments is not supported/,
    ],
  ])("thrown at once: %s", async (_, body, expected) => {
    const host = fakeHost();
    expect(await answerOf(`function () { ${body} }`, [], host)).toMatch(expected);
    expect(host.performed).toEqual([]);
  });

  test("operations are not accepted after the engine said so", async () => {
    const body =
      "function () { let count = 0; const next = () => { const was = __.createDocument(__.getSelfLink(), { id: '' + count }, next);" +
      " if (was) count++; __.response.setBody(count) }; next() }";
    const host = fakeHost([], 3);
    expect(await answerOf(body, [], host)).toBe(3);
    expect(host.performed).toHaveLength(3);
  });

  test("what is under way counts before it is done", async () => {
    const body =
      "function () { let n = 0; while (__.readDocuments(__.getSelfLink(), () => {})) n++;" +
      " __.response.setBody(n) }";
    const outcome = await run(body, { ruMax: 60 }, fakeHost(PETS));
    expect(outcome).toMatchObject({ kind: "done", responseBody: "10" });
  });

  test("operations are not accepted when most of the time is used", async () => {
    const body =
      "function () { let was = 0; while (__.readDocuments(__.getSelfLink(), () => {})) was++; __.response.setBody(was > 0) }";
    const outcome = await run(body, { timeMsMax: 200 });
    expect(["done", "outOfTime"]).toContain(outcome.kind);
  });

  test("nor fewer by a script that may be ended before", async () => {
    const until = "const end = Date.now() + 60; while (Date.now() < end);";
    const body = `function () { ${until} __.response.setBody(__.readDocuments(__.getSelfLink())) }`;
    const ofTime = async (timeMsMeant: number): Promise<unknown> =>
      run(body, { timeMsMax: 20_000, timeMsMeant });
    expect(await ofTime(50)).toMatchObject({ kind: "done", responseBody: "false" });
    expect(await ofTime(30_000)).toMatchObject({ kind: "done", responseBody: "true" });
  });

  test("what was asked before the script threw is not done", async () => {
    const host = fakeHost();
    await answerOf("function () { __.createDocument(__.getSelfLink(), {}); throw 1 }", [], host);
    expect(host.performed).toEqual([]);
  });
});

describe("integrated queries", () => {
  test.each<[string, string, unknown]>([
    ["filter, without a callback, answers", "__.filter((x) => x.n > 1 && x.n < 3)", [PETS[2]]],
    ["filter is accepted", "answer(__.filter((x) => true, () => {}).isAccepted)", true],
    [
      "filter with a callback",
      "__.filter((x) => x.n > 1, (e, rows, o) => answer([rows.length, typeof o.continuation]))",
      [2, "undefined"],
    ],
    [
      "filter of the collection, given first",
      "__.filter(getContext().getCollection(), (x) => x.n === 1, {}, (e, rows) => answer(rows.length))",
      1,
    ],
    ["map", "__.map((x) => x.n * 2)", [6, 2, 4]],
    ["pluck", "__.pluck('id')", ["a", "b", "c"]],
    [
      "pluck what is not there",
      "__.pluck('name', (e, rows) => answer(rows.map((x) => x === undefined)))",
      [false, false, true],
    ],
    [
      "flatten",
      "__.chain().map((x) => [[x.n], x.tags]).flatten().value()",
      [3, "x", "y", 1, 2, "z"],
    ],
    [
      "flatten one level",
      "__.chain().map((x) => [[x.n], x.id]).flatten(true).value()",
      [[3], "a", [1], "b", [2], "c"],
    ],
    ["unwind", "__.unwind((x) => x.tags)", ["x", "y", "z"]],
    ["unwind with results", "__.unwind((x) => x.tags, (x, tag) => x.id + tag)", ["ax", "ay", "cz"]],
    [
      "unwind with options and callback",
      "__.unwind((x) => x.tags, {}, (e, rows) => answer(rows.length))",
      3,
    ],
    ["sortBy", "__.chain().sortBy((x) => x.n).pluck('id').value()", ["b", "c", "a"]],
    [
      "sortByDescending",
      "__.chain().sortByDescending((x) => x.n).pluck('id').value()",
      ["a", "c", "b"],
    ],
    [
      "undefined comes first",
      "__.chain().sortBy((x) => x.name).pluck('id').value()",
      ["c", "a", "b"],
    ],
    [
      "a chain ends with value and its callback",
      "__.chain().filter((x) => x.n > 1).map((x) => x.id).value((e, rows) => answer(rows.join()))",
      "a,c",
    ],
    [
      "value takes callback and options in any order",
      "__.chain().map((x) => x.id).value((e, rows) => answer(rows), { pageSize: 1 })",
      ["a"],
    ],
    [
      "a page, and the next",
      "__.pluck('id', { pageSize: 2 }, (e, one, o) => __.pluck('id', o, (e, two, p) => answer([one, two, typeof p.continuation])))",
      [["a", "b"], ["c"], "undefined"],
    ],
    [
      "what a predicate throws comes to the callback",
      "__.filter(() => { throw new Error('no') }, (e) => answer(e.message))",
      "no",
    ],
    ["or ends the script", "__.filter(() => { throw 'no' })", "threw: no"],
    [
      "no predicate",
      "__.filter(5)",
      expect.stringMatching(/filter: the first argument must be a function/),
    ],
    [
      "a callback inside a chain",
      "__.chain().filter((x) => 1, (e) => 2)",
      expect.stringMatching(/in a chain, options and callback are given to value/),
    ],
    [
      "a continuation of something else",
      "__.filter((x) => 1, { continuation: 'x' })",
      expect.stringMatching(/the continuation is not one/),
    ],
  ])("%s", async (_, body, expected) => {
    const text = `function () { ${ANSWER} ${body} }`;
    expect(await answerOf(text, [], fakeHost(PETS))).toEqual(expected);
  });

  test("deleting what was found moves nothing", async () => {
    const items = Array.from({ length: 250 }, (_, n) => ({ id: `${1000 + n}`, n }));
    const host = fakeHost(items);
    const body =
      "function () { let count = 0; const sweep = (o) => __.filter((x) => x.n % 2 === 0, o, (e, rows, next) => {" +
      " rows.forEach((x) => { count++; __.deleteDocument(__.getAltLink() + '/docs/' + x.id) });" +
      " if (next.continuation) sweep({ pageSize: 7, continuation: next.continuation }); else __.response.setBody(count) });" +
      " sweep({ pageSize: 7 }) }";
    expect(await answerOf(body, [], host)).toBe(125);
    expect(host.items.every(({ n }) => Number(n) % 2 === 1)).toBe(true);
  });

  test("a chain, page by page, is what lists make of it", async () => {
    const numbers = fc.array(fc.nat(9), { maxLength: 260 });
    await fc.assert(
      fc.asyncProperty(
        numbers,
        fc.integer({ min: 1, max: 40 }),
        fc.nat(9),
        async (list, size, min) => {
          const host = fakeHost(list.map((n, place) => ({ id: `${1000 + place}`, n })));
          const body =
            "function (size, min) { const all = []; const next = (continuation) => __.chain().filter((x) => x.n >= min)" +
            ".map((x) => x.n * 2).value({ pageSize: size, continuation }, (e, rows, o) => { all.push(rows);" +
            " if (o.continuation) next(o.continuation); else __.response.setBody(all) }); next() }";
          const pages = (await answerOf(body, [size, min], host)) as number[][];
          expect(pages.flat()).toEqual(list.filter((n) => n >= min).map((n) => n * 2));
          expect(pages.slice(0, -1).every((page) => page.length === size)).toBe(true);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe("the console", () => {
  test.each<[string, string, string]>([
    [
      "lines",
      "console.log('a'); console.info('b'); console.warn('c'); console.error('d')",
      "a\nb\nc\nd",
    ],
    ["substitution", "console.log('The value of %s is %s.', 'x', 1)", "The value of x is 1."],
    [
      "more than there are places for",
      "console.log('%s%%', 'x', 1, { a: 1 }, undefined)",
      'x% 1 {"a":1} undefined',
    ],
    ["no text first", "console.log({ a: [1] }, 2)", '{"a":[1]} 2'],
    ["before a throw", "console.log('a'); throw 1", "a"],
    ["before an endless loop", "console.log('a'); for (;;);", "a"],
    ["odd characters", "console.log('a\\0b\\u20ac')", "a\0b€"],
  ])("%s", async (_, body, log) => {
    expect(await run(`function () { ${body} }`, { timeMsMax: 100 })).toMatchObject({ log });
  });

  test("nothing is kept unless asked for", async () => {
    const outcome = await run("function () { console.log('a') }", { isLogging: false });
    expect(outcome).toMatchObject({ kind: "done", log: "" });
  });
});

describe("chance", () => {
  test("two runs draw different numbers and ids", async () => {
    const body =
      "function () { __.createDocument(__.getSelfLink(), {}, (e, d) => __.response.setBody([Math.random(), d.id])) }";
    const drawn = [await answerOf(body), await answerOf(body), await answerOf(body)];
    expect(new Set(drawn.map((each) => JSON.stringify(each))).size).toBe(3);
  });
});
