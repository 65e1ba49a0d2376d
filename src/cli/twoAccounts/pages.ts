/** One page of the source on its way: mapped, written, and what cannot be written set aside. */
import type { JsonObject } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import { CommandFailure } from "../terminal/failure.ts";
import type { AccountMapping, CopyDraft } from "./mapping.ts";
import type { PageWriter } from "./pageWriter.ts";
import type { Reconciling } from "./reconciling.ts";
import type { SetAsideLog } from "./setAsideLog.ts";
import type { AccountTally } from "./tally.ts";

interface PageSetting {
  readonly mapping: AccountMapping;
  readonly writer: PageWriter;
  readonly log: SetAsideLog;
  readonly tally: AccountTally;
  /** Undefined where copies cannot have moved, or nobody can tell whose they are. */
  readonly moves: Reconciling | undefined;
  /** By the clock of the source, in seconds: only what was written since may have moved. */
  readonly movedSince: number;
}

export class PageCopier {
  readonly #setting: PageSetting;

  constructor(setting: PageSetting) {
    this.#setting = setting;
  }

  async copy(rows: readonly JsonObject[]): Promise<void> {
    const { writer, log, tally, mapping, moves, movedSince } = this.#setting;
    const drafts: CopyDraft[] = [];
    const changed: string[] = [];
    for (const item of rows) {
      if (!isObject(item)) {
        throw new CommandFailure(
          "--select gives values and no items: name properties, c.id among them.",
        );
      }
      if (mapping.needsStamp(item)) {
        throw new CommandFailure(
          "What items have left to live is not known without their stamps: --select has to name " +
            "c._ts too, or else take --ttl restart.",
        );
      }
      if (Number(property(item, "_ts") ?? 0) >= movedSince)
        changed.push(String(property(item, "id")));
      const mapped = mapping.copyOf(item);
      if (mapped.kind === "copy") drafts.push(mapped.draft);
      else if (mapped.kind === "leftOut") tally.leftOutCount++;
      else {
        log.add({ item, key: mapping.sourceKeyOf(item), code: mapped.code, reason: mapped.reason });
        tally.setAsideCount = log.count;
      }
    }
    for (const { draft, code, reason } of await writer.write(drafts)) {
      const { item, sourceKey: key, key: newKey } = draft;
      log.add({ item, key, newKey, code, reason });
      tally.setAsideCount = log.count;
    }
    if (moves !== undefined && changed.length > 0) await moves.check(changed);
  }
}
