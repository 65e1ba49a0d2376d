/**
 * Which properties change from one version of an item to the next: when an id comes again, the item
 * is taken for another version, and versions are compared in the order of their times.
 *
 * Only ids whose hash ends in a number of zero bits are watched, with some versions of each; the
 * more ids there are, the more bits. An id is known by 53 bits of its hash, enough that among a
 * billion ids none is taken for another. Neither what is watched nor what is compared depends on
 * the order of reading.
 *
 * In some data an id is unique only together with a key, and different items share it. Then nearly
 * everything differs: an item that seems to have changed in most properties is not taken for a
 * version.
 */
const ID_COUNT_MAX = 1024;
/** Number of versions of an id that are kept: those with the lowest hashes. */
const VERSION_COUNT_MAX = 16;
/**
 * Share of properties that differ, on average, above which items are not versions of each other.
 */
const CHANGED_SHARE_MAX = 0.5;

interface Version {
  /** The hash of the whole item. */
  readonly hash: number;
  /** When the version was written, or NaN. */
  readonly millis: number;
  /** The hashes of the item's properties, by slot. */
  readonly hashes: Int32Array;
}

interface Watched {
  readonly low: number;
  /** The versions, all different. */
  readonly versions: Version[];
  /** How often the item came again unchanged. */
  repeatCount: number;
}

interface Compared {
  readonly changes: readonly number[];
  readonly versionCount: number;
  readonly changedCount: number;
  readonly comparedCount: number;
}

export class Versions {
  readonly #watched = new Map<number, Watched>();
  #mask = 0;
  #compared: Compared | undefined;

  /**
   * True when versions of the item with this id are to be added; `low` is the low half of the id's
   * hash.
   */
  isWatched(low: number): boolean {
    return (low & this.#mask) === 0;
  }

  /** `pin` is 53 bits of the id's hash. */
  add(low: number, pin: number, version: Version): void {
    const known = this.#watched.get(pin);
    if (known !== undefined) {
      addTo(known, version);
      return;
    }
    this.#watched.set(pin, { low, versions: [version], repeatCount: 0 });
    while (this.#watched.size > ID_COUNT_MAX) this.#shrink();
  }

  /** Share of later versions that changed this property; null when there are none. */
  mutabilityOf(slot: number): number | null {
    const { changes, versionCount } = this.#result();
    return this.areVersions ? (changes[slot] ?? 0) / versionCount : null;
  }

  /** True when ids came again. */
  get areRepeated(): boolean {
    return this.#result().versionCount > 0;
  }

  /** True when items with the same id look like versions of one item. */
  get areVersions(): boolean {
    const { changedCount, comparedCount } = this.#result();
    return this.areRepeated && changedCount <= CHANGED_SHARE_MAX * comparedCount;
  }

  /** Compares all versions; called when no more are added. */
  #result(): Compared {
    this.#compared ??= compared([...this.#watched.values()]);
    return this.#compared;
  }

  #shrink(): void {
    this.#mask = (this.#mask << 1) | 1;
    for (const [pin, { low }] of this.#watched) {
      if ((low & this.#mask) !== 0) this.#watched.delete(pin);
    }
  }
}

function addTo(known: Watched, version: Version): void {
  const { versions } = known;
  if (versions.some(({ hash }) => hash === version.hash)) {
    known.repeatCount++;
    return;
  }
  versions.push(version);
  if (versions.length <= VERSION_COUNT_MAX) return;
  versions.sort((a, b) => a.hash - b.hash);
  versions.length = VERSION_COUNT_MAX;
}

function compared(all: readonly Watched[]): Compared {
  const changes: number[] = [];
  let [versionCount, changedCount, comparedCount] = [0, 0, 0];
  for (const { versions, repeatCount } of all) {
    const ordered = versions.toSorted(
      (a, b) => (a.millis || 0) - (b.millis || 0) || a.hash - b.hash,
    );
    versionCount += repeatCount + ordered.length - 1;
    comparedCount += repeatCount * presentIn(ordered[0]!);
    for (let at = 1; at < ordered.length; at++) {
      const [before, { hashes }] = [ordered[at - 1]!.hashes, ordered[at]!];
      for (let slot = 0; slot < Math.max(before.length, hashes.length); slot++) {
        const [was, is] = [before[slot] ?? 0, hashes[slot] ?? 0];
        if (was !== 0 || is !== 0) comparedCount++;
        if (was === is) continue;
        changedCount++;
        changes[slot] = (changes[slot] ?? 0) + 1;
      }
    }
  }
  return { changes, versionCount, changedCount, comparedCount };
}

function presentIn({ hashes }: Version): number {
  return hashes.reduce((count, hash) => count + (hash === 0 ? 0 : 1), 0);
}
