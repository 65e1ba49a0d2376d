/**
 * What clients were told of items that age: which versions each item may have. A write whose answer
 * was lost with the server may have happened or not; the next answered one decides.
 */
export interface Version {
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly date: number;
}

interface Told {
  /** `undefined` stands for an item that is deleted. */
  possible: readonly (Version | undefined)[];
  /** Whether warm may have an older item of the same id. */
  mayHaveHistory: boolean;
}

export interface Seen {
  readonly version: number;
  readonly isMarked: boolean;
}

export class AgedItems {
  readonly #told = new Map<string, Told>();
  #count = 0;

  get ids(): readonly string[] {
    return [...this.#told.keys()];
  }

  nextVersion(date: number): Version {
    return { version: ++this.#count, date };
  }

  loaded(id: string, version: Version): void {
    this.#told.set(id, { possible: [version], mayHaveHistory: false });
  }

  /** A version that was put, with the status of the answer; without one nobody knows. */
  put(id: string, version: Version, status: number | undefined): void {
    const told = this.#told.get(id)!;
    // An item that is created may be a new one, and the one before history.
    if (status !== 200) told.mayHaveHistory = true;
    told.possible = status === undefined ? [...told.possible, version] : [version];
  }

  deleted(id: string, status: number | undefined): void {
    const told = this.#told.get(id)!;
    if (status === undefined) told.possible = [...told.possible, undefined];
    // Not found: it has left hot, and warm has it.
    else if (status === 204) told.possible = [undefined];
  }

  /** At any moment: each item is in hot or in warm as it was written last. */
  lostAmong(hot: ReadonlyMap<string, Seen>, warm: ReadonlyMap<string, Seen>): string[] {
    const problems: string[] = [];
    for (const [id, { possible, mayHaveHistory }] of this.#told) {
      const inHot = hot.get(id);
      const seen = inHot ?? warm.get(id);
      const versions = possible.map((one) => one?.version);
      if (versions.includes(seen?.version)) continue;
      // A deleted item may leave older history behind, and its copy a moment later.
      if (versions.includes(undefined) && inHot === undefined) continue;
      if (mayHaveHistory && versions.includes(undefined) && seen === undefined) continue;
      problems.push(
        `${id} is version ${seen?.version}, and was told to be ${versions.join(" or ")}`,
      );
    }
    return problems;
  }

  /** In the end: what is dated before `settledBefore` is in warm alone, all else in hot alone. */
  misplacedAmong(
    hot: ReadonlyMap<string, Seen>,
    warm: ReadonlyMap<string, Seen>,
    settledBefore: number,
  ): string[] {
    const problems = this.lostAmong(hot, warm);
    for (const [id, { possible, mayHaveHistory }] of this.#told) {
      const [inHot, inWarm] = [hot.get(id), warm.get(id)];
      const version = possible.find(
        (one) => one !== undefined && one.version === (inHot ?? inWarm)?.version,
      );
      if (version === undefined) {
        const last = Math.max(...possible.map((one) => one?.version ?? 0));
        const isOlder = inWarm !== undefined && mayHaveHistory && inWarm.version !== last;
        if (inWarm !== undefined && !isOlder) problems.push(`${id} was deleted, and is in warm`);
        continue;
      }
      const isOld = version.date < settledBefore;
      if (isOld && inHot !== undefined) problems.push(`${id} is old, and still in hot`);
      if (!isOld && inHot?.isMarked === true) problems.push(`${id} is young, and has a mark`);
      const isExtra = !isOld && inWarm !== undefined;
      if (isExtra) problems.push(`${id} is young, and warm has version ${inWarm.version}`);
      if (inWarm?.isMarked === true) problems.push(`${id} has a mark or a ttl in warm`);
    }
    for (const id of [...hot.keys(), ...warm.keys()]) {
      if (!this.#told.has(id)) problems.push(`${id} was never written`);
    }
    return problems;
  }
}
