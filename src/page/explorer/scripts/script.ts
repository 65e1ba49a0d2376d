/** Stored procedures, triggers and user-defined functions, read and changed by the data plane. */
import type { OverviewRow } from "../../../protocol/admin.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { Server, ServerReply } from "../../session/server.ts";
import { containerPath, keyHeader } from "../data/dataPlane.ts";
import { queryProblems } from "../query/queryProblem.ts";

export type ScriptKind = "sprocs" | "triggers" | "udfs";

export interface Script {
  readonly kind: ScriptKind;
  readonly id: string;
  readonly body: string;
  /** Absent of one that is not saved yet. */
  readonly etag?: string | undefined;
  readonly triggerType?: string | undefined;
  readonly triggerOperation?: string | undefined;
}

const LISTS = {
  sprocs: "StoredProcedures",
  triggers: "Triggers",
  udfs: "UserDefinedFunctions",
} as const;

export const SCRIPT_KINDS: readonly ScriptKind[] = ["sprocs", "triggers", "udfs"];

interface Sent {
  readonly id: string;
  readonly body: string;
  readonly _etag?: string;
  readonly triggerType?: string;
  readonly triggerOperation?: string;
}

export async function readScripts(
  server: Server,
  row: OverviewRow,
): Promise<ServerReply<readonly Script[]>> {
  const found: Script[] = [];
  for (const kind of SCRIPT_KINDS) {
    const headers = { [HEADER.maxItemCount]: "-1" };
    const answer = await server.data({ method: "GET", path: pathOf(row, kind), headers });
    if (!answer.ok) return answer;
    const lists = JSON.parse(answer.value.text) as Readonly<Record<string, readonly Sent[]>>;
    found.push(...(lists[LISTS[kind]] ?? []).map((sent) => scriptOf(kind, sent)));
  }
  return { ok: true, value: found };
}

function scriptOf(kind: ScriptKind, sent: Sent): Script {
  const { id, body, _etag: etag, triggerType, triggerOperation } = sent;
  return { kind, id, body, etag, triggerType, triggerOperation };
}

/** Saved only if nobody has changed it meanwhile. */
export async function saveScript(
  server: Server,
  row: OverviewRow,
  script: Script,
): Promise<ServerReply<Script>> {
  const { kind, id, body, etag, triggerType, triggerOperation } = script;
  const answer = await server.data({
    method: etag === undefined ? "POST" : "PUT",
    path: etag === undefined ? pathOf(row, kind) : pathOf(row, kind, id),
    ...(etag !== undefined && { headers: { "if-match": etag } }),
    body: { id, body, ...(kind === "triggers" && { triggerType, triggerOperation }) },
  });
  if (!answer.ok) return answer;
  return { ok: true, value: scriptOf(kind, JSON.parse(answer.value.text) as Sent) };
}

export async function deleteScript(
  server: Server,
  row: OverviewRow,
  { kind, id, etag }: Script,
): Promise<ServerReply<unknown>> {
  const headers = etag === undefined ? {} : { "if-match": etag };
  return server.data({ method: "DELETE", path: pathOf(row, kind, id), headers });
}

export interface ScriptRan {
  readonly result: string;
  readonly log: string;
  readonly charge: number;
}

export async function runProcedure(
  server: Server,
  row: OverviewRow,
  call: {
    readonly id: string;
    readonly keys: readonly unknown[];
    /** A JSON array. */
    readonly parameters: string;
  },
): Promise<ServerReply<ScriptRan>> {
  const answer = await server.data({
    method: "POST",
    path: pathOf(row, "sprocs", call.id),
    headers: { ...keyHeader(call.keys), [HEADER.scriptLogging]: "true" },
    body: call.parameters,
  });
  if (!answer.ok) return answer;
  const { text, headers, charge } = answer.value;
  const log = decodeURIComponent(headers.get(HEADER.scriptLog) ?? "");
  return { ok: true, value: { result: text, log, charge } };
}

/** What a script threw, out of the message that the service wraps it in. */
export function plainError(message: string): string {
  const told = queryProblems(message).map(({ message: text }) => text);
  return told.join("\n").replace(/\r\n?/g, "\n");
}

/** The line of the script that an error names, as engines write it: `name:3:5` or `line 3`. */
export function lineIn(message: string): number | undefined {
  const found = /\bline (\d+)|:(\d+):\d+\b|:(\d+)\)/i.exec(message);
  const digits = found?.[1] ?? found?.[2] ?? found?.[3];
  return digits === undefined ? undefined : Number(digits);
}

/** What is wrong with parameters that somebody typed; `undefined` when nothing is. */
export function parametersProblem(text: string): string | undefined {
  try {
    return Array.isArray(JSON.parse(text)) ? undefined : "Parameters are a JSON array: [ … ].";
  } catch {
    return 'Parameters are a JSON array, such as ["ada", 3].';
  }
}

export function firstBody(kind: ScriptKind): string {
  switch (kind) {
    case "sprocs":
      return [
        "function procedure(name) {",
        '  getContext().getResponse().setBody("Hello, " + name);',
        "}",
      ].join("\n");
    case "triggers":
      return [
        "function trigger() {",
        "  const request = getContext().getRequest();",
        "  request.setBody(request.getBody());",
        "}",
      ].join("\n");
    case "udfs":
      return "function convert(value) {\n  return value;\n}";
  }
}

function pathOf(row: OverviewRow, kind: ScriptKind, id?: string): string {
  const list = `${containerPath(row)}/${kind}`;
  return id === undefined ? list : `${list}/${encodeURIComponent(id)}`;
}
