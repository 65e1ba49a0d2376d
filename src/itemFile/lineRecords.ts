/** Reads one JSON text from each line (NDJSON, JSON Lines). */

import type { Buffer } from "node:buffer";
import type { Line } from "./lines.ts";
import { LineSplitter } from "./lines.ts";
import type { FoundRecord, RecordReader } from "./record.ts";
import { TOO_LONG_REASON } from "./record.ts";

const SPACE = 32;

export class LineRecords implements RecordReader {
  readonly remarks: readonly string[] = [];
  readonly #lines = new LineSplitter();

  push(chunk: Buffer): readonly FoundRecord[] {
    return recordsOf(this.#lines.push(chunk));
  }

  end(): readonly FoundRecord[] {
    return recordsOf(this.#lines.end());
  }
}

function recordsOf(lines: readonly Line[]): readonly FoundRecord[] {
  const found: FoundRecord[] = [];
  for (const { bytes, number: line, end } of lines) {
    if (bytes === undefined) {
      found.push({ kind: "broken", reason: TOO_LONG_REASON, bytes, line, column: 1, end });
    } else if (!isBlank(bytes)) found.push({ kind: "json", bytes, line, column: 1, end });
  }
  return found;
}

/** Nearly every line shows by its first byte that it is not. */
function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte > SPACE) return false;
  return true;
}
