/**
 * What a copy between accounts notes of how far it is (`notedFile.ts`). It holds no keys of
 * accounts. It names both containers and what was asked; going on with anything else is refused.
 */
import { isObject, type JsonObject, type JsonValue, property } from "../../json/value.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { readNoted, writeNoted } from "../terminal/notedFile.ts";

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
  const state = readNoted(file, stateIn);
  if (state === undefined || state.about === about) return state;
  throw new CommandFailure(
    `'${file}' is about another copy: ${state.about}. Name another file with --resume.`,
  );
}

export function writeState(file: string, state: NotedCopy): void {
  writeNoted(file, { orreryCopy: FORMAT, ...state });
}

function stateIn(value: JsonObject): NotedCopy | undefined {
  if (property(value, "orreryCopy") !== FORMAT) return undefined;
  const { about, startedAt, ownSince, isOwn, isWhole, setAsideCount, ranges } = value;
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
