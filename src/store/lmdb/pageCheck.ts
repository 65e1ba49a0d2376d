/**
 * Looks at every page of tables that nobody has open, and changes nothing. What a damaged page held
 * is named entry by entry, as far as the entries themselves tell.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { TABLES_FILE } from "../dataLayout.ts";
import { lostText } from "./lostRanges.ts";
import type { Inspection } from "./pages/inspection.ts";
import { inspectPages } from "./pages/inspection.ts";
import { PageFile } from "./pages/pageFile.ts";
import { PageSums, SUMS_FILE } from "./pages/pageSums.ts";
import { survivorsOf } from "./pages/survivors.ts";
import { placeOf } from "./seal.ts";

interface PageFindings {
  damage(place: string, text: string): void;
  /** Nothing is lost by it. */
  notice(place: string, text: string): void;
}

/** False when the engine must not be let near these tables. */
export function checkPages(
  directory: string,
  findings: PageFindings,
  onBytes: (done: number, total: number) => void,
): boolean {
  if (!existsSync(join(directory, TABLES_FILE))) return true;
  const file = PageFile.open(directory);
  if (file === undefined) {
    findings.damage(`tables/${TABLES_FILE}`, "neither of its first two pages can be read");
    return false;
  }
  try {
    const found = inspectPages(file, PageSums.read(directory), onBytes);
    tellPages(found, findings);
    if (found.damagedPages.length > 0) tellContents(file, found, findings);
    return found.damagedPages.length + found.metaRepairs.length === 0;
  } finally {
    file.close();
  }
}

function tellPages(found: Inspection, findings: PageFindings): void {
  const place = `tables/${TABLES_FILE}`;
  if (found.lostSumCount > 0) {
    // So a power cut leaves them while they are written; values have checksums of their own.
    const text = `the checksums of ${found.lostSumCount} pages cannot be read`;
    findings.notice(`tables/${SUMS_FILE}`, `${text}; opening makes them anew`);
  }
  for (const { slot } of found.metaRepairs) {
    findings.damage(`${place}, page ${slot}`, "it is not as it was noted; opening writes it anew");
  }
  for (const page of found.damagedPages) {
    findings.damage(
      `${place}, page ${page}`,
      "it does not have the checksum that was noted for it",
    );
  }
}

function tellContents(file: PageFile, { meta, sums }: Inspection, findings: PageFindings): void {
  for (const survivor of survivorsOf(file, meta!, sums)) {
    if (survivor.kind === "damaged") {
      findings.damage(placeOf(survivor.key), "its value does not have the checksum it was given");
    }
    if (survivor.kind === "lost") {
      findings.damage("tables", `damage has taken ${lostText(survivor.range)}`);
    }
  }
}
