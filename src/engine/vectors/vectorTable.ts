/**
 * The vectors that the items of one physical partition have at one path, packed side by side, and
 * the numbers of the items that have none. Searching the table takes a fraction of the time of
 * reading the items: most of an item with a vector is the text of that vector.
 *
 * A row keeps its place as long as its item has a vector; a free place is used again. So a search
 * that goes through the rows in several steps, while others write, misses no row that was there all
 * the time.
 *
 * Not here: where vectors come from (`vectorTables.ts`), and which are near (`ranking.ts`).
 */
import { squaresOf } from "../../query/functions/vector.ts";

/** Rows in a block of vectors. A table grows by blocks, so that no vector has to be moved. */
export const ROWS_PER_BLOCK = 256;

/** Bytes of a row besides its vector: number, squares, and an entry of the map. */
const ROW_BYTES = 64;

/** Marks a free row; item numbers start at 1. */
const FREE = 0;

export class VectorTable {
  readonly dimensions: number;
  readonly #blocks: Float32Array[] = [];
  /** By row: the number of its item, or `FREE`. */
  readonly #numbers: number[] = [];
  readonly #squares: number[] = [];
  readonly #rowOf = new Map<number, number>();
  readonly #freeRows: number[] = [];
  readonly #others = new Set<number>();

  constructor(dimensions: number) {
    this.dimensions = dimensions;
  }

  static bytesFor(dimensions: number, rowCount: number): number {
    const blockCount = Math.ceil(rowCount / ROWS_PER_BLOCK);
    return blockCount * ROWS_PER_BLOCK * (dimensions * Float32Array.BYTES_PER_ELEMENT + ROW_BYTES);
  }

  get bytes(): number {
    return VectorTable.bytesFor(this.dimensions, this.rowCount) + ROW_BYTES * this.#others.size;
  }

  /** Number of rows, free ones included. */
  get rowCount(): number {
    return this.#numbers.length;
  }

  get itemCount(): number {
    return this.#rowOf.size + this.#others.size;
  }

  /** Numbers of the items without a vector of the right length and type. */
  get others(): ReadonlySet<number> {
    return this.#others;
  }

  block(row: number): Float32Array {
    return this.#blocks[Math.floor(row / ROWS_PER_BLOCK)]!;
  }

  offset(row: number): number {
    return (row % ROWS_PER_BLOCK) * this.dimensions;
  }

  squares(row: number): number {
    return this.#squares[row]!;
  }

  /** Returns undefined when the row is free. */
  numberAt(row: number): number | undefined {
    const number = this.#numbers[row]!;
    return number === FREE ? undefined : number;
  }

  rowOf(number: number): number | undefined {
    return this.#rowOf.get(number);
  }

  /**
   * Sets the vector of an item, or takes note that the item has none. Returns the row of the
   * vector.
   */
  put(number: number, vector: Float32Array | undefined): number | undefined {
    if (vector?.length !== this.dimensions) {
      this.#free(number);
      this.#others.add(number);
      return undefined;
    }
    this.#others.delete(number);
    const row = this.#rowOf.get(number) ?? this.#freeRows.pop() ?? this.#numbers.length;
    if (row % ROWS_PER_BLOCK === 0 && this.#blocks.length * ROWS_PER_BLOCK <= row) {
      this.#blocks.push(new Float32Array(ROWS_PER_BLOCK * this.dimensions));
    }
    this.block(row).set(vector, this.offset(row));
    this.#squares[row] = squaresOf(vector, 0, vector.length);
    this.#numbers[row] = number;
    this.#rowOf.set(number, row);
    return row;
  }

  remove(number: number): void {
    this.#others.delete(number);
    this.#free(number);
  }

  #free(number: number): void {
    const row = this.#rowOf.get(number);
    if (row === undefined) return;
    this.#rowOf.delete(number);
    this.#numbers[row] = FREE;
    this.#freeRows.push(row);
  }
}
