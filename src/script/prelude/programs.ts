/**
 * The two programs that run in a fresh context before any user code: one for scripts, which gives
 * them their API, and one for functions, which have none. Each is an expression whose value is a
 * function; calling it once returns the entries through which the server calls into the context.
 *
 * Always: entries take and return text. The only function of the server that is called from inside
 * is `isLate`, which tells whether most of the time is used up.
 *
 * Not here: the other side of the entries (`scriptSession.ts`, `functionCalls.ts`).
 */
import { COLLECTION } from "./collection.ts";
import { CONVERSATION } from "./conversation.ts";
import { FOUNDATION } from "./foundation.ts";
import { INTEGRATED_QUERY } from "./integratedQuery.ts";
import { MESSAGES } from "./messages.ts";

/** The name of the prelude's stack frames, which are left out of the stacks that users see. */
export const PRELUDE_NAME = "orrery";

const CONTEXT = `
const underscore = Object.create(collection);
underscore.request = request.message;
if (!isPreTrigger) underscore.response = response.message;
const context = {
  getCollection: () => collection,
  getRequest: () => request.message,
  getResponse() {
    if (!isPreTrigger) return response.message;
    throw errorOf(400, "A pre-trigger has no response: it runs before the operation.");
  },
  abort(error) {
    fail(error ?? errorOf(400, "The script called abort()."));
    throw error;
  },
};
Object.defineProperty(globalThis, "__", hidden(underscore));
Object.defineProperty(globalThis, "getContext", hidden(() => context));
`;

export const SCRIPT_PROGRAM: string = `(function (isLate, settingsText) {
"use strict";
${FOUNDATION}
const settings = parse(settingsText);
const draw = seedChance(settings.seed);
${CONVERSATION}
${COLLECTION}
${MESSAGES}
${INTEGRATED_QUERY}
${CONTEXT}
const describeError = (error) => stringify(toldOf(error));
return { begin, take, deliver, failureOf, bodiesOf, logOf, describeError };
})`;

/** Makes texts of calls and results by concatenation, so that no `toJSON` of a user is called. */
export const FUNCTION_PROGRAM: string = `(function (seedText) {
"use strict";
${FOUNDATION}
seedChance(parse(seedText));
const functions = [];
const add = (given) => {
  if (typeof given !== "function") return false;
  functions[functions.length] = given;
  return true;
};
const textOf = (value) => {
  const type = typeof value;
  if (type === "number" && value - value !== 0) return undefined;
  return type === "symbol" || type === "function" ? undefined : stringify(value);
};
const call = (text) => {
  const calls = parse(text);
  let values = "";
  let holes = "";
  for (let position = 0; position < calls.length; position++) {
    const entry = calls[position];
    const given = entry[1];
    try {
      if (entry.length > 2) for (const place of entry[2]) given[place] = undefined;
      const result = textOf(apply(functions[entry[0]], undefined, given));
      values += (position === 0 ? "" : ",") + (result ?? "null");
      if (result === undefined) holes += (holes === "" ? "" : ",") + position;
    } catch (error) {
      const told = { __proto__: null, kind: "threw", function: entry[0], told: toldOf(error) };
      return stringify(told);
    }
  }
  return '{"kind":"done","values":[' + values + '],"holes":[' + holes + "]}";
};
const describeError = (error) => stringify(toldOf(error));
return { add, call, describeError };
})`;
