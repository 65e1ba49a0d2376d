/**
 * User-defined functions for one page of a query. They are called on the threads of scripts, and
 * all calls of a page together have the time that one script has. Time spent waiting for a thread
 * is not counted, because other scripts may be running.
 */
import type { Limits } from "../../model/limits.ts";
import type { CallFunctions } from "../../query/evaluate/functionCalls.ts";
import type { ScriptRunner } from "../../script/scriptRunner.ts";

export function functionCaller(
  scripts: Pick<ScriptRunner, "callFunctions">,
  { scriptTimeMsMax, scriptMemoryBytesMax }: Limits,
): CallFunctions {
  const page = {};
  let timeMsLeft = scriptTimeMsMax;
  return async (batch) => {
    if (timeMsLeft <= 0) return { kind: "outOfTime", message: outOfTime(scriptTimeMsMax) };
    const outcome = await scripts.callFunctions({
      ...batch,
      page,
      timeMsMax: timeMsLeft,
      memoryBytesMax: scriptMemoryBytesMax,
    });
    if (outcome.kind === "done") timeMsLeft -= outcome.cpuMs;
    return outcome;
  };
}

function outOfTime(timeMsMax: number): string {
  return (
    `The user-defined functions of one page of the query took longer than ${timeMsMax} ms. Ask ` +
    "for smaller pages, or leave them fewer items with other conditions."
  );
}
