/** Takes operations and sends nothing: counts what would go to which physical partition. */
import { shortBytesText } from "../../base/wording.ts";
import { numberText } from "../terminal/liveTable.ts";
import type { OperationSink } from "./importRun.ts";
import type { ImportOperation, Outcome } from "./operation.ts";
import type { RangeMap } from "./placement.ts";

export class DryRun implements OperationSink {
  readonly hasRoom = true;
  readonly heldCount = 0;
  readonly counts: OperationSink["counts"] = { ru: 0, throttledCount: 0 };
  readonly #ranges: RangeMap | undefined;
  readonly #onSettled: (operation: ImportOperation, outcome: Outcome) => void;
  readonly #byRange = new Map<string, { count: number; bytes: number }>();

  /** Without ranges when the container is not there yet. */
  constructor(
    ranges: RangeMap | undefined,
    onSettled: (operation: ImportOperation, outcome: Outcome) => void,
  ) {
    this.#ranges = ranges;
    this.#onSettled = onSettled;
  }

  isUnderWay(): boolean {
    return false;
  }

  add(operation: ImportOperation): void {
    const id = this.#ranges?.rangeIdOf(operation.epk) ?? "";
    const sum = this.#byRange.get(id) ?? { count: 0, bytes: 0 };
    sum.count++;
    sum.bytes += operation.bytes.length;
    this.#byRange.set(id, sum);
    this.#onSettled(operation, { kind: "created" });
  }

  async until(): Promise<void> {}

  async stop(): Promise<void> {}

  wake(): void {}

  /** What would go where, in the order of the key space. */
  lines(): readonly string[] {
    const text = ({ count, bytes }: { count: number; bytes: number }): string =>
      `${numberText(count)} items, ${shortBytesText(bytes)}`;
    if (this.#ranges === undefined) {
      return [...this.#byRange.values()].map((sum) => `to a new container: ${text(sum)}`);
    }
    return this.#ranges.rangeIds.map((id) => {
      const sum = this.#byRange.get(id) ?? { count: 0, bytes: 0 };
      return `to physical partition ${id}: ${text(sum)}`;
    });
  }
}
