/** What is drawn, and that on a terminal nothing but the last drawing is left of it. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LiveOutput, Section } from "./liveTable.ts";
import { barOf, LiveTable, numberText, percentText } from "./liveTable.ts";

/** A command to the terminal, or a character. */
const ESCAPE = "\x1b";
const PIECE = new RegExp(`${ESCAPE}\\[(\\d*)([A-Za-z])|[\\s\\S]`, "gu");

/** As much of a terminal as is needed: lines, a cursor, and breaking of lines that are too long. */
class Terminal implements LiveOutput {
  readonly isTTY = true;
  columns = 40;
  rows = 24;
  written = "";
  #lines: string[] = [""];
  #at = 0;
  #column = 0;

  get screen(): string {
    return this.#lines.map((line) => line.trimEnd()).join("\n");
  }

  /** As terminals do, it breaks anew what it shows. */
  narrow(columns: number): void {
    this.columns = columns;
    const breaks = new RegExp(`.{1,${columns}}`, "gu");
    this.#lines = this.#lines.flatMap((line) => line.trimEnd().match(breaks) ?? [""]);
    this.#at = this.#lines.length - 1;
  }

  write(text: string): void {
    this.written += text;
    for (const [piece, count, command] of text.matchAll(PIECE)) {
      if (command === undefined) this.#put(piece);
      else this.#command(command, Number(count));
    }
  }

  #command(command: string, count: number): void {
    if (command === "A") {
      if (count > this.#at) throw new Error("the cursor went above the first line");
      this.#at -= count;
    } else if (command === "K") {
      this.#lines[this.#at] = this.#lines[this.#at]!.slice(0, this.#column);
    } else if (command === "J") {
      this.#lines.length = this.#at + 1;
      this.#lines[this.#at] = this.#lines[this.#at]!.slice(0, this.#column);
    } else if (command !== "m") throw new Error(`unknown command ${command}`);
  }

  #put(unit: string): void {
    if (unit === "\r") this.#column = 0;
    else if (unit === "\n") {
      this.#at++;
      this.#column = 0;
      this.#lines[this.#at] ??= "";
    } else {
      if (this.#column === this.columns) this.#put("\n");
      const line = this.#lines[this.#at]!.padEnd(this.#column);
      this.#lines[this.#at] = line.slice(0, this.#column) + unit + line.slice(this.#column + 1);
      this.#column++;
    }
  }
}

class Pipe implements LiveOutput {
  written = "";
  write(text: string): void {
    this.written += text;
  }
}

const text = (...lines: readonly string[]): Section => ({ kind: "lines", lines });

const TABLE: Section = {
  kind: "table",
  rows: [
    { cells: { id: "0", size: "9 KB", note: "a" } },
    { cells: { id: "1", size: "12 KB", note: "b" }, tone: "alarm" },
  ],
  right: ["size"],
};

describe("on a terminal", () => {
  test("a drawing replaces the one before", () => {
    const terminal = new Terminal();
    terminal.write("$ orrery\n");
    const table = new LiveTable(terminal, {});
    table.show([text("first", "second", "third"), TABLE]);
    table.show([text("a longer line", "x")]);
    expect(terminal.screen).toBe("$ orrery\na longer line\nx\n");
  });

  test("what is printed stays", () => {
    const terminal = new Terminal();
    const table = new LiveTable(terminal, {});
    table.show([text("gone")]);
    table.show([text("kept")]);
    table.print([text("printed")]);
    table.show([text("last")]);
    expect(terminal.screen).toBe("kept\nprinted\nlast\n");
  });

  test("what is printed is printed whole", () => {
    const terminal = new Terminal();
    terminal.rows = 3;
    new LiveTable(terminal, {}).print([text("x".repeat(50), "1", "2", "3")]);
    expect(terminal.screen).toBe(`${"x".repeat(40)}\n${"x".repeat(10)}\n1\n2\n3\n`);
  });

  test("lines are cut to its width, and columns that do not fit are named", () => {
    const terminal = new Terminal();
    terminal.columns = 12;
    const table = new LiveTable(terminal, { NO_COLOR: "1" });
    table.show([text("0123456789abcdef"), TABLE]);
    table.show([text("0123456789abcdef"), TABLE]);
    const expected = ["0123456789a…", "id   size", "──  ─────", "0    9 KB", "1   12 KB"];
    expect(terminal.screen.split("\n").slice(0, 5)).toEqual(expected);
    expect(terminal.screen).toContain("not shown: …");
  });

  test("a drawing that is too high is cut, and says by how much", () => {
    const terminal = new Terminal();
    terminal.rows = 5;
    const table = new LiveTable(terminal, {});
    const many = text(...Array.from({ length: 9 }, (_, n) => String(n)));
    table.show([many]);
    table.show([many]);
    expect(terminal.screen).toBe("0\n1\n2\n… 6 more lines\n");
    terminal.rows = 0;
    table.show([many]);
    expect(terminal.screen).toContain("8");
  });

  test("one that has become narrower is cleared all the same", () => {
    const terminal = new Terminal();
    const table = new LiveTable(terminal, {});
    table.show([text("short", "0123456789".repeat(3))]);
    terminal.narrow(10);
    table.show([text("after")]);
    expect(terminal.screen).toBe("after\n");
  });

  test("rows have colours, unless NO_COLOR says no", () => {
    const written = (environment: Record<string, string>): string => {
      const terminal = new Terminal();
      new LiveTable(terminal, environment).show([TABLE]);
      return terminal.written;
    };
    expect(written({})).toContain("\x1b[31m1   12 KB  b\x1b[0m");
    expect(written({ NO_COLOR: "" })).toContain("\x1b[31m");
    expect(written({ NO_COLOR: "1" })).not.toContain("\x1b[31m");
  });

  test("any drawings leave the last one and nothing else", () => {
    const line = fc.string({ unit: "grapheme-ascii", maxLength: 60 });
    const drawing = fc.array(line, { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(drawing, { minLength: 1, maxLength: 6 }), (drawings) => {
        const [terminal, once] = [new Terminal(), new Terminal()];
        const table = new LiveTable(terminal, {});
        for (const lines of drawings) table.show([text(...lines)]);
        new LiveTable(once, {}).show([text(...drawings.at(-1)!)]);
        expect(terminal.screen).toBe(once.screen);
      }),
    );
  });

  test("nothing in a line moves the cursor or changes colours", () => {
    const terminal = new Terminal();
    new LiveTable(terminal, {}).show([text("a\x1b[31mb\nc\r\u202ed\u0085e")]);
    expect(terminal.screen).toBe("a\uFFFD[31mb\uFFFDc\uFFFD\uFFFDd\uFFFDe\n");
  });

  test("wide letters count twice", () => {
    const terminal = new Terminal();
    terminal.columns = 7;
    new LiveTable(terminal, {}).show([text("日本語日本語", "e\u0301".repeat(7))]);
    expect(terminal.written).toContain("日本語…\x1b[K");
    expect(terminal.written).toContain(`${"e\u0301".repeat(7)}\x1b[K`);
  });
});

describe("where nobody looks", () => {
  test("drawings follow one another, plain and in full width", () => {
    const pipe = new Pipe();
    const table = new LiveTable(pipe, {});
    const long = "x".repeat(300);
    table.show([text(long), TABLE]);
    table.show([text("again")]);
    expect(table.isInPlace).toBe(false);
    expect(pipe.written).toBe(
      `${long}\nid   size  note\n──  ─────  ────\n0    9 KB  a\n1   12 KB  b\nagain\n`,
    );
  });

  test("and so they do on a terminal that can do nothing", () => {
    const terminal = new Terminal();
    const table = new LiveTable(terminal, { TERM: "dumb" });
    table.show([text("first")]);
    table.show([text("second")]);
    expect(terminal.written).toBe("first\nsecond\n");
  });
});

describe("amounts", () => {
  test.each<[number, string]>([
    [0, "0"],
    [1.25, "1.3"],
    [9.96, "10"],
    [12.6, "13"],
    [1234567, "1,234,567"],
  ])("%d is %s", (amount, shown) => {
    expect(numberText(amount)).toBe(shown);
  });

  test.each<[number, string]>([
    [0, "0"],
    [0.0001, "<0.1"],
    [0.125, "12.5"],
    [0.9996, ">99.9"],
    [1, "100"],
    [3.5, "350"],
  ])("a share of %d is %s percent", (share, shown) => {
    expect(percentText(share)).toBe(shown);
  });

  test.each<[number, string]>([
    [0, "    "],
    [0.5, "██  "],
    [0.53, "██▏ "],
    [1, "████"],
    [7, "████"],
  ])("a share of %d is a bar '%s'", (share, bar) => {
    expect(barOf(share, 4)).toBe(bar);
  });
});
