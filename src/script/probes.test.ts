/**
 * Attempts to get out of the sandbox, to outlast it, or to fill it. Each says what it tries and
 * what must come of it; after each, the process lives, nothing outside has changed, and an innocent
 * script works as ever. Those that only the end of a thread can stop are in `scriptPool.test.ts`.
 */
import { afterEach, describe, expect, test } from "vitest";
import { realClock } from "../server/surroundings/realWorld.ts";
import { CONTAINER, fakeHost, runOn } from "./fakeHost.fake.ts";
import { inlineRunner } from "./inlineRunner.fake.ts";
import type { ScriptOutcome } from "./scriptRunner.ts";

const runner = inlineRunner(realClock);
const TIME_MS = 100;

const ITEM = { id: "a", n: 1 };

async function run(body: string, timeMsMax = 5000): Promise<ScriptOutcome> {
  const script = {
    kind: "procedure",
    name: "probe",
    body,
    args: [],
    container: CONTAINER,
    timeMsMax,
    memoryBytesMax: 8 * 1024 * 1024,
    isLogging: true,
  } as const;
  return await runOn(runner, script, fakeHost([ITEM]));
}

async function told(body: string): Promise<unknown> {
  const outcome = await run(body);
  if (outcome.kind !== "done") return outcome.kind;
  return outcome.responseBody === undefined ? undefined : JSON.parse(outcome.responseBody);
}

/** The value of an expression inside. */
const insideOf = (expression: string): Promise<unknown> =>
  told(`function () { __.response.setBody(${expression}) }`);

afterEach(async () => {
  expect(await insideOf("1 + 1")).toBe(2);
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

describe("nothing of the host is there", () => {
  test.each([
    "require",
    "process",
    "module",
    "exports",
    "Buffer",
    "fetch",
    "setTimeout",
    "setInterval",
    "setImmediate",
    "global",
    "window",
    "self",
    "WebAssembly",
    "SharedArrayBuffer",
    "Atomics",
    "XMLHttpRequest",
    "performance",
    "structuredClone",
    "std",
    "os",
    "print",
    "scriptArgs",
    "__dirname",
    "importScripts",
    "postMessage",
    "Deno",
    "Bun",
  ])("%s", async (name) => {
    expect(await insideOf(`typeof ${name}`)).toBe("undefined");
  });
});

describe("ways out", () => {
  test.each<[string, string, unknown]>([
    [
      "the constructor of a constructor",
      "({}).constructor.constructor('return typeof process')()",
      "undefined",
    ],
    ["the same from the API", "getContext.constructor('return typeof require')()", "undefined"],
    [
      "from what the API returns",
      "__.getSelfLink.constructor('return this')() === globalThis",
      true,
    ],
    [
      "from an argument",
      "__.request.getBody().constructor.constructor('return typeof process')()",
      "undefined",
    ],
    [
      "from an async function",
      "Object.getPrototypeOf(async () => {}).constructor('return 1') instanceof Function",
      true,
    ],
    [
      "from a generator",
      "typeof Object.getPrototypeOf(function* () {}).constructor('return process')",
      "function",
    ],
    ["eval, indirect", "(0, eval)('typeof process + typeof require')", "undefinedundefined"],
    [
      "the caller of the script",
      "(function f() { try { return typeof f.caller } catch (e) { return 'none' } })() !== 'function'",
      true,
    ],
    [
      "arguments of the prelude",
      "(function f() { try { return typeof f.arguments } catch { return 'undefined' } })()",
      "undefined",
    ],
    [
      "names of the prelude",
      "[typeof settings, typeof isLate, typeof stringify, typeof waiting].join()",
      "undefined,undefined,undefined,undefined",
    ],
    [
      "files in a stack",
      "/\\.(ts|mjs|wasm)|node_modules|file:|scriptThread|\\//.test(new Error().stack)",
      false,
    ],
    [
      "prepareStackTrace",
      "(() => { let seen = 0; Error.prepareStackTrace = (e, s) => { seen = s; return s }; new Error().stack; return typeof seen })()",
      "number",
    ],
    [
      "a walk over everything reachable",
      "(() => { const seen = new Set(); const walk = (o) => { if ((typeof o !== 'object' && typeof o !== 'function') || o === null || seen.has(o)) return; seen.add(o); for (const k of Reflect.ownKeys(o)) { let d = Object.getOwnPropertyDescriptor(o, k); walk(d.value); walk(d.get); walk(d.set) } walk(Object.getPrototypeOf(o)) }; walk(globalThis); walk(getContext()); return [...seen].every((x) => !/process|require|child_process/.test(typeof x === 'function' ? x.name : '')) })()",
      true,
    ],
    [
      "the question that is asked of the host",
      "(() => { let stolen = 0; const call = Function.prototype.call, apply = Reflect.apply; Reflect.apply = (f) => { stolen++ }; Function.prototype.call = () => { stolen++ }; __.readDocuments(__.getSelfLink(), () => {}); return stolen })()",
      0,
    ],
    ["import()", "typeof import('node:fs').then", "function"],
    [
      "import.meta",
      "(() => { try { return eval('import.meta') } catch (e) { return e.name } })()",
      "SyntaxError",
    ],
    ["with", "(() => { with ({ a: 1 }) { return a } })()", 1],
    ["a shared buffer", "typeof new ArrayBuffer(8).constructor", "function"],
    [
      "finalizers",
      "(() => { new FinalizationRegistry(() => { throw 1 }).register({}, 1); return 1 })()",
      1,
    ],
    ["a getter on what is returned", "({ get a() { return typeof process } })", { a: "undefined" }],
    ["toJSON on what is returned", "({ toJSON() { return typeof require } })", "undefined"],
    [
      "a proxy as what is returned",
      "new Proxy({}, { ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: () => 7 })",
      { a: 7 },
    ],
    ["symbols as keys", "({ [Symbol.toPrimitive]: 1, [Symbol('x')]: 2, a: 1 })", { a: 1 }],
    [
      "Symbol.species",
      "(() => { class X extends Array { static get [Symbol.species]() { return Object } } return typeof new X(1, 2).map((x) => x) })()",
      "object",
    ],
    [
      "Symbol.hasInstance on Error",
      "(() => { Object.defineProperty(Error, Symbol.hasInstance, { value: () => { throw 1 } }); return 1 })()",
      1,
    ],
  ])("%s", async (_, expression, expected) => {
    expect(await insideOf(expression)).toEqual(expected);
  });

  test("import() loads nothing", async () => {
    expect(await told("async function () { await import('node:fs') }")).toBe("threw");
    expect(await told("async function () { await import('./scriptRunner.ts') }")).toBe("threw");
  });
});

describe("what comes back cannot hurt", () => {
  test("__proto__ is a key like others", async () => {
    const outcome = await run(
      `function () { __.response.setBody(JSON.parse('{"__proto__":{"polluted":1}}')) }`,
    );
    expect(outcome).toMatchObject({ responseBody: '{"__proto__":{"polluted":1}}' });
  });

  test.each<[string, string, string]>([
    ["the prototype of objects", "Object.prototype.polluted = 1; __.response.setBody({})", "done"],
    ["the prototype of arrays", "Array.prototype.polluted = 1; __.response.setBody([])", "done"],
    [
      "setters on list places",
      "Object.defineProperty(Array.prototype, 0, { set() {}, get() { return 'x' } }); __.readDocuments(__.getSelfLink(), () => {})",
      "done",
    ],
    [
      "JSON.stringify that lies",
      "JSON.stringify = () => '}{'; __.readDocuments(__.getSelfLink(), () => __.response.setBody(1))",
      "done",
    ],
    [
      "toJSON of all objects",
      "Object.prototype.toJSON = () => '}{'; __.readDocuments(__.getSelfLink(), () => {})",
      "threw",
    ],
    [
      "toJSON of strings",
      "String.prototype.toJSON = () => ({}); __.createDocument(__.getSelfLink(), { id: 'x' })",
      "done",
    ],
    [
      "an operation of a kind there is not",
      "Object.defineProperty(Object.prototype, 'kind', { set() {}, get() { return 'drop' } }); __.readDocuments(__.getSelfLink())",
      "done",
    ],
    [
      "options that nest deeply",
      "let o = {}; for (let i = 0; i < 400; i++) o = { o }; __.readDocuments(__.getSelfLink(), { o })",
      "threw",
    ],
    ["a promise that is none", "return { then() { throw 1 } }", "done"],
    [
      "Promise replaced",
      "Promise = class { static [Symbol.hasInstance]() { return true } }; return 5",
      "done",
    ],
    [
      "then replaced",
      "Promise.prototype.then = () => { throw 1 }; return Promise.reject(1)",
      "threw",
    ],
    [
      "Array.isArray that lies",
      "Array.isArray = () => true; __.queryDocuments(__.getSelfLink(), { query: 'x', parameters: 5 })",
      "threw",
    ],
    [
      "an error whose text loops",
      "throw { get message() { for (;;); }, toString() { for (;;); }, toJSON() { for (;;); } }",
      "outOfTime",
    ],
    ["an error without a text", "throw { toJSON() { throw 1 }, toString() { throw 2 } }", "threw"],
    ["an error with a huge text", "throw new Error('x'.repeat(1e6))", "threw"],
    ["a symbol thrown", "throw Symbol('x')", "threw"],
    ["undefined thrown", "throw undefined", "threw"],
    [
      "a revoked proxy thrown",
      "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy",
      "threw",
    ],
    ["a name that is no name", "const e = new Error('x'); e.name = Symbol(); throw e", "threw"],
  ])("%s", async (_, body, expected) => {
    const outcome = await run(`function () { ${body} }`, 1000);
    expect(outcome.kind).toBe(expected);
    if (outcome.kind === "threw") expect(outcome.message.length).toBeLessThan(6000);
  });
});

describe("endless things end", () => {
  const LOOP = "for (;;);";
  test.each<[string, string]>([
    ["a loop", LOOP],
    ["a loop that catches", "for (;;) try { for (;;); } catch {}"],
    ["a loop that finally goes on", "(function f() { try { for (;;); } finally { f() } })()"],
    ["a callback", `__.readDocuments(__.getSelfLink(), () => { ${LOOP} })`],
    ["a getter of the response", `__.response.setBody({ get a() { ${LOOP} } })`],
    ["toJSON of the response", `__.response.setBody({ toJSON() { ${LOOP} } })`],
    ["toJSON of an item", `__.createDocument(__.getSelfLink(), { toJSON() { ${LOOP} } })`],
    ["a comparison", `[3, 2, 1].sort(() => { ${LOOP} })`],
    ["a predicate of a query", `__.filter(() => { ${LOOP} })`],
    ["valueOf", `1 + { valueOf() { ${LOOP} } }`],
    ["a trap of a proxy", `new Proxy({}, { get() { ${LOOP} } }).a`],
    ["an iterator", "for (const x of (function* () { for (;;) yield 1 })());"],
    [
      "an iterator without end",
      "for (const x of { [Symbol.iterator]: () => ({ next: () => ({}) }) });",
    ],
    [
      "promises that make promises",
      "const again = () => Promise.resolve().then(again); return again()",
    ],
    ["an async loop", "return (async () => { for (;;) await 0 })()"],
    [
      "a thenable that never settles itself",
      "const t = { then(ok) { ok(t) } }; return Promise.resolve(t)",
    ],
    ["a regular expression", "/^(a+)+$/.test('a'.repeat(40) + 'b')"],
    ["another regular expression", "/(.*)*\\1{9}x/.exec('y'.repeat(3000))"],
    ["replacing with a function", `'aaa'.replace(/a/g, () => { ${LOOP} })`],
    ["eval of a loop", "eval('for (;;);')"],
    ["a loop while compiling", "return Function('a = (() => { for (;;); })()', '')()"],
    ["labels", "a: for (;;) { b: for (;;) { continue a } }"],
    ["BigInts, one after the other", "let a = 3n; for (;;) a = (a * a) % (1n << 4096n)"],
    ["dates again and again", "for (;;) new Date().toString()"],
  ])("%s", async (_, body) => {
    expect((await run(`function () { ${body} }`, TIME_MS)).kind).toBe("outOfTime");
  });

  // What each of these keeps grows as long as it runs, so a quick machine ends it by its memory.
  test.each<[string, string]>([
    ["an iterator that is spread", "[...(function* () { for (;;) yield 1 })()].length"],
    [
      "promises beside each other",
      "const again = () => { Promise.resolve().then(again).then(again) }; again()",
    ],
  ])("%s, by the clock or by its memory", async (_, body) => {
    const { kind } = await run(`function () { ${body} }`, TIME_MS);
    expect(["outOfTime", "outOfMemory"]).toContain(kind);
  });

  test("callbacks that ask again, by the clock or by the depth of their calls", async () => {
    const body = "const next = () => __.readDocuments(__.getSelfLink(), next) || next(); next()";
    const { kind } = await run(`function () { ${body} }`, TIME_MS);
    expect(["outOfTime", "threw"]).toContain(kind);
  });

  test("a text that loops before it is a function", async () => {
    expect((await run("(() => { for (;;); })()", TIME_MS)).kind).toBe("outOfTime");
  });
});

describe("large things are refused", () => {
  const ENDINGS = ["outOfMemory", "threw", "outOfTime"];
  test.each<[string, string]>([
    ["a string of a gigabyte", "'x'.repeat(2 ** 30)"],
    ["a string that doubles", "let s = 'xy'; for (;;) s = s + s"],
    ["a string that pads", "'x'.padEnd(2 ** 29)"],
    ["many strings", "const a = []; for (;;) a.push('x'.repeat(99999) + a.length)"],
    ["a list of a billion", "Array.from({ length: 1e9 })"],
    ["a list filled", "new Array(1e9).fill(1)"],
    ["spread", "const a = Array(1e6); Math.max(...a, ...a, ...a, ...a)"],
    ["typed arrays", "const a = []; for (;;) a.push(new Float64Array(99999))"],
    ["one typed array", "new Uint8Array(2 ** 31)"],
    ["a BigInt", "2n ** 100000000n"],
    ["a BigInt shifted", "1n << 1000000000n"],
    ["objects", "const a = []; for (;;) a.push({ a: {} })"],
    ["a map", "const m = new Map(); for (let i = 0; ; i++) m.set(i, {})"],
    ["closures", "let f = () => 0; for (;;) { const g = f; f = () => g }"],
    ["properties", "const o = {}; for (let i = 0; ; i++) o['k' + i] = i"],
    ["recursion", "(function f() { return f() + 1 })()"],
    [
      "recursion through JSON",
      "const a = { toJSON() { return JSON.stringify(a) } }; JSON.stringify(a)",
    ],
    ["deep JSON", "JSON.parse('['.repeat(1e6) + ']'.repeat(1e6))"],
    [
      "deep JSON, answered",
      "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; __.response.setBody(a)",
    ],
    [
      "a million promises",
      "const a = []; for (let i = 0; i < 1e6; i++) a.push(new Promise((ok) => ok(i)).then((x) => [x])); return Promise.all(a)",
    ],
    ["a source text", "Function('x'.repeat(1e6) + '+'.repeat(1e6))"],
    ["nested functions in a text", "Function('()=>'.repeat(1e5) + '0')"],
    ["nested brackets in a text", "Function('('.repeat(1e6))"],
    ["groups in a regular expression", "new RegExp('('.repeat(1e5) + ')'.repeat(1e5))"],
    ["an error for every error", "let e; for (;;) e = new Error('x', { cause: e })"],
  ])("%s", async (_, body) => {
    expect(ENDINGS).toContain((await run(`function () { ${body} }`, TIME_MS)).kind);
  });

  test("a flood of the console is cut, with a note", async () => {
    const outcome = await run(
      "function () { for (let i = 0; i < 99; i++) console.log('x'.repeat(9999)) }",
    );
    expect(outcome).toMatchObject({
      kind: "done",
      log: expect.stringMatching(/\[cut here: a log has at most 262144/),
    });
    expect(outcome.log.length).toBeLessThan(263_000);
  });

  test("a million operations are taken in slices, until time or memory ends", async () => {
    const body =
      "function () { let n = 0; while (n < 1e6 && __.deleteDocument(__.getAltLink() + '/docs/x' + n, () => {})) n++ }";
    expect(["done", ...ENDINGS]).toContain((await run(body, TIME_MS)).kind);
  });
});

describe("after the end", () => {
  test("what toJSON asks for at the end is not accepted", async () => {
    const body =
      "function () { __.response.setBody({ toJSON: () => __.createDocument(__.getSelfLink(), {}) }) }";
    expect(await told(body)).toBe(false);
  });

  test("callbacks are not called once the script has failed", async () => {
    const body =
      "function () { __.readDocuments(__.getSelfLink(), () => { throw 'first' }); __.readDocuments(__.getSelfLink(), () => { console.log('second') }) }";
    expect(await run(body)).toMatchObject({ kind: "threw", message: "first", log: "" });
  });

  test("nothing is left for the next script", async () => {
    await run(
      "function () { globalThis.left = 1; Object.prototype.left = 1; JSON.parse = null; getContext = null; __ = 1 }",
    );
    expect(
      await insideOf("[typeof left, typeof {}.left, typeof JSON.parse, typeof getContext()]"),
    ).toEqual(["undefined", "undefined", "function", "object"]);
  });
});
