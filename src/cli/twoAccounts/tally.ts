/** What a copy between accounts has done so far, counted, and as a line and a summary. */
import { countText, shortBytesText } from "../../base/wording.ts";
import type { JsonObject } from "../../json/value.ts";
import { numberText } from "../terminal/liveTable.ts";

type WriteKind = "created" | "replaced" | "present";

export class AccountTally {
  readonly written: Record<WriteKind, number> = { created: 0, replaced: 0, present: 0 };
  bytes = 0;
  removedCount = 0;
  leftOutCount = 0;
  setAsideCount = 0;
  throttledCount = 0;
  readRu = 0;
  writeRu = 0;
  /** Changes that the last look at all ranges found. */
  lastLookCount: number | undefined;

  wrote(kind: WriteKind, body: JsonObject): void {
    this.written[kind]++;
    this.bytes += Buffer.byteLength(JSON.stringify(body));
  }

  get itemCount(): number {
    const { created, replaced, present } = this.written;
    return created + replaced + present;
  }

  line(seconds: number): string {
    const rate = seconds > 0 ? this.itemCount / seconds : 0;
    const parts = [
      `${countText(this.itemCount)} items`,
      shortBytesText(this.bytes),
      `${numberText(rate)} items/s`,
      `${countText(this.readRu)} RU read`,
      `${countText(this.writeRu)} RU written`,
      ...(this.removedCount === 0 ? [] : [`${countText(this.removedCount)} removed`]),
      ...(this.setAsideCount === 0 ? [] : [`${countText(this.setAsideCount)} set aside`]),
      ...(this.throttledCount === 0 ? [] : [`${countText(this.throttledCount)} times 429`]),
      ...(this.lastLookCount === undefined
        ? ["copying"]
        : [`following, ${countText(this.lastLookCount)} changes at the last look`]),
    ];
    return parts.join(", ");
  }

  summary(seconds: number): Readonly<Record<string, number>> {
    return {
      ...this.written,
      removed: this.removedCount,
      leftOut: this.leftOutCount,
      setAside: this.setAsideCount,
      bytes: this.bytes,
      readRu: Math.round(this.readRu * 100) / 100,
      writeRu: Math.round(this.writeRu * 100) / 100,
      throttled: this.throttledCount,
      seconds: Math.round(seconds * 10) / 10,
    };
  }
}
