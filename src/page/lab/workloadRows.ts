/**
 * A workload as a form: rows such as "point read by /orderId, 300 a second", and what a container
 * grows by. The form writes YAML, which is then the one truth: it can be edited, and is what runs.
 */
type RowKind = "create" | "upsert" | "patch" | "delete" | "pointRead" | "query";

export const ROW_KINDS: readonly { readonly value: RowKind; readonly word: string }[] = [
  { value: "create", word: "create" },
  { value: "upsert", word: "upsert" },
  { value: "patch", word: "patch" },
  { value: "delete", word: "delete" },
  { value: "pointRead", word: "point read" },
  { value: "query", word: "query" },
];

export interface WorkloadRow {
  readonly kind: RowKind;
  /** What it asks for: a path such as `/orderId`, or the text of a query. */
  readonly by: string;
  /** A number a second, or a text such as `5/min`. */
  readonly rate: string;
}

export interface WorkloadSheet {
  readonly name: string;
  /** Each as typed; empty: not said. */
  readonly itemsPerDay: string;
  readonly retention: string;
  readonly peakFactor: string;
  readonly perMonth: string;
  readonly rows: readonly WorkloadRow[];
}

export const USUAL_SHEET: WorkloadSheet = {
  name: "my-container",
  itemsPerDay: "",
  retention: "",
  peakFactor: "2",
  perMonth: "0",
  rows: [
    { kind: "create", by: "", rate: "10" },
    { kind: "pointRead", by: "", rate: "50" },
    { kind: "query", by: "SELECT * FROM c WHERE c.customerId = @customerId", rate: "5" },
  ],
};

/** The file. Texts are written as JSON, which YAML takes, so that none can be anything else. */
export function workloadYaml(sheet: WorkloadSheet): string {
  const growth = [
    ["itemsPerDay", sheet.itemsPerDay],
    ["retentionDays", sheet.retention],
    ["peakFactor", sheet.peakFactor],
    ["perMonth", sheet.perMonth],
  ].filter(([, value]) => value!.trim() !== "");
  const lines = [
    `name: ${scalar(sheet.name)}`,
    ...(growth.length === 0
      ? []
      : ["growth:", ...growth.map(([name, value]) => `  ${name}: ${scalar(value!)}`)]),
    "operations:",
    ...sheet.rows.flatMap(rowLines),
  ];
  return `${lines.join("\n")}\n`;
}

function rowLines({ kind, by, rate }: WorkloadRow, at: number): readonly string[] {
  const asked = by.trim();
  return [
    `  - id: ${scalar(`${kind}-${at + 1}`)}`,
    `    kind: ${kind}`,
    `    rate: ${scalar(rate.trim() === "" ? "0" : rate)}`,
    ...(asked === "" ? [] : [byLine(kind, asked)]),
  ];
}

/** A path is what the caller knows, what an update changes, or what a query without a text asks. */
function byLine(kind: RowKind, by: string): string {
  if (kind === "query") {
    return by.startsWith("/") ? `    equalityFilters: ${list(by)}` : `    sql: ${scalar(by)}`;
  }
  return kind === "patch" ? `    changes: ${list(by)}` : `    knows: ${list(by)}`;
}

function list(paths: string): string {
  return JSON.stringify(paths.split(",").map((path) => path.trim()));
}

function scalar(text: string): string {
  const trimmed = text.trim();
  return /^\d+(\.\d+)?$/.test(trimmed) ? trimmed : JSON.stringify(trimmed);
}

/** The help for what a row asks for. */
export function byHelp(kind: RowKind): string {
  if (kind === "query") return "its text, or the paths it filters by";
  if (kind === "patch") return "the paths it changes";
  return "the paths that the caller knows; empty: all that the key needs";
}
