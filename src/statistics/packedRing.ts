/**
 * A ring of numbered entries, of which only the one in use takes its full space; the others are
 * packed. An entry is dropped when another one with the same place in the ring is begun.
 *
 * Numbers come from the wall clock. When the wall clock jumps back, the past entries are continued,
 * and entries of the future stay until their places are needed.
 *
 * Entries are stored in groups that are neighbours in the ring; the ring knows which groups have
 * changed.
 */

/** How entries are made, packed, and merged. */
export interface Packing<T> {
  make(): T;
  pack(entry: T): Uint8Array;
  /** Returns `undefined` when the bytes are invalid. */
  unpack(bytes: Uint8Array): T | undefined;
  /** Adds `earlier` to `entry`. */
  merge(entry: T, earlier: T): void;
}

export interface PackedEntry {
  readonly number: number;
  readonly bytes: Uint8Array;
}

export class PackedRing<T> {
  readonly #packing: Packing<T>;
  readonly #groupLength: number;
  readonly #groupCount: number;
  readonly #packed: (PackedEntry | undefined)[] = [];
  #open: { readonly number: number; readonly entry: T } | undefined;
  readonly #changed = new Set<number>();

  constructor(
    packing: Packing<T>,
    shape: { readonly groupLength: number; readonly groupCount: number },
  ) {
    this.#packing = packing;
    this.#groupLength = shape.groupLength;
    this.#groupCount = shape.groupCount;
  }

  /** Returns the entry with this number, which the caller may change until the next call. */
  change(number: number): T {
    this.#changed.add(this.#groupOf(number));
    if (this.#open?.number === number) return this.#open.entry;
    this.#putAway();
    const entry = this.read(number) ?? this.#packing.make();
    this.#packed[this.#placeOf(number)] = undefined;
    this.#open = { number, entry };
    return entry;
  }

  /** Returns the entry with this number, which the caller must not change. */
  read(number: number): T | undefined {
    if (this.#open?.number === number) return this.#open.entry;
    const packed = this.#packed[this.#placeOf(number)];
    return packed?.number === number ? this.#packing.unpack(packed.bytes) : undefined;
  }

  /** The numbers of all entries, in no order. */
  numbers(): readonly number[] {
    const packed = this.#packed.flatMap((entry) => (entry === undefined ? [] : [entry.number]));
    return this.#open === undefined ? packed : [...packed, this.#open.number];
  }

  /** Returns the groups that changed since the last call. */
  takeChanged(): readonly number[] {
    const groups = [...this.#changed];
    this.#changed.clear();
    return groups;
  }

  /** Marks a group that could not be stored as changed again. */
  putBack(group: number): void {
    this.#changed.add(group);
  }

  packedGroup(group: number): readonly PackedEntry[] {
    const start = group * this.#groupLength;
    const entries = this.#packed.slice(start, start + this.#groupLength);
    const found = entries.filter((entry) => entry !== undefined);
    const open = this.#open;
    if (open === undefined || this.#groupOf(open.number) !== group) return found;
    return [...found, { number: open.number, bytes: this.#packing.pack(open.entry) }];
  }

  /**
   * Takes over an entry that was packed before a restart, and merges it with what was counted
   * since. If the place has an entry with another number, the restored one is dropped. Returns
   * false when the bytes are invalid.
   */
  restore({ number, bytes }: PackedEntry): boolean {
    const earlier = this.#packing.unpack(bytes);
    if (earlier === undefined) return false;
    const place = this.#placeOf(number);
    const isPresent = this.#open?.number === number || this.#packed[place]?.number === number;
    const isTaken =
      this.#packed[place] !== undefined ||
      (this.#open !== undefined && this.#placeOf(this.#open.number) === place);
    if (isPresent) this.#packing.merge(this.change(number), earlier);
    else if (!isTaken) this.#packed[place] = { number, bytes };
    return true;
  }

  #putAway(): void {
    if (this.#open === undefined) return;
    const { number, entry } = this.#open;
    this.#packed[this.#placeOf(number)] = { number, bytes: this.#packing.pack(entry) };
    this.#open = undefined;
  }

  #placeOf(number: number): number {
    return number % (this.#groupLength * this.#groupCount);
  }

  #groupOf(number: number): number {
    return Math.floor(this.#placeOf(number) / this.#groupLength);
  }
}
