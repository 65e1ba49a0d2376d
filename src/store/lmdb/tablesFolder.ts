/**
 * Putting new tables in the place of old ones, so that a crash at any moment leaves either.
 *
 * New tables are made in `tables-draft`. When they are complete and durable the folder gets a name
 * that says so, and why they were made; only then the old ones go. Whoever opens the directory
 * first finishes what a crash interrupted.
 */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";

/** Tables of a former format are removed, damaged ones are kept for whoever studies them. */
type Purpose = "converted" | "mended";

const PURPOSES: readonly Purpose[] = ["converted", "mended"];

export function draftFolder(tablesDirectory: string): string {
  return `${tablesDirectory}-draft`;
}

/** Before anything else is done with the tables. */
export function finishReplacement(tablesDirectory: string): void {
  rmSync(draftFolder(tablesDirectory), { recursive: true, force: true });
  for (const purpose of PURPOSES) {
    if (existsSync(`${tablesDirectory}-${purpose}`)) takePlace(tablesDirectory, purpose);
  }
}

/** The draft is complete and durable. Returns where the damaged tables are kept. */
export function replaceTables(tablesDirectory: string, purpose: Purpose): string | undefined {
  renameSync(draftFolder(tablesDirectory), `${tablesDirectory}-${purpose}`);
  syncFolder(dirname(tablesDirectory));
  return takePlace(tablesDirectory, purpose);
}

function takePlace(tablesDirectory: string, purpose: Purpose): string | undefined {
  const keptAt = purpose === "mended" ? freeName(`${tablesDirectory}-damaged`) : undefined;
  if (existsSync(tablesDirectory)) {
    if (keptAt === undefined) rmSync(tablesDirectory, { recursive: true });
    else renameSync(tablesDirectory, keptAt);
  }
  renameSync(`${tablesDirectory}-${purpose}`, tablesDirectory);
  syncFolder(dirname(tablesDirectory));
  return keptAt;
}

function freeName(stem: string): string {
  for (let number = 1; ; number++) {
    if (!existsSync(`${stem}-${number}`)) return `${stem}-${number}`;
  }
}

/** Makes the names in a folder durable. Windows cannot. */
export function syncFolder(directory: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(directory, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
