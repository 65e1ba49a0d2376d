/**
 * Scripts that mean harm: to get out of the sandbox, to outlast their time, to fill the memory, to flood
 * whoever listens. Each is the body of a stored procedure. Those that are to be answered say what with.
 */

/** @param {string} statements */
const body = (statements) => `function () { ${statements} }`;
/** @param {string} expression */
const tell = (expression) =>
  body(
    `let told; try { told = ${expression}; } catch (e) { told = "no"; } __.response.setBody(told);`,
  );

/** What must be answered `"undefined"` or `"no"`: nothing of the host is there. */
export const ESCAPES = [
  "typeof process",
  "typeof require",
  "typeof globalThis.process",
  "typeof Buffer",
  "typeof fetch",
  "typeof setTimeout",
  "typeof WebAssembly",
  "typeof SharedArrayBuffer",
  "typeof Deno",
  "({}).constructor.constructor('return typeof process')()",
  "getContext.constructor('return typeof require')()",
  "__.getSelfLink.constructor('return typeof process')()",
  "(async () => {}).constructor('return typeof process')() && 'no'",
  "(0, eval)('typeof process')",
  "Reflect.construct(Function, ['return typeof require'])()",
  "new Proxy(Function, {}).constructor('return typeof process')()",
  "(function () { return typeof this.process }).call(undefined)",
  "typeof Object.getOwnPropertyDescriptor(globalThis, 'process')",
  "(() => { Error.prepareStackTrace = (e, s) => typeof s[0].getThis; return new Error().stack && 'no' })()",
  "(() => { const f = console.log; return f.constructor('return typeof process')() })()",
].map(tell);

/** What must be ended, refused or let be, and must not be noticed by anybody else. */
export const FLOODS = [
  "for (;;);",
  "while (true) { try { for (;;); } catch (e) {} }",
  "do { var x = 1; } while (x);",
  "(function f() { f(); })()",
  "(function f() { try { f() } finally { f() } })()",
  "const f = () => Promise.resolve().then(f); return f();",
  "for (;;) Promise.resolve().then(() => {});",
  "const a = []; for (;;) a.push(new Array(1000).fill('x'));",
  "let s = 'x'; for (;;) s += s;",
  "'x'.repeat(2 ** 29).repeat(8)",
  "new Uint8Array(2 ** 31)",
  "const a = []; for (;;) a.push(new ArrayBuffer(1e6));",
  "Array.from({ length: 1e9 })",
  "new Array(2 ** 32 - 1).fill(0)",
  "Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)",
  "let a = 2n ** 100000n; for (;;) a = a * a;",
  "(2n ** 1000000n).toString()",
  "/^(a+)+$/.test('a'.repeat(40) + 'b')",
  "/(x+x+)+y/.test('x'.repeat(5000))",
  "'a'.repeat(1e5).replace(/(a|aa)+$/g, 'b')",
  "const a = Array.from({ length: 99999 }, (_, i) => i % 7); for (;;) a.sort(() => 1);",
  "[1, 2].sort(() => { for (;;); })",
  "({ get x() { for (;;); } }).x",
  "JSON.stringify({ toJSON() { for (;;); } })",
  "String({ toString() { for (;;); } })",
  "new Proxy({}, { get() { for (;;); } }).x",
  "[...{ *[Symbol.iterator]() { for (;;) yield 1; } }]",
  "for (const x of (function* () { for (;;) yield 1; })());",
  "JSON.parse('['.repeat(1e5) + ']'.repeat(1e5))",
  "let o = {}; for (let i = 0; i < 1e6; i++) o = { o }; __.response.setBody(o);",
  "let a = ['x']; for (let i = 0; i < 40; i++) a = [a, a]; __.response.setBody(a);",
  "__.response.setBody('x'.repeat(3e7));",
  "for (;;) console.log('x'.repeat(1e4));",
  "for (let i = 0; i < 1e6; i++) __.readDocuments(__.getSelfLink(), () => {});",
  "for (let i = 0; i < 1e5; i++) __.createDocument(__.getSelfLink(), { id: String(i), pk: 'h' }, () => {});",
  "const f = () => __.readDocuments(__.getSelfLink(), f); f();",
  "const f = () => { __.readDocuments(__.getSelfLink(), f); __.readDocuments(__.getSelfLink(), f); }; f();",
  "__.queryDocuments(__.getSelfLink(), 'SELECT * FROM c WHERE ' + '('.repeat(5000), () => {});",
  "__.queryDocuments(__.getSelfLink(), 'SELECT * FROM a IN c.x JOIN b IN c.x JOIN d IN c.x', () => {});",
  "__.createDocument(__.getSelfLink(), { id: 'x', pk: 'h', s: 'x'.repeat(1e7) }, () => {});",
  "__.readDocuments(__.getSelfLink(), () => { for (;;); });",
  "const m = new Map(); for (;;) m.set({}, {});",
  "const s = Symbol(); const o = {}; for (;;) o[Symbol()] = s;",
  "Object.prototype.then = function (r) { for (;;); }; return Promise.resolve({});",
  "Array.prototype.push = function () { for (;;); }; __.readDocuments(__.getSelfLink(), () => {});",
  "JSON.parse = () => { for (;;); }; __.readDocuments(__.getSelfLink(), () => {});",
  "const d = new Date(8.64e15); for (;;) d.toLocaleString();",
  "for (;;) structured = new Function('return 1')();",
  "for (;;) eval('1 + 1');",
  "decodeURIComponent('%41'.repeat(1e7))",
].map(body);
