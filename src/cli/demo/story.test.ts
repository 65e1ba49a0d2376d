/** What is printed for whom: a terminal, a file, a program. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LiveOutput } from "../terminal/liveTable.ts";
import { Story, wrapped } from "./story.ts";

interface Page extends LiveOutput {
  text: string;
}

function page(isTTY: boolean, columns?: number): Page {
  return {
    text: "",
    isTTY,
    columns,
    write(text) {
      this.text += text;
    },
  };
}

const ROWS = [{ cells: { id: "0", size: "12" } }];

describe("a story", () => {
  test("in a file is plain lines, and nothing that is drawn", () => {
    const output = page(false);
    const story = new Story(output, {}, false);
    story.title("Once");
    story.draw([{ kind: "lines", lines: ["drawn"] }]);
    story.wipe();
    story.say("upon a time");
    story.table(ROWS, ["size"]);
    expect(story.isLive).toBe(false);
    expect(output.text).toBe("\nOnce\n\nupon a time\n\nid  size\n──  ────\n0     12\n");
  });

  test("on a terminal is drawn in place, and wiped before it goes on", () => {
    const output = page(true, 40);
    const story = new Story(output, {}, false);
    story.draw([{ kind: "lines", lines: ["first"] }]);
    story.draw([{ kind: "lines", lines: ["second"] }]);
    story.wipe();
    story.say("end");
    expect(story.isLive).toBe(true);
    expect(output.text).toContain("\x1b[2A\r\x1b[K\nsecond\x1b[K\n\x1b[J");
    expect(output.text.endsWith("\x1b[2A\r\x1b[J\nend\n")).toBe(true);
  });

  test("keeps to the width of the terminal", () => {
    const output = page(true, 20);
    new Story(output, { NO_COLOR: "1" }, false).say("a sentence that is longer than that");
    expect(output.text).toBe("\na sentence that is\nlonger than that\n");
  });

  test("for a program says nothing, but remembers what it would have said", () => {
    const output = page(true, 80);
    const story = new Story(output, {}, true);
    story.title("Once");
    story.draw([{ kind: "lines", lines: ["drawn"] }]);
    story.table(ROWS, []);
    story.say("upon a time");
    expect(output.text).toBe("");
    expect(story.isLive).toBe(false);
    expect(story.said).toEqual(["upon a time"]);
  });
});

test("an amount stays with its unit", () => {
  expect(wrapped("it was 12 % of it", 10)).toEqual(["it was", "12 % of it"]);
  expect(wrapped("so 1 RU/s, and", 6)).toEqual(["so", "1 RU/s,", "and"]);
  expect(wrapped("a store is", 4)).toEqual(["a", "store", "is"]);
});

test("wrapping loses no word, and no line is too long that could be shorter", () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{3,12}$/), { minLength: 1 });
  fc.assert(
    fc.property(words, fc.integer({ min: 4, max: 30 }), (texts, columns) => {
      const lines = wrapped(texts.join(" "), columns);
      expect(lines.join(" ")).toBe(texts.join(" "));
      for (const line of lines) expect(line.length <= columns || !line.includes(" ")).toBe(true);
      lines.slice(1).forEach((line, at) => {
        const first = line.split(" ", 1)[0]!;
        expect(lines[at]!.length + 1 + first.length).toBeGreaterThan(columns);
      });
    }),
  );
});
