/** CSV, chunk by chunk: commas, double quotes, quotes doubled inside them, any line ends. */
export class CsvReader {
  readonly #take: (cells: readonly string[]) => void;
  #cells: string[] = [];
  #cell = "";
  #isQuoted = false;
  /** A quote inside quotes: the end, or half of a doubled one. */
  #sawQuote = false;

  constructor(take: (cells: readonly string[]) => void) {
    this.#take = take;
  }

  push(chunk: string): void {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const unit = chunk[at]!;
      const isPlain = unit !== '"' && unit !== "," && unit !== "\n" && unit !== "\r";
      if (this.#isQuoted && !this.#sawQuote) {
        if (unit !== '"') continue;
        this.#cell += chunk.slice(from, at);
        from = at + 1;
        this.#sawQuote = true;
      } else if (unit === '"') {
        if (this.#sawQuote) this.#cell += '"';
        this.#cell += chunk.slice(from, at);
        from = at + 1;
        this.#isQuoted = true;
        this.#sawQuote = false;
      } else if (!isPlain) {
        this.#cell += chunk.slice(from, at);
        from = at + 1;
        this.#separate(unit);
      }
    }
    this.#cell += chunk.slice(from);
  }

  end(): void {
    if (this.#cell !== "" || this.#cells.length > 0) this.#separate("\n");
  }

  #separate(unit: string): void {
    this.#isQuoted = false;
    this.#sawQuote = false;
    // The other half of a line end; a carriage return in a cell is quoted.
    if (unit === "\r") return;
    this.#cells.push(this.#cell);
    this.#cell = "";
    if (unit === ",") return;
    const cells = this.#cells;
    this.#cells = [];
    if (cells.length > 1 || cells[0] !== "") this.#take(cells);
  }
}
