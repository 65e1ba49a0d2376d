/**
 * Puts probes to a server, and tells from what comes back how a feature stands.
 *
 * Invariants
 * - A state is found out, never taken from the probe: what the service answers is `supported`, or
 *   `idle` if the probe is about something that does nothing; what the probe says comes instead is
 *   `different`; a 4xx where something else should have come is `refused`. Anything else is a defect
 *   of the server or of the probe, and is thrown.
 * - Every probe has a database of its own, so they cannot disturb each other.
 */
import type { Answer, Call, Wire } from "../http/wire.ts";
import type { Headers, Probe, Step } from "./probe.ts";

export type State =
  | { readonly kind: "supported" }
  | { readonly kind: "idle"; readonly why: string }
  | { readonly kind: "different"; readonly says: string }
  /** With the first sentence of the refusal. */
  | { readonly kind: "refused"; readonly status: number; readonly says: string };

interface Stand {
  readonly wire: Wire;
  readonly readOnlyKey: string;
}

/** Made once for each run of a probe. Names are those between braces. */
type Names = Map<string, string>;

type Shortfall = { readonly step: Step; readonly answer: Answer; readonly what: string };

let databaseCount = 0;

export async function stateOf(stand: Stand, probe: Probe): Promise<State> {
  const shortfall = await converse(stand, probe, probe.steps);
  if (shortfall === undefined) {
    return probe.idle === undefined ? { kind: "supported" } : { kind: "idle", why: probe.idle };
  }
  if (probe.instead !== undefined) {
    const second = await converse(stand, probe, probe.instead.steps);
    if (second === undefined) return { kind: "different", says: probe.instead.says };
    throw new Error(complaintOf(probe, second));
  }
  const { status, body } = shortfall.answer;
  if (status >= 400 && status < 500) return { kind: "refused", status, says: sentenceOf(body) };
  throw new Error(complaintOf(probe, shortfall));
}

function sentenceOf(body: Buffer): string {
  const { message } = JSON.parse(body.toString()) as { readonly message: string };
  return message.split(/[\r\n]|(?<=\.) /, 1)[0]!;
}

function complaintOf({ feature }: Probe, { step, answer, what }: Shortfall): string {
  const { status, body } = answer;
  const start = body.toString().slice(0, 600);
  return `${feature}: ${step.ask} ${what}; the answer was ${status} ${start}`;
}

async function converse(
  stand: Stand,
  probe: Probe,
  steps: readonly Step[],
): Promise<Shortfall | undefined> {
  const names: Names = new Map([
    ["db", `d${++databaseCount}`],
    ["c", "c"],
  ]);
  const mentioned = JSON.stringify(steps);
  const all: Step[] = [];
  if (mentioned.includes("{db}")) all.push({ ask: "POST dbs", body: { id: "{db}" }, status: 201 });
  if (mentioned.includes("{c}")) all.push(containerStep(probe));
  for (const step of [...all, ...steps]) {
    const answer = await take(stand, step, names);
    const what = shortfallOf(step, answer, names);
    if (what !== undefined) return { step, answer, what };
    for (const [name, place] of Object.entries(step.keep ?? {})) {
      names.set(name, keptFrom(answer, place));
    }
  }
  return undefined;
}

function containerStep({ container = {}, containerHeaders = {} }: Probe): Step {
  const body = { id: "{c}", partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 } };
  return {
    ask: "POST dbs/{db}/colls",
    headers: containerHeaders,
    body: { ...body, ...container },
    status: 201,
  };
}

function take({ wire, readOnlyKey }: Stand, step: Step, names: Names): Promise<Answer> {
  const [verb, path = ""] = step.ask.split(" ") as [string, string?];
  const signedPath = step.signs ?? path;
  const segments = signedPath.split("/").filter((segment) => segment !== "");
  const isOther = step.signs !== undefined || path.startsWith("/");
  const by = step.by?.startsWith("{") ? filled(step.by, names) : step.by;
  const signed: Call =
    by === undefined
      ? {}
      : by === "read-only key"
        ? { key: readOnlyKey }
        : by === "nobody"
          ? { key: null }
          : { key: null, headers: { authorization: encodeURIComponent(by) } };
  return wire.call(
    verb,
    segments.map((segment) => filled(segment, names)),
    {
      ...signed,
      headers: { ...signed.headers, ...filledHeaders(step.headers ?? {}, names) },
      ...(isOther ? { path: `/${filled(path, names)}` } : {}),
      ...(step.body === undefined ? {} : { body: bodyOf(step.body, names) }),
    },
  );
}

function bodyOf(body: unknown, names: Names): string | Buffer {
  if (Buffer.isBuffer(body)) return body;
  return filled(typeof body === "string" ? body : JSON.stringify(body), names);
}

function filledHeaders(headers: Headers, names: Names): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, filled(value, names)]),
  );
}

/** Within JSON a kept text needs its quotes escaped; outside of it there are none around it. */
function filled(text: string, names: Names): string {
  const isJson = /^[{[]\W*"/.test(text);
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = names.get(name);
    if (value === undefined) return whole;
    return isJson ? JSON.stringify(value).slice(1, -1) : value;
  });
}

function keptFrom({ headers, body }: Answer, place: string): string {
  if (place.startsWith("header:")) return headers[place.slice("header:".length)] ?? "";
  let value: unknown = JSON.parse(body.toString());
  for (const name of place.split(".")) value = (value as Record<string, unknown>)?.[name];
  return String(value);
}

function shortfallOf(
  step: Step,
  { status, headers, body }: Answer,
  names: Names,
): string | undefined {
  if (status !== step.status) return `should have the status ${step.status}`;
  for (const [name, pattern] of Object.entries(step.answers ?? {})) {
    const value = headers[name];
    if (value === undefined) return `should have the header ${name}`;
    if (!pattern.test(value)) return `has '${value}' as ${name}, which should be like ${pattern}`;
  }
  const extra = step.lacks?.find((name) => headers[name] !== undefined);
  if (extra !== undefined) return `should not have the header ${extra}`;
  if (step.says !== undefined && !step.says.test(body.toString())) {
    return `should say ${step.says}`;
  }
  if (step.has === undefined) return undefined;
  const expected = filled(JSON.stringify(step.has), names);
  const isThere = isPartOf(JSON.parse(expected), JSON.parse(body.toString()));
  return isThere ? undefined : `should have ${expected}`;
}

/** Objects may have more properties than expected; numbers need nine digits in common. */
function isPartOf(expected: unknown, actual: unknown): boolean {
  if (typeof expected === "number" && typeof actual === "number") {
    return Math.abs(expected - actual) <= 1e-9 * Math.max(1, Math.abs(expected));
  }
  if (typeof expected !== "object" || expected === null) return expected === actual;
  if (typeof actual !== "object" || actual === null) return false;
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false;
    return expected.every((value, index) => isPartOf(value, actual[index]));
  }
  return Object.entries(expected).every(([name, value]) =>
    isPartOf(value, (actual as Record<string, unknown>)[name]),
  );
}
