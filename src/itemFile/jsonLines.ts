/** Reads one item from each line (NDJSON, JSON Lines). Blank lines are none. */
import { ByteLines } from "./byteLines.ts";
import { type ItemReader, type ItemSink, TOO_LONG, takeItem } from "./itemReader.ts";

export class JsonLines implements ItemReader {
  readonly remarks: readonly string[] = [];
  readonly #lines: ByteLines;
  readonly #sink: ItemSink;

  constructor(sink: ItemSink) {
    this.#sink = sink;
    this.#lines = new ByteLines(
      (text, bytes, number) => this.#take(text, bytes, number),
      (number) => sink.problem(`line ${number}`, "has bytes that are no UTF-8"),
    );
  }

  push(chunk: Uint8Array): void {
    this.#lines.push(chunk);
  }

  end(): void {
    this.#lines.end();
  }

  #take(text: string | undefined, bytes: number, number: number): void {
    if (text === undefined) this.#sink.problem(`line ${number}`, TOO_LONG);
    else if (bytes > 0 && !isBlank(text)) takeItem(this.#sink, text, bytes, `line ${number}`);
  }
}

function isBlank(text: string): boolean {
  return text.charCodeAt(0) <= 32 && text.trim() === "";
}
