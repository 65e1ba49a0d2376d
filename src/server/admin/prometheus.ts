/**
 * The text format of Prometheus, version 0.0.4: families of samples, each with a line of help and
 * one of type, samples of a family together. Knows nothing of what is measured.
 *
 * A family without samples is left out, and so is a sample without a value: nothing is not zero.
 */
export interface Family {
  readonly name: string;
  /** Counters only grow; by custom their names end in `_total`. */
  readonly type: "counter" | "gauge";
  readonly help: string;
  readonly samples: readonly MetricSample[];
}

export interface MetricSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number | undefined;
}

export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export function prometheusText(families: readonly Family[]): string {
  return families.map(familyText).join("");
}

function familyText({ name, type, help, samples }: Family): string {
  const lines = samples.flatMap(({ labels, value }) =>
    value === undefined ? [] : [`${name}${labelText(labels)} ${numberText(value)}\n`],
  );
  if (lines.length === 0) return "";
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

/** As Go reads floats, with its own words for what is no number. */
function numberText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  return String(value);
}
