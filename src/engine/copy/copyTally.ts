/** What a job has done so far. Counters rise only after the commit that they count. */
export interface CopyCounts {
  readonly copiedCount: number;
  readonly copiedBytes: number;
  readonly changeCount: number;
  readonly removedCount: number;
  readonly readRu: number;
  readonly writeRu: number;
}

export const NO_COUNTS: CopyCounts = {
  copiedCount: 0,
  copiedBytes: 0,
  changeCount: 0,
  removedCount: 0,
  readRu: 0,
  writeRu: 0,
};

export class CopyTally {
  #counts: CopyCounts;

  constructor(counts: CopyCounts) {
    this.#counts = counts;
  }

  get counts(): CopyCounts {
    return this.#counts;
  }

  add(more: Partial<CopyCounts>): void {
    const { copiedCount, copiedBytes, changeCount, removedCount, readRu, writeRu } = this.#counts;
    this.#counts = {
      copiedCount: copiedCount + (more.copiedCount ?? 0),
      copiedBytes: copiedBytes + (more.copiedBytes ?? 0),
      changeCount: changeCount + (more.changeCount ?? 0),
      removedCount: removedCount + (more.removedCount ?? 0),
      readRu: readRu + (more.readRu ?? 0),
      writeRu: writeRu + (more.writeRu ?? 0),
    };
  }
}
