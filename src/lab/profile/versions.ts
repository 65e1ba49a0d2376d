/**
 * Which properties change from one version of an item to the next: when an id comes again, the item
 * is taken for a later version, and its values are compared with those before.
 *
 * Only ids whose hash ends in so many zero bits are watched, all versions of each; the more ids
 * there are, the more bits.
 *
 * In some data an id is unique only together with a key, and different items share it. Then nearly
 * everything differs: what looks like a change of most of the item is not taken for a version.
 */
const ID_COUNT_MAX = 1024;
/** Versions in which more of the properties differ, on average, are none. */
const CHANGED_SHARE_MAX = 0.5;

export class Versions {
  #watched = new Map<number, Int32Array>();
  #mask = 0;
  readonly #changes: number[] = [];
  #versionCount = 0;
  #changedCount = 0;
  #comparedCount = 0;

  /** Whether all versions of the item with this id are to be added. */
  isWatched(idHash: number): boolean {
    return (idHash & this.#mask) === 0;
  }

  /** `hashes` are those of the item's properties, by slot. */
  add(idHash: number, hashes: Int32Array): void {
    const before = this.#watched.get(idHash);
    if (before !== undefined) this.#compare(before, hashes);
    this.#watched.set(idHash, hashes);
    while (this.#watched.size > ID_COUNT_MAX) this.#shrink();
  }

  /** Share of later versions that changed this property; null when there are none. */
  mutabilityOf(slot: number): number | null {
    return this.areVersions ? (this.#changes[slot] ?? 0) / this.#versionCount : null;
  }

  /** Whether ids came again. */
  get areRepeated(): boolean {
    return this.#versionCount > 0;
  }

  /** Whether that looks like later versions of the same items. */
  get areVersions(): boolean {
    return this.areRepeated && this.#changedCount <= CHANGED_SHARE_MAX * this.#comparedCount;
  }

  #compare(before: Int32Array, hashes: Int32Array): void {
    this.#versionCount++;
    for (let slot = 0; slot < hashes.length; slot++) {
      const [was, is] = [before[slot] ?? 0, hashes[slot]!];
      if (was !== 0 || is !== 0) this.#comparedCount++;
      if (was === is) continue;
      this.#changedCount++;
      this.#changes[slot] = (this.#changes[slot] ?? 0) + 1;
    }
  }

  #shrink(): void {
    this.#mask = (this.#mask << 1) | 1;
    for (const idHash of this.#watched.keys()) {
      if ((idHash & this.#mask) !== 0) this.#watched.delete(idHash);
    }
  }
}
