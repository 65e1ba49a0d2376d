/** Makes tables what a version would have written that gave its values no checksums. */
import type { LmdbEnvironment } from "../../src/store/lmdb/environment.ts";
import { FORMAT_KEY } from "../../src/store/lmdb/keys.ts";
import { isSealedKey, unsealed } from "../../src/store/lmdb/seal.ts";

export function unsealTables(tables: LmdbEnvironment, format: "1" | "2"): void {
  tables.transactionSync(() => {
    for (const { key, value } of [...tables.getRange({ start: "\x00" })]) {
      if (isSealedKey(key)) tables.putSync(key, Buffer.from(unsealed(key, Buffer.from(value))));
    }
    tables.putSync(FORMAT_KEY, Buffer.from(format));
  });
}
