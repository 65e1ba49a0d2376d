/**
 * A sketch has one bit for each element of a vector: whether the element lies above the mean. From
 * these bits, and from how far elements are from their mean on average, the product with a query is
 * estimated by table lookup, eight elements at a time; the rows with the best estimates are then
 * ranked by exact distance. Estimating takes an eighth of the additions. The recall is nearly one
 * for vectors of many elements that all carry information: figures are in `sketches.test.ts`. For
 * other vectors see `trial.ts`.
 *
 * Means are learnt when the sketches are made, and again when the table has doubled. Vectors that
 * are added in between are sketched with the known means; the means affect only the quality of the
 * estimates, never the distance that a row is given.
 */
import type { Metric } from "../../query/functions/vector.ts";
import { squaresOf } from "../../query/functions/vector.ts";
import type { VectorTable } from "./vectorTable.ts";
import { ROWS_PER_BLOCK } from "./vectorTable.ts";

interface SketchQuestion {
  readonly query: Float32Array;
  readonly metric: Metric;
  readonly isDescending: boolean;
  readonly countWanted: number;
  /** Multiplies the number of rows that are ranked exactly; 1 is the usual value. */
  readonly thoroughness: number;
  pause(): Promise<void> | undefined;
}

/** Share of all rows, those with the best estimates, that is ranked by exact distance. */
const SHARE = 0.05;
/** Rows that are ranked exactly for each row that is wanted, if that is more than `SHARE`. */
const ROWS_PER_WANTED = 20;
/** Number of estimates from which the threshold of the best ones is taken. */
const SAMPLE_COUNT = 2_048;
const BITS = 8;
/** Bytes of a row besides its bits: two numbers. */
const ROW_BYTES = 16;
const VALUES_PER_BYTE = 256;
const ROWS_PER_LOOK = 512;

export class Sketches {
  readonly #table: VectorTable;
  readonly #means: Float64Array;
  /** By element: its average distance from the mean. */
  readonly #spreads: Float64Array;
  readonly #bytesPerRow: number;
  readonly #blocks: Uint8Array[] = [];
  /** By row: its exact product with the means. */
  readonly #alongMeans: number[] = [];
  /**
   * By row: the factor that makes the estimated product of the row's gaps with themselves exact.
   */
  readonly #factors: number[] = [];
  #learntCount = 0;

  constructor(table: VectorTable) {
    this.#table = table;
    this.#means = new Float64Array(table.dimensions);
    this.#spreads = new Float64Array(table.dimensions);
    this.#bytesPerRow = Math.ceil(table.dimensions / BITS);
  }

  static bytesFor(dimensions: number, rowCount: number): number {
    return rowCount * (Math.ceil(dimensions / BITS) + ROW_BYTES);
  }

  get isStale(): boolean {
    return this.#table.rowCount > 2 * this.#learntCount;
  }

  /** Learns the means from the table and sketches all rows; yields after each row. */
  *learn(): Generator<void> {
    const { rowCount } = this.#table;
    this.#means.set(yield* this.#averageOf((element) => element));
    this.#spreads.set(
      yield* this.#averageOf((element, at) => Math.abs(element - this.#means[at]!)),
    );
    for (let row = 0; row < rowCount; row++) {
      this.put(row);
      yield;
    }
    this.#learntCount = rowCount;
  }

  /** Sketches a row whose vector is new. */
  put(row: number): void {
    const block = Math.floor(row / ROWS_PER_BLOCK);
    this.#blocks[block] ??= new Uint8Array(ROWS_PER_BLOCK * this.#bytesPerRow);
    const bytes = this.#blocks[block];
    const start = (row % ROWS_PER_BLOCK) * this.#bytesPerRow;
    const [vectors, offset] = [this.#table.block(row), this.#table.offset(row)];
    bytes.fill(0, start, start + this.#bytesPerRow);
    let [along, squares, estimate] = [0, 0, 0];
    for (let at = 0; at < this.#means.length; at++) {
      const element = vectors[offset + at]!;
      const mean = this.#means[at]!;
      const gap = element - mean;
      if (gap > 0) bytes[start + (at >> 3)]! |= 1 << (at & 7);
      along += element * mean;
      squares += gap * gap;
      estimate += Math.abs(gap) * this.#spreads[at]!;
    }
    this.#alongMeans[row] = along;
    this.#factors[row] = estimate > 0 ? squares / estimate : 1;
  }

  /** Resolves with rows that most likely include the first ones of the order. */
  async near(question: SketchQuestion): Promise<readonly number[]> {
    const estimates = await this.#estimates(question);
    const rowCount = estimates.length;
    const ofWanted = (ROWS_PER_WANTED * question.countWanted) / rowCount;
    const share = question.thoroughness * Math.max(SHARE, ofWanted);
    const step = Math.max(1, Math.floor(rowCount / SAMPLE_COUNT));
    const sample = estimates.filter((_, row) => row % step === 0).sort();
    const last = sample[Math.ceil(share * sample.length)] ?? Number.POSITIVE_INFINITY;
    const rows: number[] = [];
    for (let row = 0; row < rowCount; row++) if (estimates[row]! <= last) rows.push(row);
    return rows;
  }

  /** Estimates for all rows; a smaller estimate comes earlier in the order. */
  async #estimates({ query, metric, isDescending, pause }: SketchQuestion): Promise<Float64Array> {
    const estimates = new Float64Array(this.#table.rowCount);
    const products = this.#productsWith(query);
    const ofQuery = squaresOf(query, 0, query.length);
    const sign = isDescending ? -1 : 1;
    for (let from = 0; from < estimates.length; from += ROWS_PER_LOOK) {
      const to = Math.min(from + ROWS_PER_LOOK, estimates.length);
      for (let row = from; row < to; row++) {
        const product = products(row);
        const squares = this.#table.squares(row);
        if (metric === "dotproduct") estimates[row] = sign * product;
        else if (metric === "cosine") estimates[row] = (sign * product) / Math.sqrt(squares || 1);
        else estimates[row] = sign * (ofQuery + squares - 2 * product);
      }
      await pause();
    }
    return estimates;
  }

  /**
   * Returns a function that estimates products with the query: the contribution of the means is
   * exact, and that of the gaps is estimated from their signs.
   */
  #productsWith(query: Float32Array): (row: number) => number {
    const gaps = query.map((element, at) => element - this.#means[at]!);
    const sums = this.#sumsFor(gaps);
    const constant = this.#means.reduce((sum, mean, at) => sum + mean * gaps[at]!, 0);
    const [blocks, factors, along] = [this.#blocks, this.#factors, this.#alongMeans];
    const bytesPerRow = this.#bytesPerRow;
    return (row) => {
      const bytes = blocks[Math.floor(row / ROWS_PER_BLOCK)]!;
      const start = (row % ROWS_PER_BLOCK) * bytesPerRow;
      let ofGaps = 0;
      for (let at = start, base = 0; at < start + bytesPerRow; at++, base += VALUES_PER_BYTE) {
        ofGaps += sums[base + bytes[at]!]!;
      }
      return factors[row]! * ofGaps + along[row]! + constant;
    };
  }

  /** By place and value of a byte: what the eight elements of the byte add to the product. */
  #sumsFor(gaps: Float32Array): Float64Array {
    const sums = new Float64Array(this.#bytesPerRow * VALUES_PER_BYTE);
    for (let byte = 0; byte < this.#bytesPerRow; byte++) {
      for (let bit = 0; bit < BITS; bit++) {
        const at = byte * BITS + bit;
        if (at >= gaps.length) break;
        const part = gaps[at]! * this.#spreads[at]!;
        for (let value = 0; value < VALUES_PER_BYTE; value++) {
          sums[byte * VALUES_PER_BYTE + value]! += (value >> bit) & 1 ? part : -part;
        }
      }
    }
    return sums;
  }

  *#averageOf(of: (element: number, at: number) => number): Generator<void, Float64Array> {
    const averages = new Float64Array(this.#means.length);
    let count = 0;
    for (let row = 0; row < this.#table.rowCount; row++) {
      if (this.#table.numberAt(row) === undefined) continue;
      const [vectors, offset] = [this.#table.block(row), this.#table.offset(row)];
      for (let at = 0; at < averages.length; at++) averages[at]! += of(vectors[offset + at]!, at);
      count++;
      yield;
    }
    return averages.map((sum) => sum / Math.max(1, count));
  }
}
