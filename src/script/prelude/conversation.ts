/**
 * The exchange between a script and the engine, as JavaScript text that runs inside the sandbox.
 * Operations wait in a queue until the script's code has returned; the engine takes them in order,
 * in slices, and each reply calls the callback of its operation.
 *
 * Always: callbacks are called in the order of their operations, one at a time, and none after the
 * script has failed or ended. The queue counts towards the memory limit of the sandbox.
 *
 * Not here: which operations there are (`collection.ts`).
 */

/** Bounds of one message to the engine, so that reading it makes no other request wait. */
const SLICE_OPERATIONS_MAX = 256;
const SLICE_CHARS_MAX = 1024 * 1024;
/** Length of an operation, more than any item or page has; a longer one is refused at once. */
const OPERATION_CHARS_MAX = 4 * 1024 * 1024;

/** RU that a small write costs with the default indexing policy. */
const FIRST_RU = 6;

export const CONVERSATION: string = `
const waiting = { first: 0, entries: [] };
const asked = { first: 0, entries: [] };
let failure;
let isEnding = false;
let isGoingOn = true;

const push = (queue, entry) => {
  queue.entries[queue.entries.length] = entry;
};
const isEmpty = (queue) => queue.first === queue.entries.length;
const shift = (queue) => {
  const entry = queue.entries[queue.first];
  queue.entries[queue.first++] = undefined;
  if (isEmpty(queue)) {
    queue.first = 0;
    queue.entries = [];
  }
  return entry;
};

const fail = (error) => {
  failure ??= stringify(toldOf(error));
};

const attempt = (action) => {
  try {
    const returned = action();
    // What an async function does later belongs to the script as well.
    if (returned instanceof NativePromise) apply(then, returned, [undefined, fail]);
  } catch (error) {
    fail(error);
  }
};

// What is under way will cost as much as what was done, or, before anything was, a small write.
const spending = { ru: 0, count: 0 };
const isAffordable = () => {
  const underWay = waiting.entries.length - waiting.first + asked.entries.length - asked.first;
  const each = spending.count === 0 ? ${FIRST_RU} : spending.ru / spending.count;
  return settings.ruMax === undefined || spending.ru + underWay * each < settings.ruMax;
};

const mayAsk = () =>
  failure === undefined && !isEnding && isGoingOn && !isLate() && isAffordable();

const ask = (operation, complete) => mayAsk() && askAnyway(operation, complete);

// For what costs nothing and is needed to end in good order: whoever may do no more goes on later.
const askAnyway = (operation, complete) => {
  const text = stringify(operation);
  if (text.length > ${OPERATION_CHARS_MAX}) {
    throw errorOf(413, "An operation with " + text.length + " characters is too large.");
  }
  push(waiting, { text, complete });
  return true;
};

// Whatever looks like a list will do, as with the service; nothing is no arguments.
const begin = (script) => attempt(() => apply(script, undefined, settings.args ?? []));

const take = () => {
  let slice = "";
  for (let count = 0; count < ${SLICE_OPERATIONS_MAX} && !isEmpty(waiting); count++) {
    const next = waiting.entries[waiting.first];
    if (count > 0 && slice.length + next.text.length > ${SLICE_CHARS_MAX}) break;
    slice += (count === 0 ? "" : ",") + next.text;
    push(asked, shift(waiting).complete);
  }
  return "[" + slice + "]";
};

const deliver = (text) => {
  const reply = parse(text);
  isGoingOn = reply.isGoingOn;
  spending.ru += reply.charge;
  if (reply.charge > 0) spending.count++;
  const complete = shift(asked);
  if (failure !== undefined) return;
  const error = reply.kind === "refused" ? errorOf(reply.status, reply.message) : undefined;
  attempt(() => complete(error, reply));
};

const failureOf = () => failure ?? "";
`;
