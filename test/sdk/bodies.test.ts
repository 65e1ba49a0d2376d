/** Ids and bodies that are hard to carry: what goes in comes out, character by character. */
import type { Container, ItemDefinition } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, ownPart, refusalOf } from "./stage.ts";

let stage: Stage;
let container: Container;
beforeAll(async () => {
  stage = await openStage();
  container = await openContainer(stage.database);
});
afterAll(() => stage[Symbol.asyncDispose]());

/**
 * Not among them: ids that this client cannot send. It drops a `?` at the end, takes `.` and `..`
 * for steps of a path, and takes blanks for no id at all. See `test/http/paths.test.ts` for those.
 */
const IDS: readonly string[] = [
  "question?mark",
  "a?b?c",
  "100%",
  "%20",
  "%2F",
  "%",
  "two words",
  " leading",
  "trailing ",
  "a+b&c=d;e,f:g@h!i$j'k(l)m*n",
  "\"double\" and 'single'",
  "`back` ^ | ~ <tag> {brace} [bracket]",
  "tab\tand\nline\rand\u0000zero",
  "Äpfel",
  "Ελληνικά",
  "русский",
  "עברית",
  "中文",
  "한국어",
  "e\u0301 is not \u00e9",
  "😀",
  "👩‍👩‍👧‍👦",
  "line\u2028paragraph\u2029mark\ufeff",
  "...",
  "docs",
  "__proto__",
  "constructor",
  "AAAAAYAAAAIBAAAAAAAAAA==",
  "x".repeat(1023),
  `${"€".repeat(341)}`,
];

describe("ids", () => {
  test.each(IDS)("%j is created, read, replaced, patched, listed and deleted", async (id) => {
    const pk = `of ${id}`;
    const created = await container.items.create({ id, pk, n: 1 });
    expect(created.resource?.id).toBe(id);
    const item = container.item(id, pk);
    expect((await item.read()).resource).toEqual(created.resource);
    expect((await item.replace({ id, pk, n: 2 })).statusCode).toBe(200);
    expect((await item.patch([{ op: "incr", path: "/n", value: 1 }])).resource?.["n"]).toBe(3);
    expect((await container.items.upsert({ id, pk, n: 4 })).statusCode).toBe(200);
    const { resources } = await container.items.readAll({ partitionKey: pk }).fetchAll();
    expect(resources.map((listed) => listed.id)).toEqual([id]);
    expect((await item.delete()).statusCode).toBe(204);
    expect((await item.read()).statusCode).toBe(404);
  });

  test("that look alike are different items", async () => {
    const alike = ["a?b", "a%3Fb", "a", "a ", " a", "A", "\u00e9", "e\u0301", "1", "01"];
    for (const id of alike) await container.items.create({ id, pk: "alike" });
    const reads = await Promise.all(alike.map((id) => container.item(id, "alike").read()));
    expect(reads.map(({ resource }) => resource?.id)).toEqual(alike);
  });

  test.each(["x".repeat(1024), `${"€".repeat(341)}x`, ""])("of %j are refused", async (id) => {
    const create = container.items.create({ id, pk: "a" }, { disableAutomaticIdGeneration: true });
    expect((await refusalOf(create)).status).toBe(400);
  });
});

/** From text, because an object literal cannot have a property of every name. */
const BODIES: Readonly<Record<string, string>> = {
  "an own __proto__": '{"__proto__":{"polluted":true},"nested":{"__proto__":1}}',
  "names of Object.prototype":
    '{"constructor":1,"hasOwnProperty":2,"toString":3,"valueOf":{"prototype":null}}',
  "names with blanks, dots, slashes and quotes":
    '{"":1," ":2,"a.b":3,"a/b":4,"\\"q\\"":5,"~0~1":6,"$":7,"\\u0000":8}',
  "numeric names": '{"10":"ten","9":"nine","01":"leading zero","-1":"negative"}',
  "text of every kind": '{"latin":"äöü","greek":"Ωμέγα","chinese":"中文","emoji":"🪐👩‍👩‍👧‍👦"}',
  "escapes in text": '{"escapes":"\\b\\f\\n\\r\\t\\"\\\\/"}',
  "controls and half surrogates":
    '{"controls":"\\u0000\\u001f\\u007f","half":"\\ud800","other":"\\udc00x"}',
  "small numbers": '{"tiny":1e-7,"least":5e-324,"negative":-1e-7}',
  "large numbers":
    '{"most":1.7976931348623157e308,"two53":9007199254740992,"below":-9007199254740993}',
  zeros: '{"zero":0,"negative":-0,"point":0.0,"exponent":0e10}',
  fractions: '{"tenth":0.1,"third":0.3333333333333333,"sum":0.30000000000000004}',
  "empty things": '{"object":{},"array":[],"text":"","null":null,"nested":[[],[{}],[[[]]]]}',
  "booleans and nulls in arrays": '{"mixed":[true,false,null,0,"",[],{}]}',
  "long text": JSON.stringify({ text: "x".repeat(1_000_000) }),
  "many members": JSON.stringify(
    Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`name${index}`, index])),
  ),
  "system look-alikes": '{"_lsn":1,"_metadata":{},"_ETAG":2,"nested":{"_rid":"kept","_ts":3}}',
};

describe("bodies", () => {
  test.each(Object.entries(BODIES))("with %s come back as they were", async (rule, text) => {
    const body = withId(JSON.parse(text) as ItemDefinition, rule);
    const created = await container.items.create(body);
    const own = JSON.stringify(ownPart(created.resource));
    expect(own).toBe(JSON.stringify(body));
    const read = await container.item(rule, rule).read();
    expect(JSON.stringify(ownPart(read.resource))).toBe(own);
    const listed = await container.items.readAll({ partitionKey: rule }).fetchAll();
    expect(listed.resources.map((item) => JSON.stringify(ownPart(item)))).toEqual([own]);
  });

  test("may nest 128 levels, and not one more", async () => {
    const deepest = { id: "deep", pk: "a", nested: nested(127) };
    const { resource } = await container.items.create(deepest);
    expect(ownPart(resource)).toEqual(deepest);
    const deeper = container.items.create({ id: "deeper", pk: "a", nested: nested(128) });
    expect((await refusalOf(deeper)).status).toBe(400);
  });

  test("of almost 2 MB are kept, above it they are refused", async () => {
    const text = "€".repeat(690_000);
    const { resource } = await container.items.create({ id: "large", pk: "a", text });
    expect(resource?.["text"]).toBe(text);
    const { resource: read } = await container.item("large", "a").read();
    expect(read?.["text"]).toBe(text);
    const larger = container.items.create({ id: "larger", pk: "a", text: `${text}${text}` });
    expect((await refusalOf(larger)).status).toBe(413);
  });
});

/** Own properties only, in their order: assigning to `__proto__` would set no property. */
function withId(body: ItemDefinition, id: string): ItemDefinition {
  return Object.fromEntries([...Object.entries(body), ["id", id], ["pk", id]]);
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { value };
  return value;
}
