/**
 * Scripts as plain functions, for tests of how the engine runs scripts: there is no sandbox, and
 * the body of a script is the name of a function. What a real script may do is tested in `script/`.
 */
import type {
  ScriptHost,
  ScriptOperation,
  ScriptOutcome,
  ScriptReply,
  ScriptRun,
  ScriptRunner,
} from "../../script/scriptRunner.ts";
import type { ScriptSetting } from "./scriptRuns.ts";

/** A script that may ask for operations, and resolves with the body of its response. */
export type SimulatedScript = (
  ask: (operation: Partial<ScriptOperation> & { readonly kind: string }) => Promise<ScriptReply>,
  run: ScriptRun,
) => Promise<string | undefined>;

export const LINK = "dbs/d/colls/c";

export function simulatedScripts(
  scripts: Readonly<Record<string, SimulatedScript>>,
): ScriptSetting & { readonly runs: string[] } {
  const runs: string[] = [];
  const runner: ScriptRunner = {
    lend: (_borrower, action) =>
      action((script, host) => {
        runs.push(script.body);
        return runOf(scripts[script.body]!, script, host);
      }),
    callFunctions: () => Promise.reject(new Error("no function is called here")),
    close: () => Promise.resolve(),
  };
  return {
    runner,
    runs,
    wordsOf: (refusal) => ({ status: 400, message: refusal.kind }),
  };
}

async function runOf(
  script: SimulatedScript,
  run: ScriptRun,
  host: ScriptHost,
): Promise<ScriptOutcome> {
  const about = { log: "", cpuMs: 1 };
  try {
    const ask: Parameters<SimulatedScript>[0] = (operation) =>
      host.perform({ link: LINK, options: {}, ...operation } as ScriptOperation);
    const body = await script(ask, run);
    const isBefore = run.kind === "preTrigger";
    return {
      kind: "done",
      responseBody: isBefore ? undefined : body,
      requestBody: isBefore ? body : run.request?.body,
      ...about,
    };
  } catch (error) {
    return { kind: "threw", message: String(error), ...about };
  }
}
