/** What is asked about recordings, read once; complaints unwind as they do in `questions.ts`. */
import {
  listNamed,
  member,
  refuse,
  repeated,
  textOf,
  wholeNumberNamed,
} from "../../json/reading.ts";
import type { JsonObject } from "../../json/value.ts";
import { Secrets } from "../../recording/secrets.ts";
import type { RecordingStart } from "./recordings.ts";
import { RECORDING_SECONDS_MAX } from "./recordings.ts";

const SECRET_COUNT_MAX = 64;
const PARTS = ["all", "progress", "workload"] as const;

export function recordingStartOf(members: JsonObject): RecordingStart {
  const seconds = member(members, "seconds");
  const list = listNamed(member(members, "secretPaths"), "secretPaths", SECRET_COUNT_MAX);
  const texts = list.map((each) => textOf(each, "A secret path"));
  const twice = repeated(texts);
  if (twice !== undefined) refuse(`The secret path '${twice}' is given twice.`);
  const secrets = Secrets.parse(texts);
  if (!secrets.ok) return refuse(`The member 'secretPaths': ${secrets.error}`);
  return {
    secrets: secrets.value,
    seconds:
      seconds === undefined
        ? RECORDING_SECONDS_MAX
        : wholeNumberNamed(seconds, "seconds", 1, RECORDING_SECONDS_MAX),
  };
}

export function recordingPartOf(parameters: ReadonlyMap<string, string>): (typeof PARTS)[number] {
  const text = parameters.get("part") ?? PARTS[0];
  const part = PARTS.find((candidate) => candidate === text);
  return part ?? refuse(`The parameter 'part' is '${text}'; it can be ${PARTS.join(", ")}.`);
}
