/** Absorption on the thread of a benchmark, step by step. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** @typedef {typeof import("./writeParts.ts")} WriteCode */
/** @typedef {Map<string, number>} Times microseconds of processor time by step */

/** A bottom that absorbs where its processor time can be told, and that nobody reads. */
export class Absorbing {
  #code;
  #journal;
  #directory;
  #tables;
  #sums;
  /** @type {Times} */
  times = new Map();
  itemCount = 0;
  #absorbedSegment = 0;

  /**
   * @param {WriteCode} code
   * @param {string} journal
   * @param {string} directory
   */
  constructor(code, journal, directory) {
    this.#code = code;
    this.#journal = journal;
    this.#directory = directory;
    this.#tables = code.openEnvironment(directory);
    this.#sums = new code.PageSums();
  }

  /** @returns {import("../src/store/bottom.ts").Bottom} */
  get bottom() {
    const absorbedSegment = () => this.#absorbedSegment;
    return {
      get absorbedSegment() {
        return absorbedSegment();
      },
      absorbedFrame: 0,
      lacksTallies: false,
      heads: () => new Map(),
      leases: () => new Map(),
      byKey: () => undefined,
      byNumber: () => undefined,
      tally: () => undefined,
      entries: () => [][Symbol.iterator](),
      terms: () => ({ entry: undefined, isPresent: true, advance: () => undefined }),
      absorb: async (segment, frameEnd) => this.#absorb(segment, frameEnd),
      rest: () => undefined,
      countTallies: async () => undefined,
      missing: async () => undefined,
      close: () => this.#tables.close(),
    };
  }

  /** @type {(segment: number, frameEnd: number) => void} */
  #absorb(segment, frameEnd) {
    const code = this.#code;
    const changes = this.#timed("reading the segment", () => {
      const bytes = readFileSync(join(this.#journal, code.segmentName(segment)));
      return code.changesOf({ segment, frameEnd }, bytes);
    });
    this.#timed("writing the tables", () => code.absorb(this.#tables, segment, changes));
    this.#timed("checksums of pages", () => {
      const file = code.PageFile.open(this.#directory);
      const meta = file && code.newestMeta(file.metaPages());
      if (file === undefined || meta === undefined) throw new Error("there are no tables");
      code.sumChangedPages(file, meta, this.#sums);
      file.close();
      this.#sums.save(this.#directory);
    });
    for (const items of changes.items.values()) this.itemCount += items.size;
    this.#absorbedSegment = segment;
  }

  /**
   * @template T
   * @param {string} name
   * @param {() => T} step
   */
  #timed(name, step) {
    const before = process.cpuUsage();
    const outcome = step();
    const { user, system } = process.cpuUsage(before);
    this.times.set(name, (this.times.get(name) ?? 0) + user + system);
    return outcome;
  }
}
