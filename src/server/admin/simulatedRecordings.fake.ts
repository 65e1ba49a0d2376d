/** Stands in for the recordings behind the admin API, in tests: those of one container. */
import { no, ok } from "../../base/result.ts";
import { millis } from "../../base/units.ts";
import { seededRandom } from "../../base/world.ts";
import { Recorder } from "../../recording/recorder.ts";
import type { AdminProblem } from "./problem.ts";
import { problem } from "./problem.ts";
import type { RecordingSurface } from "./recordings.ts";

const NOW = Date.UTC(2026, 4, 15, 14, 10);

export function simulatedRecordings(
  name: { readonly database: string; readonly container: string },
  asked: unknown[][],
): RecordingSurface {
  let recorder: Recorder | undefined;
  const isHere = (database: string, container: string): boolean =>
    database === name.database && container === name.container;
  const absent = (container: string): AdminProblem => problem(404, `No recording of ${container}.`);
  return {
    start(database, container, question) {
      const { secrets, seconds } = question;
      asked.push(["record", database, container, { secretPaths: secrets.texts, seconds }]);
      if (!isHere(database, container)) return no(absent(container));
      if (recorder !== undefined) return no(problem(409, "There is a recording under way."));
      recorder = new Recorder({
        subject: {
          ...name,
          partitionKeyPaths: ["/tenant"],
          computedNames: new Set(),
          consistency: "session",
          throughput: undefined,
          itemCount: 0,
          ttlSeconds: undefined,
        },
        ...question,
        clock: { now: () => millis(0), wallNow: () => NOW },
        random: seededRandom(1),
      });
      return ok(recorder.progress());
    },
    progress: (database, container) =>
      isHere(database, container) && recorder ? ok(recorder.progress()) : no(absent(container)),
    recording: (database, container) =>
      isHere(database, container) && recorder ? ok(recorder.recording()) : no(absent(container)),
    discard(database, container) {
      const found = recorder;
      if (!isHere(database, container) || found === undefined) return no(absent(container));
      recorder = undefined;
      return ok(found.recording());
    },
  };
}
