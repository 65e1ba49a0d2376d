/**
 * A digest of one programme of `test/sdks`: its source, and the versions of what it is built with.
 * What was recorded of a run counts for the programme of the same digest, and for no other.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export function programmeDigest(folder: string): string {
  const hash = createHash("sha256");
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  for (const path of paths.toSorted()) hash.update(readFileSync(path)).update("\0");
  return hash.digest("hex").slice(0, 16);
}
