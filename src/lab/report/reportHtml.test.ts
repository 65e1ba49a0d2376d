/** The page: complete in itself, sound as HTML, and proof against whatever stands in the data. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { scaleLimits } from "../../model/scaledLimits.ts";
import type { Advice, CandidateAdvice } from "../advise/advice.ts";
import { linearAxis, logAxis, spanAxis } from "../drawing/axis.ts";
import { risingCurve } from "../drawing/keyCharts.ts";
import type { GuideComparison } from "./guide.ts";
import { html } from "./html/markup.ts";
import { adviceHtml } from "./html.ts";
import { sampleAdvice } from "./reportSample.fake.ts";

const VOID = ["meta", "input"];

/** The tags in order, with what closes what checked on the way. */
function tagsOf(page: string): readonly string[] {
  const tags: string[] = [];
  const open: string[] = [];
  for (const [whole, slash, name] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)[^<>]*>/g)) {
    tags.push(slash! + name!);
    if (slash === "/") expect(open.pop()).toBe(name);
    else if (!whole.endsWith("/>") && !VOID.includes(name!)) open.push(name!);
  }
  expect(open).toEqual([]);
  return tags;
}

function withText(text: string): Advice {
  const advice = sampleAdvice({ candidateCount: 3, partitionCount: 2, label: text });
  const candidates = advice.candidates.map((candidate): CandidateAdvice => {
    const { simulation } = candidate;
    return {
      ...candidate,
      expression: `/${text}${candidate.rank}`,
      merits: [text],
      simulation: {
        ...simulation,
        candidate: { ...simulation.candidate, id: `id ${text}` },
        operations: simulation.operations.map((one) => ({ ...one, id: one.id + text })),
        partitions: simulation.partitions.map((one) => ({ ...one, id: one.id + text })),
        brokenTransactions: [text],
        cost: { ...simulation.cost, serverlessProblem: text },
      },
    };
  });
  return {
    ...advice,
    workload: text,
    title: `title ${text}`,
    candidates,
    best: candidates[0],
    summary: [text],
    sensitivities: [{ change: text, best: text, sentence: text }],
    alternatives: [{ kind: "no-change", sentence: text }],
    measureNext: text,
    remarks: [text],
  };
}

function guideWith(text: string): GuideComparison {
  return {
    sentence: text,
    isOfGuides: true,
    bestSaid: [text],
    bestComputed: text,
    agrees: false,
    rows: [
      {
        id: text,
        accepted: ["best"],
        isGiven: true,
        says: text,
        computed: "bad",
        missing: [],
        agrees: false,
      },
    ],
    errata: [text],
  };
}

describe("the page", () => {
  const page = adviceHtml(sampleAdvice({ candidateCount: 30, partitionCount: 600 }));

  test("needs nothing from outside and runs nothing", () => {
    expect(page).not.toMatch(
      /<script|<link|<img|<iframe|src=|\bon[a-z]+=|https?:|@import|url\((?!#)/,
    );
    expect(page).toContain("default-src 'none'");
  });

  test("is sound: tags are balanced, ids differ, no number is missing", () => {
    tagsOf(page);
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
    expect(page).not.toMatch(/NaN|undefined|Infinity|\[object/);
  });

  test("every drawing says in words what it shows", () => {
    const drawings = [...page.matchAll(/<svg viewBox[^>]*>/g)].map(([tag]) => tag);
    expect(drawings).toHaveLength(30 * 6 + 1);
    for (const tag of drawings) expect(tag).toMatch(/role="img" aria-label="[^"]{20,}"/);
  });

  test("has every candidate, and folds those behind the first", () => {
    expect(page.match(/<article class="card"/g)).toHaveLength(30);
    const folded = page.slice(page.indexOf('<details class="rest">'));
    expect(folded.match(/<article class="card"/g)).toHaveLength(22);
    expect(adviceHtml(sampleAdvice(), {})).not.toContain('class="rest"');
  });

  test("hundreds of partitions are put together, and it says so", () => {
    const [card] = page.split("<article")[1]!.split("</article>");
    expect(card!.match(/<rect class="bar/g)!.length).toBe(120);
    expect(card).toContain("Each bar is the fullest of 10 neighbours.");
    expect(card).toContain("Each row is the hottest of 10 neighbours.");
    expect(card).toContain("partitions 590 to 599");
  });

  test("stays small", () => {
    expect(page.length).toBeLessThan(2_500_000);
  });

  test("the same advice gives the same page", () => {
    expect(adviceHtml(sampleAdvice())).toBe(adviceHtml(sampleAdvice()));
  });

  test("tables have headers, for rows and for columns", () => {
    const tables = page.split("<table").slice(1);
    for (const table of tables) {
      expect(table).toContain('<th scope="col"');
      expect(table).toContain('<th scope="row"');
    }
  });

  test("limits are those of the simulation", () => {
    const scaled = adviceHtml(sampleAdvice(), { limits: scaleLimits(SERVICE_LIMITS, 1 / 1024) });
    expect(scaled).toContain(">50 MB</text>");
    expect(scaled).toContain(">20 MB</text>");
    expect(page).toContain(">50 GB</text>");
    expect(page).toContain(">15 GB</text>");
  });

  test.each([
    ["no candidates", { candidateCount: 1, partitionCount: 1, monthCount: 0 }],
    ["one partition", { candidateCount: 2, partitionCount: 1 }],
    ["sixty-one", { candidateCount: 2, partitionCount: 61 }],
  ])("edges: %s", (_, shape) => {
    const sample = sampleAdvice(shape);
    for (const advice of [sample, { ...sample, candidates: [], best: undefined }]) {
      const edge = adviceHtml(advice);
      tagsOf(edge);
      expect(edge).not.toMatch(/NaN|undefined|Infinity/);
    }
  });

  test("says so when no key is good enough", () => {
    expect(adviceHtml({ ...sampleAdvice(), best: undefined })).toContain(
      "No candidate is good enough",
    );
  });
});

describe("whatever stands in the data is text", () => {
  const pageWith = (text: string): string =>
    adviceHtml(withText(text), { guide: guideWith(text), current: text });
  const plain = tagsOf(pageWith("x"));

  test.each([
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'></style><svg onload=alert(1)>",
    "</title><script>",
    "&lt;script&gt;",
    "javascript:alert(1)",
  ])("%s", (text) => {
    const page = pageWith(text);
    expect(tagsOf(page)).toEqual(plain);
    expect(page).not.toMatch(/<script|<img|<svg onload/);
  });

  test("any text at all: the page has the same tags", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }), (text) => {
        expect(tagsOf(pageWith(text))).toEqual(plain);
      }),
      { numRuns: 40 },
    );
  });

  test("an object that looks like markup is none", () => {
    const forged = JSON.parse('{"html":"<script>"}');
    expect(html`<p>${forged}</p>`.html).toBe("<p>[object Object]</p>");
  });
});

describe("axes", () => {
  test("a linear one has round ticks and ends at its largest amount", () => {
    expect(linearAxis(47).ticks).toEqual([0, 20, 40]);
    expect(linearAxis(47).at(47)).toBe(1);
    expect(linearAxis(47).at(470)).toBe(1);
    expect(linearAxis(0).at(0)).toBe(0);
  });

  test("one for dots begins where they do", () => {
    expect(spanAxis(470, 700).ticks).toEqual([500, 600, 700]);
    expect(spanAxis(470, 700).at(470)).toBeCloseTo(0.115, 2);
    expect(spanAxis(1, 1).at(1)).toBeCloseTo(0.5);
  });

  test("one by powers has a tick at each", () => {
    expect(logAxis(1, 1000).ticks).toEqual([1, 10, 100, 1000].map((tick) => expect.closeTo(tick)));
    expect(logAxis(1, 1000).at(10)).toBeCloseTo(1 / 3);
    expect(logAxis(1, 1000).at(0)).toBe(0);
  });

  test("a Lorenz curve begins with the smallest keys, however it was given", () => {
    const rising = [
      [0, 0],
      [0.5, 0.1],
      [1, 1],
    ] as const;
    const falling = [
      [0.5, 0.9],
      [1, 1],
    ] as const;
    expect(risingCurve(rising)).toEqual(rising);
    expect(risingCurve(falling).map(([, bytes]) => bytes)).toEqual([0, expect.closeTo(0.1), 1]);
  });
});
