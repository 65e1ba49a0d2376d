/**
 * `getRequest()`, `getResponse()` and the console, as JavaScript text that runs inside the sandbox.
 *
 * Always: a body that was not set stays as it came, byte by byte. Only a pre-trigger may set the
 * request's body, and a pre-trigger has no response. Only the body can be set, because no other
 * value of a message is read afterwards.
 *
 * Not here: what the engine does with bodies that were set.
 */

const LOG_CHARS_MAX = 256 * 1024;
/** Length of a body, as much as a page of a query. */
const BODY_CHARS_MAX = 4 * 1024 * 1024;

export const MESSAGES: string = `
const messageOf = (noun, given, initial, isWritable) => {
  const values = given?.values ?? {};
  let isRead = false;
  let isSet = false;
  let body;
  const getBody = () => {
    if (!isRead && !isSet) body = given?.body === undefined ? initial : parse(given.body);
    isRead = true;
    return body;
  };
  const setBody = (value) => {
    if (!isWritable) throw errorOf(403, "The body of the " + noun + " cannot be set here.");
    body = value;
    isSet = true;
  };
  const appendBody = (value) => {
    const before = getBody();
    setBody(before === undefined || before === null ? value : before + value);
  };
  const isBody = (name) => String(name).toLowerCase() === "body";
  const getValue = (name) => {
    const key = String(name).toLowerCase();
    if (isBody(name)) return getBody();
    return Object.hasOwn(values, key) ? values[key] : undefined;
  };
  const onlyBody = (name) => {
    if (isBody(name)) return;
    throw errorOf(403, "'" + String(name) + "' of the " + noun + " cannot be set; only Body can.");
  };
  const setValue = (name, value) => {
    onlyBody(name);
    setBody(value);
  };
  const appendValue = (name, value) => {
    onlyBody(name);
    appendBody(value);
  };
  const getOperationType = () => settings.request?.operationType ?? "Execute";
  const accessors = { getBody, setBody, appendBody, getValue, setValue, appendValue };
  return { message: { ...accessors, getOperationType }, isSet: () => isSet, getBody };
};

const isPreTrigger = settings.kind === "preTrigger";
const isProcedure = settings.kind === "procedure";
const sentBody = isProcedure ? settings.args : undefined;
const request = messageOf("request", settings.request, sentBody, isPreTrigger);
const response = messageOf("response", settings.response, isProcedure ? "" : undefined, true);
response.message.getMaxResourceQuota = () => settings.quota?.max;
response.message.getResourceQuotaCurrentUsage = () => settings.quota?.used;

const bounded = (noun, text) => {
  if (text === undefined || text.length <= ${BODY_CHARS_MAX}) return text;
  throw errorOf(413, "The body of the " + noun + " has " + text.length + " characters; " +
    "${BODY_CHARS_MAX} are allowed. Return less, and a continuation to go on from.");
};

const bodiesOf = () => {
  isEnding = true;
  const answer = response.isSet() ? stringify(response.getBody()) : undefined;
  const responseBody = bounded("response", answer);
  const set = request.isSet() ? request.getBody() : undefined;
  const text = typeof set === "string" ? set : stringify(set);
  const requestBody = request.isSet() ? bounded("request", text) : settings.request?.body;
  return stringify({ responseBody, requestBody });
};

let log = "";
let isLogCut = false;
const shown = (value) => {
  if (typeof value === "string") return value;
  return value instanceof NativeError ? describe(value) : (stringify(value) ?? String(value));
};
const writeLog = (...given) => {
  if (!settings.isLogging || isLogCut) return;
  let next = given.length > 1 && typeof given[0] === "string" ? 1 : 0;
  const substitute = (match) => {
    if (match === "%%") return "%";
    return next < given.length ? shown(given[next++]) : match;
  };
  let line = next === 1 ? given[0].replace(/%[sdifjoO%]/g, substitute) : "";
  for (; next < given.length; next++) line += (line === "" ? "" : " ") + shown(given[next]);
  log += (log === "" ? "" : "\\n") + line;
  if (log.length <= ${LOG_CHARS_MAX}) return;
  isLogCut = true;
  const note = "\\n[cut here: a log has at most ${LOG_CHARS_MAX} characters]";
  log = log.slice(0, ${LOG_CHARS_MAX}) + note;
};
const logOf = () => stringify(log);
const consoleMethods = { log: writeLog, info: writeLog, warn: writeLog, error: writeLog };
consoleMethods.debug = writeLog;
Object.defineProperty(globalThis, "console", hidden(consoleMethods));
`;
