/** A workload file, read: all of it, or everything that is wrong with it, each with its place. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { visible } from "../../lab/wording/plain.ts";
import type { Workload } from "../../lab/workload/workload.ts";
import { readWorkload } from "../../lab/workload/workloadText.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { CommandFailure } from "../terminal/failure.ts";

/** Written by `printf`, sent by mail, or typed: what ends in .json is JSON, all else YAML. */
export function workloadFrom(file: string, option: string): Workload {
  const form = /\.json$/i.test(file) ? "json" : "yaml";
  const workload = readWorkload(textOf(file, option), form, basename(file));
  if (workload.ok) return workload.value;
  const count = workload.error.length;
  const lines = workload.error.map(({ place, message }) => `  ${place}: ${message}`);
  throw new CommandFailure(
    `${file} has ${count === 1 ? "a problem" : `${count} problems`}:\n${harmless(lines)}`,
  );
}

/** Messages quote what stands in the file. */
export function harmless(lines: readonly string[]): string {
  return lines.map(visible).join("\n");
}

export function textOf(file: string, option: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new BadOption(`${option} cannot be read: ${(error as Error).message}`);
  }
}
