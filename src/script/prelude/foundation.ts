/**
 * The part of the prelude that the others use, as JavaScript text that runs inside the sandbox:
 * built-ins as they are before user code can replace them, errors with a number, and chance.
 *
 * Always: the parts are one function body in strict mode, so user code reaches none of their names.
 * A script that replaces built-ins can deceive only itself: every text that leaves the sandbox is
 * checked outside.
 *
 * Not here: anything that a script can call by name, except `Error` and `ErrorCodes`.
 */

/** The code around a user's text, so that the names it declares beside its function are its own. */
export const TEXT_BEFORE = "(function () { var __text = ";
export const TEXT_AFTER = "\n; return __text; })()";
const TEXT_COLUMN = TEXT_BEFORE.length;

export const FOUNDATION: string = `
const parse = JSON.parse;
const stringify = JSON.stringify;
const apply = Reflect.apply;
const then = Promise.prototype.then;
const functionText = Function.prototype.toString;
const NativePromise = Promise;
const NativeError = Error;

// Threads share no memory here: these could only be in the way.
delete globalThis.SharedArrayBuffer;
delete globalThis.Atomics;

// The service's engine takes a number and a message, and scripts for it rely on that.
function NumberedError(first, second) {
  const isNumbered = typeof first === "number" && typeof second === "string";
  const given = isNumbered ? [second] : arguments;
  const error = Reflect.construct(NativeError, given, new.target || NumberedError);
  if (isNumbered) error.number = first;
  return error;
}
Object.setPrototypeOf(NumberedError, NativeError);
Object.defineProperty(NumberedError, "name", { value: "Error" });
NumberedError.prototype = NativeError.prototype;
const hidden = (value) => ({ value, writable: true, configurable: true, enumerable: false });
Object.defineProperty(NativeError.prototype, "constructor", hidden(NumberedError));
Object.defineProperty(globalThis, "Error", hidden(NumberedError));

const ErrorCodes = Object.freeze({
  BadRequest: 400,
  Forbidden: 403,
  NotFound: 404,
  RequestTimeout: 408,
  Conflict: 409,
  PreconditionFailed: 412,
  RequestEntityTooLarge: 413,
  RetryWith: 449,
  InternalServerError: 500,
});
Object.defineProperty(globalThis, "ErrorCodes", hidden(ErrorCodes));

const errorOf = (number, message) => {
  const error = new NumberedError(number, message);
  error.body = message;
  return error;
};

// Where in the user's text it happened: frames of the prelude and of built-ins say nothing to him.
// In the first line something of ours stands before his text.
const traceOf = (stack) => {
  const lines = typeof stack === "string" ? stack.split("\\n") : [];
  const own = lines.filter((line) => line !== "" && !/\\((orrery:|native\\))|<eval>/.test(line));
  const placed = (line) =>
    line
      .replace(/:1:(\\d+)(\\)?)$/, (_, column, end) => ":1:" + (column - ${TEXT_COLUMN}) + end)
      .replace(/^ +at /, "   at ")
      .replace(/at (<anonymous>|__text) /, "at Anonymous function ");
  return own.slice(0, 8).map((line) => "\\n" + placed(line)).join("");
};

const wordsOf = (error) => (error.name + ": " + error.message).slice(0, 4096);

const describe = (error) => {
  try {
    if (error instanceof NativeError) return wordsOf(error);
    const isPlain = typeof error === "object" && error !== null;
    return String((isPlain ? stringify(error) : undefined) ?? String(error)).slice(0, 4096);
  } catch {
    return "something was thrown that has no text";
  }
};

// All that is told of what was thrown, in the service's form. Without a prototype, so that no
// toJSON of a user's comes in between.
const toldOf = (error) => {
  const told = { __proto__: null, message: describe(error) };
  try {
    if (!(error instanceof NativeError)) return told;
    if (typeof error.number === "number") told.number = error.number;
    const trace = traceOf(error.stack);
    const repeated = told.message.slice(0, 1024);
    if (trace !== "") told.message += "\\r\\nStack trace: " + repeated + trace;
  } catch {}
  return told;
};

// sfc32. Contexts made in the same millisecond would otherwise draw the same numbers.
const seedChance = (seed) => {
  let [a, b, c, d] = seed;
  const draw = () => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 20; round++) draw();
  const random = () => ((draw() >>> 5) * 67108864 + (draw() >>> 6)) / 9007199254740992;
  Object.defineProperty(Math, "random", hidden(random));
  return draw;
};
`;
