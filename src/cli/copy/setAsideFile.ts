/**
 * Items that a job could not copy, as NDJSON: one line for each, with its reason and the item as it
 * is now. The file is written whole, beside its name, and then renamed.
 */
import { renameSync, writeFileSync } from "node:fs";
import type { SetAsideAnswer, SetAsideItem } from "../../model/copyJob.ts";
import type { AdminClient } from "../connect/adminClient.ts";
import { jobRoute } from "../jobs/anyJob.ts";
import { CommandFailure } from "../terminal/failure.ts";

export async function setAsideOf(
  client: AdminClient,
  id: string,
): Promise<readonly SetAsideItem[]> {
  return (await client.get<SetAsideAnswer>(jobRoute(id, "setAside"))).items;
}

export function linesOf(items: readonly SetAsideItem[]): string {
  return items.map((item) => `${JSON.stringify(item)}\n`).join("");
}

export function writeSetAside(file: string, items: readonly SetAsideItem[]): void {
  const beside = `${file}.next`;
  try {
    writeFileSync(beside, linesOf(items));
    renameSync(beside, file);
  } catch (error) {
    throw new CommandFailure(`--set-aside cannot be written: ${(error as Error).message}.`);
  }
}
