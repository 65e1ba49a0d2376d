/** Advice as text and as JSON: what is said, in which order, and what never reaches a terminal. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { scaleLimits } from "../../model/scaledLimits.ts";
import type { Advice, CandidateAdvice } from "../advise/advice.ts";
import type { Expectation } from "../scenario/scenario.ts";
import { verdicts } from "../scenario/scenario.ts";
import {
  dayText,
  estimateText,
  moneyText,
  numberText,
  percentText,
  visible,
} from "../wording/plain.ts";
import { textTable, wrapped } from "../wording/textTable.ts";
import { compareWithGuide, guideText } from "./guide.ts";
import { adviceJson } from "./json.ts";
import { sampleAdvice } from "./reportSample.fake.ts";
import { adviceText } from "./text.ts";

const WIDE = { width: undefined };

describe("numbers for people", () => {
  test.each([
    [0, "0"],
    [0.004, "<0.01"],
    [2.834, "2.83"],
    [12, "12"],
    [1234.5, "1,235"],
    [99_999, "99,999"],
    [342_857, "342,857"],
    [2_400_000, "2.4 million"],
    [2.4e10, "24 billion"],
    [Number.POSITIVE_INFINITY, "∞"],
  ])("%d is %s", (amount, text) => {
    expect(numberText(amount)).toBe(text);
  });

  test.each([
    [0, "0 %"],
    [0.0004, "<0.1 %"],
    [0.412, "41.2 %"],
    [0.9996, ">99.9 %"],
    [1, "100 %"],
    [4.5, "450 %"],
  ])("a share of %d is %s", (share, text) => {
    expect(percentText(share)).toBe(text);
  });

  test.each([
    [undefined, "–"],
    [0, "$0.00"],
    [0.002, "<$0.01"],
    [9.5, "$9.50"],
    [12_660.4, "$12,660"],
  ])("%d dollars are %s", (dollars, text) => {
    expect(moneyText(dollars)).toBe(text);
  });

  test("an interval is shown where it says more than the value", () => {
    expect(estimateText({ value: 100, low: 90, high: 110 }, numberText)).toBe("100 (90 to 110)");
    expect(estimateText({ value: 1e6, low: 999_999.9, high: 1e6 }, numberText)).toBe("1 million");
    expect(dayText(undefined)).toBe("not within the horizon");
  });
});

describe("a table of text", () => {
  const column = (name: string, ...cells: string[]) => ({ name, isRight: false, cells });

  test("what has no room goes below, with the first column again", () => {
    const columns = [column("#", "1"), column("aaaa", "b"), column("cccc", "d")];
    expect(textTable(columns, 8)).toEqual([
      "#  aaaa",
      "─  ────",
      "1  b",
      "",
      "#  cccc",
      "─  ────",
      "1  d",
    ]);
    expect(textTable(columns, undefined)).toHaveLength(3);
  });

  test("every line keeps within the width where words allow it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 24, max: 120 }),
        (words, width) => {
          const lines = wrapped(words.join(" "), width, "  • ");
          expect(lines.every((line) => line.length <= width)).toBe(true);
          expect(lines.map((line) => line.trim().replace(/^• /, "")).join(" ")).toBe(
            words.join(" "),
          );
        },
      ),
    );
  });
});

describe("advice as text", () => {
  test("the verdict comes first, then the table, reasons, operations and conditions", () => {
    const text = adviceText(sampleAdvice(), WIDE);
    const lines = text.split("\n");
    expect(lines[0]).toBe("Orders of a web shop (orders)");
    expect(lines[2]).toContain("The best key is /customerId");
    const order = [
      "#  key ",
      "1. /customerId: best",
      "Where operations go",
      "What would change it",
      "Worth considering",
      "What to measure next",
      "What was assumed",
    ].map((begin) => lines.findIndex((line) => line.startsWith(begin)));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order.includes(-1)).toBe(false);
  });

  test("a row has every figure that decides", () => {
    const line = adviceText(sampleAdvice(), WIDE)
      .split("\n")
      .find((each) => each.startsWith("4  "))!;
    expect(line.split(/ {2,}/)).toEqual([
      "4",
      "fleet: suffix(/date, hash(/vin), 400)",
      "✕ bad",
      "12",
      "130 GB, over 20 GB on day 61",
      "12",
      expect.stringMatching(/^[\d,]+ of 5,000$/),
      "41 %",
      "20 %",
      "$9,720 autoscale",
      "$8,748",
      "kept",
    ]);
  });

  test("a reason comes with its code and the case that shows it", () => {
    expect(adviceText(sampleAdvice(), WIDE)).toContain(
      '  ✕ The largest key passes 20 GB on day 61. For example: "tenant-17" [storage-hot]\n',
    );
  });

  test("operations are told by what they have to ask", () => {
    const text = adviceText(sampleAdvice(), WIDE);
    expect(text).toMatch(/orders of a customer +1,200 +1 key → 1, 2\.83 +everywhere → 12, 33\.5/);
    expect(text).toMatch(/orders of a month .*prefix, 40 keys → 8, 61\.4/);
  });

  test("only the first are listed, and the user's own and the current one wherever they rank", () => {
    const advice = sampleAdvice({ candidateCount: 12 });
    const listed = (options: object): string[] =>
      adviceText(advice, { ...WIDE, top: 2, ...options })
        .split("\n")
        .flatMap((line) => /^(\d+)\. /.exec(line)?.[1] ?? []);
    expect(listed({})).toEqual(["1", "2", "4"]);
    expect(listed({ current: "/tenantId" })).toEqual(["1", "2", "4", "10"]);
    expect(adviceText(advice, { ...WIDE, top: 2 })).toContain("9 more, ranked behind the first");
    expect(adviceText(advice, { ...WIDE, current: "/tenantId" })).toContain("/tenantId (now)");
  });

  test("limits are those of the simulation", () => {
    const limits = scaleLimits(SERVICE_LIMITS, 1 / 1024);
    expect(adviceText(sampleAdvice(), { ...WIDE, limits })).toContain(
      "17 GB, over 20 MB at the end",
    );
  });

  test("nothing is said of what there is nothing to say of", () => {
    const text = adviceText(
      {
        ...sampleAdvice(),
        sensitivities: [],
        alternatives: [],
        measureNext: undefined,
        remarks: [],
      },
      WIDE,
    );
    expect(text).not.toMatch(/What would change|Worth considering|measure next|assumed/);
  });

  test("no text of a user reaches the terminal as anything but text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (label) => {
        const text = adviceText(hostile(label), { width: 120 });
        expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: 50 },
    );
  });
});

/** With a text of a user everywhere one can stand. */
function hostile(text: string): Advice {
  const advice = sampleAdvice({ candidateCount: 2, label: text });
  const candidates = advice.candidates.map((candidate): CandidateAdvice => {
    const { simulation } = candidate;
    const operations = simulation.operations.map((one) => ({ ...one, id: `${one.id}${text}` }));
    return {
      ...candidate,
      expression: `/${text}${candidate.rank}`,
      merits: [text],
      simulation: { ...simulation, operations, brokenTransactions: [text] },
    };
  });
  return {
    ...advice,
    title: text,
    candidates,
    summary: [text],
    remarks: [text],
    measureNext: text,
  };
}

describe("advice as JSON", () => {
  test("has the documented names", () => {
    const json = JSON.parse(JSON.stringify(adviceJson(sampleAdvice())));
    expect(Object.keys(json)).toEqual([
      "formatVersion",
      "workload",
      "title",
      "best",
      "summary",
      "candidates",
      "sensitivities",
      "measureNext",
      "alternatives",
      "remarks",
    ]);
    expect(json.best).toEqual({ id: "/customerId", expression: "/customerId", rank: 1 });
    const [first, , , fourth] = json.candidates;
    expect(Object.keys(first.figures)).toEqual([
      "keys",
      "limits",
      "load",
      "throttling",
      "routing",
      "cost",
      "transactions",
    ]);
    expect(fourth).toMatchObject({
      id: "fleet",
      expression: "suffix(/date, hash(/vin), 400)",
      origin: "named",
      verdict: "bad",
      rank: 4,
      isOnFront: true,
      surpassed: null,
      behind: null,
      reasons: [
        {
          code: "storage-hot",
          weight: "against",
          counterExample: '"tenant-17"',
          figures: { day: 61 },
        },
        { code: "throughput-hot" },
      ],
      figures: {
        limits: { passes15GbOnDay: 45, passes20GbOnDay: 61, keysOver20Gb: 3, splits: 11 },
        load: { neededRate: null, archetype: "concentrated" },
        throttling: { share: 0.41, waitP99: 9100 },
        cost: { manual: null, cheapestMode: "autoscale" },
      },
    });
    expect(first.months).toHaveLength(25);
    expect(first.partitions).toHaveLength(12);
    expect(first.partitions[0].rates).toHaveLength(24);
    expect(first.operations[2]).toMatchObject({ routing: "everywhere", keysAsked: null });
  });

  test("the RU of a mean operation is that of all operations by their rates", () => {
    const [first] = adviceJson(sampleAdvice())["candidates"] as unknown as {
      figures: { cost: { ruPerOperation: number } };
    }[];
    const expected = (450 * 9.9 + 1200 * 2.83 + 0.2 * 61.4) / 1650.2;
    expect(first!.figures.cost.ruPerOperation).toBeCloseTo(expected, 10);
  });

  test("what has no end is null, and none is best when all are bad", () => {
    const advice = sampleAdvice();
    const [first] = advice.candidates;
    const throttling = { ...first!.simulation.throttling, waitP99: Number.POSITIVE_INFINITY };
    const endless = { ...first!, simulation: { ...first!.simulation, throttling } };
    const json = adviceJson({ ...advice, best: undefined, candidates: [endless] });
    expect(json["best"]).toBeNull();
    expect(JSON.stringify(json)).toContain('"waitP99":null');
  });
});

describe("beside the guides", () => {
  const guide: Expectation = {
    best: ["/customerId"],
    verdicts: verdicts(
      ["/customerId", ["best", "conditional"], "Orders of a customer lie together."],
      ["/orderId", "bad", "Nothing is read together."],
      ["fleet", "bad", "It outgrows its partition.", "storage-hot", "mutable"],
      ["/nowhere", "bad", "Nobody looked."],
    ),
    sentence: "The guide puts orders of a customer together.",
  };
  const errata = ["The guide takes a GB for 1,000 MB."];

  test("every verdict stands beside its own, and what differs is said to", () => {
    const comparison = compareWithGuide(sampleAdvice(), guide, errata);
    expect(comparison.rows.map(({ id, computed, agrees }) => [id, computed, agrees])).toEqual([
      ["/customerId", "best", true],
      ["/orderId", "workable", false],
      ["fleet", "bad", false],
      ["/nowhere", undefined, false],
    ]);
    expect(comparison).toMatchObject({ bestComputed: "/customerId", agrees: false });
    const text = guideText(comparison, undefined);
    expect(text).toMatch(/\/customerId +★ best or △ conditional +★ best +agrees/);
    expect(text).toMatch(/\/orderId +✕ bad +✓ workable +differs/);
    expect(text).toMatch(/fleet +✕ bad +✕ bad +not found: mutable/);
    expect(text).toContain("  • /orderId: Nothing is read together.\n");
    expect(text).toContain("The guides find /customerId best, the calculation /customerId.");
    expect(text).toContain("  • The guide takes a GB for 1,000 MB.");
  });

  test("the best of a guide's keys need not be the best there is", () => {
    const narrow = { ...guide, best: ["/orderId"], verdicts: verdicts(["/orderId", "best", ""]) };
    expect(compareWithGuide(sampleAdvice(), narrow, [])).toMatchObject({
      bestComputed: "/orderId",
      agrees: true,
    });
  });

  test("none is best where all are bad", () => {
    const bad = { ...guide, best: [], verdicts: verdicts(["fleet", "bad", ""]) };
    const comparison = compareWithGuide(sampleAdvice(), bad, []);
    expect(comparison).toMatchObject({ bestComputed: undefined, agrees: true });
  });
});

test("what hides is shown as its escape", () => {
  expect(visible("a\u001b[2J\u202eb\u2028")).toBe("a\\u001b[2J\\u{202e}b\\u{2028}");
});
