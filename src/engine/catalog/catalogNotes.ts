/**
 * What the catalogue keeps besides what users put there: how late it has been, and the secret that
 * signs cursors. Both are read when the catalogue is opened, and each is committed before anybody
 * relies on it.
 */
import type { Random } from "../../base/world.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import { CursorKey } from "../cursor/cursorKey.ts";
import type { InTurn } from "../jobs/turns.ts";
import type { CatalogFile } from "./catalogFile.ts";

export class CatalogNotes {
  readonly #file: CatalogFile;
  readonly #inOrder: InTurn;

  constructor(file: CatalogFile, inOrder: InTurn) {
    this.#file = file;
    this.#inOrder = inOrder;
  }

  /** The latest time that was noted, in milliseconds since 1970. */
  get time(): number {
    return this.#file.time;
  }

  noteTime(time: number): Promise<void> {
    return this.#inOrder(async () => {
      if (time <= this.#file.time) return;
      await this.#file.commit([{ kind: "time", time }]);
      this.#file.time = time;
    });
  }

  /**
   * The key that is recorded, or a new one if there is none: an account has the same key as long
   * as it lives. If the disk takes no writes, a new key is good until the process ends.
   */
  cursorKey(random: Random): Promise<CursorKey> {
    return this.#inOrder(async () => {
      const { cursorKey } = this.#file;
      if (cursorKey !== undefined) return CursorKey.parse(cursorKey);
      const made = CursorKey.made(random);
      try {
        await this.#file.commit([{ kind: "cursorKey", cursorKey: made.text }]);
      } catch (fault) {
        if (!(fault instanceof StoreFault)) throw fault;
      }
      this.#file.cursorKey = made.text;
      return made;
    });
  }
}
