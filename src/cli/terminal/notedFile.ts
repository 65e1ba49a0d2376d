/**
 * A small file of JSON in which a command notes how far it is, so that another run can go on.
 *
 * It is written to a name beside it, synced and renamed: a reader finds the former state or the
 * next one, never half of one. A file that no command has written is left as it is.
 *
 * Not here: what is noted, and whether it is about what is asked now.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject } from "../../json/value.ts";
import { CommandFailure } from "./failure.ts";

/** `parse` answers with nothing for what it has not written. Undefined if there is no file. */
export function readNoted<T>(
  file: string,
  parse: (noted: JsonObject) => T | undefined,
): T | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new CommandFailure(`--resume cannot be read: ${(error as Error).message}.`);
  }
  const value = jsonIn(text);
  const noted = value !== undefined && isObject(value) ? parse(value) : undefined;
  if (noted !== undefined) return noted;
  throw new CommandFailure(
    `'${file}' is no file that --resume has written; it was left as it is. Name another one.`,
  );
}

export function writeNoted(file: string, noted: object): void {
  const beside = `${file}.next`;
  try {
    // Continuations and names of items are nobody else's business.
    const handle = openSync(beside, "w", 0o600);
    try {
      writeFileSync(handle, `${JSON.stringify(noted, null, 2)}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(beside, file);
  } catch (error) {
    throw new CommandFailure(`--resume cannot be written: ${(error as Error).message}.`);
  }
}

function jsonIn(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
