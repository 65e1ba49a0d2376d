/**
 * A run of the driver under strace, and the disks that power cuts at points of it would have left:
 * each is opened and judged by what the ledger had promised by then.
 */
import { spawn } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { seededRandom } from "../../src/base/world.ts";
import type { Courtroom } from "./courtroom.ts";
import type { LedgerLine } from "./ledger.ts";
import { Ledger } from "./ledger.ts";
import type { CallEvent } from "./systemCalls.ts";
import { CallReader, TRACED } from "./systemCalls.ts";
import { TracedDisk } from "./tracedDisk.ts";

export interface TracedRun {
  /** The directory that was empty at the start; the data directory is made in it. */
  readonly root: string;
  readonly data: string;
  readonly ledger: string;
  readonly events: readonly CallEvent[];
}

interface CutReport {
  readonly cutCount: number;
  /** Cuts that found something written and not durable. */
  readonly uncertainCount: number;
  /** What was promised by the time of the last cut. */
  readonly acknowledgedCount: number;
  readonly violation: string | undefined;
}

/** Runs the driver of `programs` and reads what it did. */
export async function traceDriver(
  programs: string,
  seed: number,
  writeCount: number,
): Promise<TracedRun> {
  const folder = await mkdtemp(join(tmpdir(), "orrery-trace-"));
  const root = join(folder, "disk");
  const [data, ledger, trace] = [join(root, "data"), join(folder, "ledger"), join(folder, "trace")];
  await mkdir(root);
  try {
    const driver = [join(programs, "driver.mjs"), data, ledger, String(seed), String(writeCount)];
    await strace(trace, [process.execPath, ...driver]);
    const events: CallEvent[] = [];
    const reader = new CallReader();
    const lines = createInterface({
      input: createReadStream(trace, "latin1"),
      crlfDelay: Infinity,
    });
    for await (const line of lines) events.push(...reader.read(line).filter(isAbout(folder)));
    return { root, data, ledger, events };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What happens elsewhere would only take memory. */
function isAbout(folder: string): (event: CallEvent) => boolean {
  return ({ call }) => {
    if (call.kind === "close" || call.kind === "seek") return true;
    // Descriptors are numbers that are used again.
    if (call.kind === "open") return true;
    return ("path" in call ? call.path : call.to).startsWith(folder);
  };
}

function strace(trace: string, command: readonly string[]): Promise<void> {
  const options = [
    "-f",
    "-y",
    "-xx",
    "-s",
    "100000000",
    "-o",
    trace,
    "-e",
    `trace=${TRACED.join()}`,
  ];
  const child = spawn("strace", [...options, ...command], { stdio: ["ignore", "ignore", "pipe"] });
  let complaints = "";
  child.stderr.on("data", (bytes: Buffer) => {
    complaints += bytes.toString();
  });
  return new Promise((resolve, reject) => {
    child.once("error", () =>
      reject(new Error("These power cuts need strace; install it with `apt-get install strace`.")),
    );
    child.once("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`the driver ended with ${code}: ${complaints}`));
    });
  });
}

interface CutPlan {
  readonly seed: number;
  readonly cutCount: number;
  /** Whether only the first calls are cut, those that make the directory, and each of them. */
  readonly isOfMaking?: boolean;
}

/** Cuts the power at `cutCount` points of a run, and stops at the first that breaks a promise. */
export async function cutRun(
  run: TracedRun,
  courtroom: Courtroom,
  { seed, cutCount, isOfMaking = false }: CutPlan,
): Promise<CutReport> {
  const random = seededRandom(seed);
  const all = pointsOf(run);
  const points = isOfMaking
    ? Array.from({ length: cutCount }, (_, index) => all[Math.floor(index / CUTS_OF_MAKING)]!)
    : someOf(all, cutCount, () => random.next());
  const disk = new TracedDisk(run.root, (path) => path.endsWith("/lock.mdb"));
  const ledger = new Ledger();
  let [reached, uncertainCount] = [0, 0];
  for (const [index, point] of points.entries()) {
    for (; reached <= point; reached++) {
      const event = run.events[reached]!;
      noteIn(ledger, run, event);
      disk.apply(event);
    }
    if (disk.pendingBytes > 0) uncertainCount++;
    const problem = await courtroom.problemOf(
      disk.afterCut(random),
      run.data,
      ledger.expectation(),
    );
    if (problem !== undefined) {
      const violation = `seed ${seed}, after event ${point} of ${run.events.length}: ${problem}`;
      const { acknowledgedCount } = ledger;
      return { cutCount: index + 1, uncertainCount, acknowledgedCount, violation };
    }
  }
  const { acknowledgedCount } = ledger;
  return { cutCount, uncertainCount, acknowledgedCount, violation: undefined };
}

/** So many different disks after each call. */
const CUTS_OF_MAKING = 5;

/** Where something happened to the disk. */
function pointsOf(run: TracedRun): readonly number[] {
  const isOfDisk = ({ call }: CallEvent): boolean =>
    !["open", "close", "seek", "map"].includes(call.kind) &&
    ("path" in call ? call.path : "to" in call ? call.to : "").startsWith(`${run.root}/`);
  return run.events.flatMap((event, index) => (isOfDisk(event) ? [index] : []));
}

/** In order, none twice. */
function someOf(points: readonly number[], count: number, chance: () => number): readonly number[] {
  const chosen = new Set<number>();
  while (chosen.size < Math.min(count, points.length)) {
    chosen.add(points[Math.floor(chance() * points.length)]!);
  }
  return [...chosen].sort((one, other) => one - other);
}

/** A promise is given when its line is about to be written. */
function noteIn(ledger: Ledger, run: TracedRun, { call, phase }: CallEvent): void {
  if (call.kind !== "write" || phase !== "start" || call.path !== run.ledger) return;
  for (const text of call.bytes.toString().split("\n")) {
    if (text !== "") ledger.read(JSON.parse(text) as LedgerLine);
  }
}
