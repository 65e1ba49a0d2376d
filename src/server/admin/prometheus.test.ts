/**
 * What Prometheus is told, read back by a strict reader of its text format: every line is of a
 * known form, a family is introduced before its samples and stays together, no series comes twice.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { familiesOf } from "./metrics.ts";
import { processFigures } from "./processFigures.ts";
import { prometheusText } from "./prometheus.ts";
import { simulatedSurface } from "./simulatedSurface.fake.ts";

interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface ReadFamily {
  readonly help: string;
  readonly type: string;
  readonly samples: ReadSample[];
}

/** Throws at the first line that is not as the format wants it. */
function read(text: string): ReadonlyMap<string, ReadFamily> {
  const families = new Map<string, ReadFamily>();
  const series = new Set<string>();
  expect(text.endsWith("\n")).toBe(true);
  const lines = text.slice(0, -1).split("\n");
  let current = "";
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const help = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) ((?:[^\\]|\\\\|\\n)*)$/.exec(line);
    if (help !== null) {
      const type = /^# TYPE (\S+) (counter|gauge)$/.exec(lines[++at] ?? "");
      if (type?.[1] !== help[1]) throw new Error(`no type after: ${line}`);
      current = help[1]!;
      if (families.has(current)) throw new Error(`twice: ${current}`);
      families.set(current, { help: unescaped(help[2]!), type: type![2]!, samples: [] });
      continue;
    }
    const sample = readSample(line);
    if (sample.name !== current) throw new Error(`not of ${current}: ${line}`);
    const key = line.slice(0, line.lastIndexOf(" "));
    if (series.has(key)) throw new Error(`twice: ${key}`);
    series.add(key);
    families.get(current)!.samples.push(sample);
  }
  return families;
}

function readSample(line: string): ReadSample {
  const whole = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/s.exec(line);
  if (whole === null) throw new Error(`no sample: ${line}`);
  const [, name, pairs = "", number] = whole;
  if (!/^([+-]?\d+(\.\d+)?(e[+-]?\d+)?|NaN|[+-]Inf)$/.test(number!)) {
    throw new Error(`no number: ${number}`);
  }
  const value = Number(number!.replace("Inf", "Infinity"));
  return { name: name!, labels: readLabels(pairs), value };
}

function readLabels(pairs: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  const pair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,(?=.)|$)/sy;
  while (pair.lastIndex < pairs.length) {
    const match = pair.exec(pairs);
    if (match === null) throw new Error(`no labels: ${pairs}`);
    labels[match[1]!] = unescaped(match[2]!);
  }
  return labels;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, unit: string) => (unit === "n" ? "\n" : unit));
}

describe("the text format", () => {
  test("introduces a family and writes its samples", () => {
    const samples = [
      { labels: {}, value: 1 },
      { labels: { a: "x", b: 'q"\\\n' }, value: 0.5 },
    ];
    expect(prometheusText([{ name: "f_total", type: "counter", help: "a\\b\nc", samples }])).toBe(
      "# HELP f_total a\\\\b\\nc\n# TYPE f_total counter\n" +
        'f_total 1\nf_total{a="x",b="q\\"\\\\\\n"} 0.5\n',
    );
  });

  test("leaves out what has no value, and families of nothing", () => {
    const family = { type: "gauge", help: "h" } as const;
    const samples = [{ labels: {}, value: undefined }];
    expect(
      prometheusText([
        { ...family, name: "a", samples },
        { ...family, name: "b", samples: [] },
      ]),
    ).toBe("");
  });

  test.each([
    [Number.POSITIVE_INFINITY, "+Inf"],
    [Number.NEGATIVE_INFINITY, "-Inf"],
    [Number.NaN, "NaN"],
    [1e21, "1e+21"],
    [1e-9, "1e-9"],
  ])("writes %d as %s", (value, text) => {
    const samples = [{ labels: {}, value }];
    expect(prometheusText([{ name: "a", type: "gauge", help: "h", samples }])).toContain(
      `\na ${text}\n`,
    );
  });

  test("gives back any label and any number", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.double(), (label, value) => {
        const samples = [{ labels: { l: label }, value }];
        const text = prometheusText([{ name: "a", type: "gauge", help: label, samples }]);
        const family = read(text).get("a")!;
        expect(family.help).toBe(label);
        expect(family.samples).toEqual([{ name: "a", labels: { l: label }, value: value + 0 }]);
      }),
    );
  });

  test("is told from a broken one by this reader", () => {
    const head = "# HELP a h\n# TYPE a gauge\n";
    for (const bad of ["b 1", "a  1", "a 1,5", 'a{x="y} 1', 'a{x="1",} 1', "", "a 0x1"]) {
      expect(() => read(`${head}${bad}\n`), bad).toThrow();
    }
    expect(() => read(`${head}a 1\na 1\n`)).toThrow("twice");
    expect(() => read("a 1\n")).toThrow("not of");
    expect(() => read("# HELP a h\na 1\n")).toThrow("no type");
  });
});

describe("the metrics", () => {
  const name = { database: 'a"b', container: "c\\d\ne" };
  const measure = async (): Promise<ReadonlyMap<string, ReadFamily>> =>
    read(
      prometheusText(
        familiesOf({
          copies: [],
          lifecycles: [],
          wallNow: 0,
          archives: [],
          archiveJobs: [],
          containers: await simulatedSurface(name).counters(),
          process: processFigures(),
          version: "1.2.3",
          statusCounts: new Map([
            [429, 3],
            [200, 9],
          ]),
        }),
      ),
    );

  test("have a series for each physical partition, under its names", async () => {
    const { samples } = (await measure()).get("orrery_partition_items")!;
    expect(samples.map(({ labels, value }) => [labels, value])).toEqual([
      [{ ...name, partition: "0" }, 100_000],
      [{ ...name, partition: "1" }, 200_000],
      [{ ...name, partition: "2" }, 300_000],
    ]);
  });

  test("count requests by kind", async () => {
    const { samples } = (await measure()).get("orrery_partition_requests_total")!;
    const ofFirst = samples.filter(({ labels }) => labels["partition"] === "0");
    expect(ofFirst.map(({ labels, value }) => [labels["kind"], value])).toEqual([
      ["read", 5],
      ["write", 3],
      ["query", 2],
      ["feed", 0],
    ]);
  });

  test("leave out a figure that nobody has", async () => {
    const { samples } = (await measure()).get("orrery_container_gini")!;
    expect(samples.map(({ labels, value }) => [labels["of"], value])).toEqual([["bytes", 0.25]]);
  });

  test("count answers by status", async () => {
    const { samples } = (await measure()).get("orrery_responses_total")!;
    expect(samples.map(({ labels, value }) => [labels["status"], value])).toEqual([
      ["200", 9],
      ["429", 3],
    ]);
  });

  test("are called counters exactly when their names say so", async () => {
    for (const [family, { type, help }] of await measure()) {
      expect([family, type === "counter"]).toEqual([family, family.endsWith("_total")]);
      expect(help).toMatch(/\.$/);
    }
  });

  test("name no logical partition", async () => {
    const known = ["database", "container", "partition", "kind", "of", "status", "version"];
    for (const { samples } of (await measure()).values()) {
      for (const { labels } of samples) {
        expect(Object.keys(labels).filter((label) => !known.includes(label))).toEqual([]);
      }
    }
  });

  test("say how the process does", async () => {
    const families = await measure();
    for (const figure of ["process_resident_memory_bytes", "orrery_uptime_seconds"]) {
      expect(families.get(figure)!.samples[0]!.value).toBeGreaterThan(0);
    }
    const active = families.get("orrery_event_loop_active_seconds_total")!.samples[0]!.value;
    expect(active).toBeLessThanOrEqual(families.get("orrery_uptime_seconds")!.samples[0]!.value);
  });
});
