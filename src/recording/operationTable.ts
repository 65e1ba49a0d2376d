/**
 * The shapes of operations, in bounded number. Point operations have one shape for each kind;
 * queries have one for each text and patches one for each set of places, and of these two there are
 * at most 128.
 *
 * When the table is full, a new shape replaces the rarest one as soon as the new shape has been
 * seen more often. How often shapes outside the table were seen is kept in a table of hashes of
 * fixed length, so a million different texts that come once each cost a lookup each and change
 * nothing. A shape that is given up stays in the totals.
 */
import { OperationTally } from "./operationTally.ts";
import type { ParameterUse } from "./queryShape.ts";
import type { OtherOperations, RecordedKind } from "./recording.ts";
import type { SaltedHash } from "./saltedHash.ts";
import type { TallyRoom } from "./valueTally.ts";

const SHAPE_COUNT_MAX = 128;
const DOOR_COUNT = 4_096;

export interface Shape {
  readonly tally: OperationTally;
  /** The uses of the parameters of a query. */
  readonly uses: ReadonlyMap<string, ParameterUse>;
  /** How often the shape was seen before it was in the table. */
  readonly credit: number;
}

const NO_USES: ReadonlyMap<string, ParameterUse> = new Map();

export class OperationTable {
  readonly #hash: SaltedHash;
  readonly #room: TallyRoom;
  readonly #plain = new Map<RecordedKind, OperationTally>();
  readonly #shapes = new Map<string, Shape>();
  readonly #doorHashes = new Float64Array(DOOR_COUNT);
  readonly #doorCounts = new Uint32Array(DOOR_COUNT);
  readonly #numbers = new Map<RecordedKind, number>();
  #others: OtherOperations = { count: 0, ru: 0, shapeCount: 0 };

  constructor(hash: SaltedHash, room: TallyRoom) {
    this.#hash = hash;
    this.#room = room;
  }

  /** The one shape of a kind of point operation. */
  plain(kind: RecordedKind): OperationTally {
    let tally = this.#plain.get(kind);
    if (tally === undefined) {
      tally = new OperationTally({ id: kind, kind }, this.#room);
      this.#plain.set(kind, tally);
    }
    return tally;
  }

  find(kind: RecordedKind, text: string): Shape | undefined {
    return this.#shapes.get(keyOf(kind, text));
  }

  /** True when a shape outside the table may be opened. Called once each time the shape is seen. */
  admits(kind: RecordedKind, text: string): boolean {
    if (this.#shapes.size < SHAPE_COUNT_MAX) return true;
    const seenCount = this.#seenAtDoor(kind, text);
    return seenCount > 1 && seenCount > weightOf(this.#rarest()[1]);
  }

  /** Adds a shape; call it only after `admits` returned true. */
  open(kind: RecordedKind, text: string, uses: Shape["uses"] = NO_USES): Shape {
    let credit = 0;
    if (this.#shapes.size === SHAPE_COUNT_MAX) {
      const [key, { tally }] = this.#rarest();
      this.#shapes.delete(key);
      tally.close();
      const { count, ru, shapeCount } = this.#others;
      this.#others = { count: count + tally.count, ru: ru + tally.ru, shapeCount: shapeCount + 1 };
      credit = this.#seenAtDoor(kind, text);
    }
    const number = (this.#numbers.get(kind) ?? 0) + 1;
    this.#numbers.set(kind, number);
    const tally = new OperationTally({ id: `${kind}-${number}`, kind, text }, this.#room);
    const shape = { tally, uses, credit };
    this.#shapes.set(keyOf(kind, text), shape);
    return shape;
  }

  addOther(ru: number, isOperation: boolean): void {
    const { count, ru: sum, shapeCount } = this.#others;
    this.#others = { count: count + (isOperation ? 1 : 0), ru: sum + ru, shapeCount };
  }

  get others(): OtherOperations {
    return this.#others;
  }

  /** The tallies of all shapes, the most frequent first. */
  tallies(): readonly OperationTally[] {
    const all = [...this.#plain.values(), ...[...this.#shapes.values()].map(({ tally }) => tally)];
    return all.sort((a, b) => b.count - a.count);
  }

  #rarest(): readonly [string, Shape] {
    return [...this.#shapes].reduce((a, b) => (weightOf(b[1]) < weightOf(a[1]) ? b : a));
  }

  /**
   * Counts a shape outside the table. If another shape has its place, that one's count is reduced
   * first.
   */
  #seenAtDoor(kind: RecordedKind, text: string): number {
    const hash = this.#hash.numberOf(keyOf(kind, text));
    const slot = hash % DOOR_COUNT;
    if (this.#doorHashes[slot] === hash) this.#doorCounts[slot]! += 1;
    else if (this.#doorCounts[slot]! > 1) {
      this.#doorCounts[slot]! -= 1;
      return 0;
    } else {
      this.#doorHashes[slot] = hash;
      this.#doorCounts[slot] = 1;
    }
    return this.#doorCounts[slot]!;
  }
}

function keyOf(kind: RecordedKind, text: string): string {
  return `${kind} ${text}`;
}

function weightOf({ tally, credit }: Shape): number {
  return tally.count + credit;
}
