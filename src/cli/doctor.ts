/** `orrery doctor`: finds out whether a server can run on a database, and what is in the way. */
import { parseArgs } from "node:util";
import { BadOption } from "../server/surroundings/options.ts";
import { realClock, realRandom, realTimer } from "../server/surroundings/realWorld.ts";
import { storeComplaint, storePlace, storeUrls } from "../server/surroundings/storeOption.ts";
import { examined } from "../store/doctor/examination.ts";
import type { TrialFinding, TrialVerdict } from "../store/doctor/finding.ts";
import { reasonOf } from "../store/faults.ts";
import type { Environment } from "./connect/serverOptions.ts";
import { CommandFailure } from "./terminal/failure.ts";
import { Interruption } from "./terminal/interruption.ts";
import type { Section, Tone } from "./terminal/liveTable.ts";
import { LiveTable } from "./terminal/liveTable.ts";
import { ProgressLine } from "./terminal/progressLine.ts";

export const DOCTOR_HELP: string = `usage: orrery doctor --store <url> [options]

Asks a PostgreSQL, or an engine that speaks its protocol, for everything that a server needs of it:
what it is and how it is set up, each promise of the store, and a short run in which connections are
cut and transactions collide. It works in a schema of its own, orrery_doctor_…, which it removes;
what the database holds otherwise is left alone. It takes less than a minute on a near database.

  --store <url>            the database: postgres://user@host:5432/database; with a password better
                           in ORRERY_STORE
  --json                   the findings as one line of JSON
  --help                   this text

Ends with 0 when a server can run there, with 1 when it must not, with 2 when the database cannot be
reached or an option makes no sense.
`;

export async function runDoctor(args: string[], environment: Environment): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      store: { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    process.stdout.write(DOCTOR_HELP);
    return;
  }
  const url = values.store ?? (environment["ORRERY_STORE"] || undefined);
  if (url === undefined) throw new BadOption("Name the database with --store, or in ORRERY_STORE.");
  const complaint = storeComplaint({ store: url });
  if (complaint !== undefined) throw new BadOption(complaint);
  if (storeUrls(url).length > 1) throw new BadOption("Examine one database at a time.");
  const findings = await findingsOn(url, environment);
  const isFit = findings.every(({ verdict }) => verdict !== "broken");
  if (values.json === true) {
    process.stdout.write(`${JSON.stringify({ store: storePlace(url), isFit, findings })}\n`);
  } else {
    new LiveTable(process.stdout, environment).print(sectionsOf(findings, storePlace(url)));
  }
  if (!isFit) process.exitCode = 1;
}

async function findingsOn(url: string, environment: Environment): Promise<readonly TrialFinding[]> {
  const progress = new ProgressLine(environment);
  const interruption = new Interruption();
  try {
    const findings = await examined({
      url,
      clock: realClock,
      timer: realTimer,
      random: realRandom,
      onTrial: (promise, index, count) => progress.show(() => `${index + 1}/${count} ${promise}`),
      isStopped: () => interruption.isOver,
    });
    if (interruption.isOver) throw new CommandFailure("Interrupted; the schema was removed.");
    return findings;
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
    throw new BadOption(`The database ${storePlace(url)} cannot be used: ${reasonOf(first)}`, {
      cause: error,
    });
  } finally {
    interruption.close();
    progress.clear();
  }
}

const TONES: Readonly<Record<TrialVerdict, Tone | undefined>> = {
  held: undefined,
  note: "warning",
  broken: "alarm",
};

function sectionsOf(findings: readonly TrialFinding[], place: string): readonly Section[] {
  const width = Math.max(...findings.map(({ promise }) => promise.length));
  const rows = findings.flatMap(({ verdict, promise, seen, meaning, advice }): Section[] => {
    const line = `${verdict.padEnd(8)}${promise.padEnd(width)}  ${seen ?? ""}`.trimEnd();
    const below = [`        ${meaning}`, ...(advice ? [`        do: ${advice}`] : [])];
    return [
      { kind: "lines", lines: [line], tone: TONES[verdict] },
      { kind: "lines", lines: below, tone: "faint" },
    ];
  });
  return [...rows, { kind: "lines", lines: ["", verdictText(findings, place)], tone: "strong" }];
}

function verdictText(findings: readonly TrialFinding[], place: string): string {
  const count = (verdict: TrialVerdict): number =>
    findings.filter((finding) => finding.verdict === verdict).length;
  const broken = count("broken");
  if (broken > 0) {
    const promises = broken === 1 ? "promise is" : "promises are";
    return `A server must not run on ${place}: ${broken} ${promises} not held.`;
  }
  const notes = count("note");
  const known = notes === 0 ? "" : ` ${notes} to know of, marked "note".`;
  return `A server can run on ${place}: ${count("held")} promises are held.${known}`;
}
