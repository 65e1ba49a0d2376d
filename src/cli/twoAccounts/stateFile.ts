/**
 * A small file that says how far a copy between accounts is, so that another run can go on.
 *
 * It is written to a name beside it, synced and renamed: a reader finds the former state or the
 * next one, never half of one. It holds no keys of accounts. It names both containers and what was
 * asked; going on with anything else is refused.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { isObject, type JsonObject, type JsonValue, property } from "../../json/value.ts";
import { CommandFailure } from "../terminal/failure.ts";

export interface RangeState {
  /** Where the feed of latest versions goes on. */
  readonly latest: string;
  /** Where that of all versions goes on, if the source keeps them. */
  readonly versions?: string | undefined;
}

export interface NotedCopy {
  /** Both containers with their addresses and rids, and what was asked. */
  readonly about: string;
  /** When the first run began, by the clock of the source, in seconds since 1970. */
  readonly startedAt: number;
  /** What the target has of an earlier second than this, by its own clock, is not this copy's. */
  readonly ownSince: number;
  /** Whether the target has only what this copy has put there. */
  readonly isOwn: boolean;
  readonly setAsideCount: number;
  /** Ranges that nothing has been noted of begin anew. */
  readonly ranges: readonly RangeState[];
  /** Whether all of the source is among the ranges. */
  readonly isWhole: boolean;
}

const FORMAT = 1;

/** Undefined when there is none yet. */
export function readState(file: string, about: string): NotedCopy | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new CommandFailure(`--resume cannot be read: ${(error as Error).message}.`);
  }
  const state = stateIn(text);
  if (state === undefined) {
    throw new CommandFailure(
      `'${file}' is no file that --resume has written; it was left as it is. Name another one.`,
    );
  }
  if (state.about === about) return state;
  throw new CommandFailure(
    `'${file}' is about another copy: ${state.about}. Name another file with --resume.`,
  );
}

export function writeState(file: string, state: NotedCopy): void {
  const beside = `${file}.next`;
  try {
    const handle = openSync(beside, "w", 0o600);
    try {
      writeFileSync(handle, `${JSON.stringify({ orreryCopy: FORMAT, ...state }, null, 2)}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(beside, file);
  } catch (error) {
    throw new CommandFailure(`--resume cannot be written: ${(error as Error).message}.`);
  }
}

function stateIn(text: string): NotedCopy | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  if (!isObject(value) || property(value, "orreryCopy") !== FORMAT) return undefined;
  const { about, startedAt, ownSince, isOwn, isWhole, setAsideCount, ranges } = value as JsonObject;
  const isRight =
    typeof about === "string" &&
    typeof isOwn === "boolean" &&
    typeof isWhole === "boolean" &&
    [startedAt, ownSince, setAsideCount].every((count) => Number.isSafeInteger(count)) &&
    Array.isArray(ranges) &&
    (ranges as readonly JsonValue[]).every(isRange);
  return isRight ? (value as unknown as NotedCopy) : undefined;
}

function isRange(value: JsonValue): boolean {
  if (!isObject(value) || typeof property(value, "latest") !== "string") return false;
  const versions = property(value, "versions");
  return versions === undefined || typeof versions === "string";
}
