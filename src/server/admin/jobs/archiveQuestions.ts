/** What is asked about archives, read once: members of the body become typed requests. */

import type { ArchiveRequest, RestoreRequest } from "../../../engine/archive/archiveRecord.ts";
import { cutoffOf } from "../../../engine/archive/archiveSelection.ts";
import {
  listNamed,
  member,
  refuse,
  textNamed,
  wholeNumberNamed,
  wordNamed,
} from "../../../json/reading.ts";
import type { JsonObject, JsonValue } from "../../../json/value.ts";
import type { ArchiveStep } from "../../../model/archiveJob.ts";
import type { NamedContainer } from "../../../model/copyJob.ts";

export const ARCHIVE_MEMBERS: readonly string[] = [
  "folder",
  "before",
  "olderThanSeconds",
  "ageProperty",
  "keys",
  "keep",
  "isDryRun",
  "sharePercent",
];

export const RESTORE_MEMBERS: readonly string[] = [
  "folder",
  "keys",
  "create",
  "overwrite",
  "keepTimestamps",
  "ttl",
  "sharePercent",
];

export const ARCHIVE_STEPS: readonly ArchiveStep[] = ["pause", "resume", "cancel", "throttle"];

/** As copies have it. */
const SHARE_DEFAULT = 50;
const KEYS_MAX = 1000;
const SECONDS_MAX = 1000 * 366 * 24 * 3600;

/** With every default filled in. */
export function archiveRequestOf(
  container: NamedContainer,
  members: JsonObject,
  now: number,
): ArchiveRequest {
  const read = (name: string): JsonValue | undefined => member(members, name);
  const seconds = read("olderThanSeconds");
  const cutoff = cutoffOf(
    {
      before: read("before"),
      olderThanSeconds:
        seconds === undefined
          ? undefined
          : wholeNumberNamed(seconds, "olderThanSeconds", 1, SECONDS_MAX),
    },
    now,
  );
  const folder = read("folder");
  return {
    container,
    folder: folder === undefined ? folderName(container, now) : textNamed(folder, "folder"),
    before: cutoff.ok ? cutoff.value : refuse(cutoff.error),
    ageProperty: textIn(read("ageProperty"), "ageProperty"),
    keys: keysIn(read("keys")),
    keep: truthIn(read("keep"), "keep"),
    isDryRun: truthIn(read("isDryRun"), "isDryRun"),
    sharePercent: shareIn(read("sharePercent")) ?? SHARE_DEFAULT,
  };
}

export function restoreRequestOf(container: NamedContainer, members: JsonObject): RestoreRequest {
  const read = (name: string): JsonValue | undefined => member(members, name);
  const ttl = read("ttl");
  return {
    container,
    folder: textNamed(read("folder"), "folder"),
    keys: keysIn(read("keys")),
    create: truthIn(read("create"), "create"),
    overwrite: truthIn(read("overwrite"), "overwrite"),
    keepTimestamps: truthIn(read("keepTimestamps"), "keepTimestamps"),
    ttl: ttl === undefined ? "drop" : wordNamed(ttl, "ttl", ["keep", "drop"]),
    sharePercent: shareIn(read("sharePercent")) ?? SHARE_DEFAULT,
  };
}

/** The share that a throttle asks for; the other steps have no members. */
export function archiveStepTerms(step: ArchiveStep, members: JsonObject): number | undefined {
  // Whoever cancels a job of any kind may say that no target is to be dropped.
  const { dropTarget, ...others } = members;
  if (dropTarget !== undefined && (step !== "cancel" || dropTarget !== false)) {
    refuse("A job about archives has made no target that could be dropped.");
  }
  const known = step === "throttle" ? ["sharePercent"] : [];
  const unknown = Object.keys(others).find((name) => !known.includes(name));
  if (unknown !== undefined) refuse(`The step '${step}' has no member '${unknown}' here.`);
  const share = shareIn(member(members, "sharePercent"));
  if (step === "throttle" && share === undefined) {
    refuse("The member 'sharePercent' says how much of the rates the job may spend.");
  }
  return share;
}

/** In UTC, so that names sort by age. */
function folderName({ container }: NamedContainer, now: number): string {
  const stamp = new Date(now).toISOString().replace(/[-:]|\..*$/g, "");
  const name = container.replace(/[^A-Za-z0-9_-]/g, "_").replace(/^-/, "_");
  return `${name.slice(0, 60)}-${stamp.replace("T", "-")}`;
}

function keysIn(value: JsonValue | undefined): readonly JsonValue[] | undefined {
  return value === undefined ? undefined : listNamed(value, "keys", KEYS_MAX);
}

function textIn(value: JsonValue | undefined, name: string): string | undefined {
  return value === undefined ? undefined : textNamed(value, name);
}

function truthIn(value: JsonValue | undefined, name: string): boolean {
  if (value === undefined || typeof value === "boolean") return value ?? false;
  return refuse(`The member '${name}' must be true or false.`);
}

function shareIn(value: JsonValue | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number" && value > 0 && value <= 100) return value;
  return refuse("The member 'sharePercent' must be a number above 0 and up to 100.");
}
