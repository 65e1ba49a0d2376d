/**
 * Hashes of 32 bits, one for each value of an item: sketches know values by them alone.
 *
 * Texts, numbers and the other scalars have hashes of their own kinds, so 1 and "1" differ. 0
 * stands for "no value" and is the hash of nothing else. The seed keeps anybody from preparing data
 * in which different values look alike.
 *
 * With 32 bits one value in 4 billion is taken for a given other one. Of ten million values that is
 * 0.1 % which share a hash with another, less than any sketch here errs by itself.
 */

/** The hash of a place where there is no scalar. */
export const NO_VALUE = 0;

/** Longer texts cannot be keys: of those the beginning, the end and the length count. */
const TEXT_UNITS_MAX = 2048;
const TEXT_END_UNITS = 1024;

/** Of longer prose so many units are looked at about, of which so many at each end. */
const PROSE_UNITS = 48;
const PROSE_END = 12;

const TRUE = 0x3c6ef372;
const FALSE = 0x1b873593;
const NULL = 0x7feb352d;

const double: Float64Array = new Float64Array(1);
const halves: Int32Array = new Int32Array(double.buffer);

export class ValueHash {
  /** Whether the text that was hashed last has other characters than those of ASCII. */
  isWide = false;
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed | 0;
  }

  /** Two runs side by side, over every other unit each: one would wait for its multiplications. */
  ofText(text: string): number {
    if (text.length > TEXT_UNITS_MAX) return this.#ofLongText(text);
    const { length } = text;
    let even = this.#seed ^ length;
    let odd = this.#seed;
    let united = 0;
    let at = 0;
    for (; at + 1 < length; at += 2) {
      const first = text.charCodeAt(at);
      const second = text.charCodeAt(at + 1);
      even = Math.imul(even ^ first, 0x01000193);
      odd = Math.imul(odd ^ second, 0x2c1b3c6d);
      united |= first | second;
    }
    if (at < length) {
      const unit = text.charCodeAt(at);
      even = Math.imul(even ^ unit, 0x01000193);
      united |= unit;
    }
    this.isWide = united > 127;
    return finished(Math.imul(even ^ (even >>> 15), 0x297a2d39) ^ odd);
  }

  /**
   * Of a text that is read rather than compared: its length, its ends, and some units from between.
   * Different texts that agree in all of those are rare, and the time it takes is not that of keys.
   */
  ofProse(text: string): number {
    const { length } = text;
    if (length <= PROSE_UNITS) return this.ofText(text);
    const step = Math.ceil(length / (PROSE_UNITS - 2 * PROSE_END));
    let hash = this.#seed ^ length;
    let united = 0;
    for (let at = 0; at < length; ) {
      const unit = text.charCodeAt(at);
      hash = Math.imul(hash ^ unit, 0x01000193);
      united |= unit;
      const isAtEnd = at < PROSE_END || at >= length - PROSE_END;
      at = isAtEnd ? at + 1 : Math.min(at + step, length - PROSE_END);
    }
    this.isWide = united > 127;
    return finished(hash);
  }

  #ofLongText(text: string): number {
    const head = this.ofText(text.slice(0, TEXT_END_UNITS));
    const isHeadWide = this.isWide;
    const tail = this.ofText(text.slice(-TEXT_END_UNITS));
    this.isWide ||= isHeadWide;
    return mixed(mixed(head, tail), this.ofNumber(text.length));
  }

  ofNumber(value: number): number {
    if (value === (value | 0)) return finished(Math.imul(value, 0x9e3779b1) ^ this.#seed);
    double[0] = value;
    return finished(
      Math.imul(halves[0]! ^ this.#seed, 0x01000193) ^ Math.imul(halves[1]!, 0x297a2d39),
    );
  }

  ofBoolean(value: boolean): number {
    return finished((value ? TRUE : FALSE) ^ this.#seed);
  }

  ofNull(): number {
    return finished(NULL ^ this.#seed);
  }
}

/** The hash of two values in this order; of three by doing it twice. */
export function mixed(first: number, second: number): number {
  return finished(Math.imul(first ^ 0x51ed270b, 0x297a2d39) ^ second);
}

/** Every bit of the input counts for every bit of the output; never 0. */
function finished(bits: number): number {
  let hash = bits;
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  hash ^= hash >>> 16;
  return hash === NO_VALUE ? 1 : hash;
}
