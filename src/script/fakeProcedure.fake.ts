/** Procedures that tests run in their own thread, against a host that is a list of items. */
import type { Clock } from "../base/world.ts";
import type { JsonValue } from "../json/value.ts";
import type { FakeHost } from "./fakeHost.fake.ts";
import { CONTAINER, fakeHost, runOn } from "./fakeHost.fake.ts";
import { inlineRunner } from "./inlineRunner.fake.ts";
import type { ScriptOutcome, ScriptRun } from "./scriptRunner.ts";

interface Procedures {
  run(body: string, options?: Partial<ScriptRun>, host?: FakeHost): Promise<ScriptOutcome>;
  /** Resolves with the answer of the script, or with its failure. */
  answerOf(body: string, args?: readonly JsonValue[], host?: FakeHost): Promise<unknown>;
}

const PROCEDURE = {
  kind: "procedure",
  name: "proc",
  args: [],
  container: CONTAINER,
  timeMsMax: 5000,
  memoryBytesMax: 32 * 1024 * 1024,
  isLogging: true,
} as const;

export function procedures(clock: Clock): Procedures {
  const runner = inlineRunner(clock);
  const run: Procedures["run"] = (body, options = {}, host = fakeHost()) =>
    runOn(runner, { ...PROCEDURE, body, ...options }, host);
  return {
    run,
    async answerOf(body, args = [], host = fakeHost()) {
      const outcome = await run(body, { args }, host);
      if (outcome.kind !== "done") return `${outcome.kind}: ${outcome.message}`;
      return outcome.responseBody === undefined ? undefined : JSON.parse(outcome.responseBody);
    },
  };
}
