/**
 * The first phase of a copy job: a look at all items, the plan that follows from it, the target.
 * Nothing is written to the target before the plan has no obstacle.
 */

import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { lsn, millis } from "../../base/units.ts";
import { counted } from "../../base/wording.ts";
import type { CopyPlan } from "../../model/copyJob.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Throughput } from "../../model/throughput.ts";
import { WHOLE_RANGE } from "../../partition/epkRange.ts";
import type { JobStep } from "../jobs/job.ts";
import { AGAIN, DONE, WAITS } from "../jobs/job.ts";
import type { Container } from "../partition/container.ts";
import { targetProblem } from "./acceptance.ts";
import type { CopyRecord, CopyRequest } from "./copyRecord.ts";
import { storedPositions } from "./copyRecord.ts";
import type { CopyRun } from "./copyRun.ts";
import type { CopySurvey } from "./copySurvey.ts";
import { survey } from "./copySurvey.ts";
import {
  askedThroughput,
  contentTerms,
  ordinalsFor,
  ordinalsUsed,
  plannedContainer,
  targetDefinition,
} from "./copyTerms.ts";
import { forthMapping } from "./itemMapping.ts";
import { countOf, headsOf, Positions } from "./positions.ts";

const PAUSE_MS_MAX = 100;

export async function prepareCopy(run: CopyRun, isStopped: () => boolean): Promise<JobStep<void>> {
  const { record } = run;
  const plan = record.plan ?? (await planOf(run, isStopped));
  if (plan === undefined) return WAITS;
  run.change({ plan });
  if (record.request.isDryRun) {
    await run.end("planned");
    return DONE;
  }
  const [obstacle] = plan.obstacles;
  if (obstacle !== undefined) {
    await run.end("failed", obstacle);
    return DONE;
  }
  const made = await makeTarget(run);
  if (!made.ok) {
    await run.end("failed", textOf(made.error));
    return DONE;
  }
  closeWhileFilled(run.id, made.value);
  run.begin(made.value);
  return AGAIN;
}

/** Nobody but the job writes to a target: what it has is what the source has, and nothing else. */
export function closeWhileFilled(jobId: string, target: Container): void {
  const message =
    `The container is being filled by the copy job ${jobId}. Clients may write to it after the ` +
    "cut-over, or when the job has ended.";
  target.closeToClients({ refusal: { kind: "forbidden", message } });
}

async function planOf(run: CopyRun, isStopped: () => boolean): Promise<CopyPlan | undefined> {
  const { source, record } = run;
  const { request } = record;
  const { limits } = run.setting;
  const definition = targetDefinition(request, source, limits);
  const terms = contentTerms(request, source);
  // What was asked for was read when the job was accepted.
  if (!definition.ok || !terms.ok) return undefined;
  const { database, container } = request.target;
  const present = run.setting.catalog.container(database, container);
  const target = present ?? plannedContainer(source, definition.value);
  const ordinals = { ordinalShift: 0, ordinalCount: ordinalsFor(source) };
  const mapping = forthMapping(run.setting, target, { ...terms.value, ...ordinals });
  const found = await survey(run.setting, {
    source,
    target,
    isTargetThere: present !== undefined,
    mapping,
    isStopped: () => isStopped() || run.isAtRest || run.record.phase !== "preparing",
    onLooked: (share) => {
      run.lookedShare = share;
    },
    pace: async (partition, readRu) => {
      run.pace.spend(partition, readRu);
      run.movedAt = run.setting.clock.wallNow();
      for (;;) {
        const ms = run.pace.waitFor(source.partitions.values());
        if (ms <= 0 || isStopped() || run.isAtRest) return;
        await new Promise<void>((resolve) =>
          run.setting.timer.after(millis(Math.min(Math.ceil(ms), PAUSE_MS_MAX)), resolve),
        );
      }
    },
  });
  return found && completePlan(run, found, present !== undefined);
}

function completePlan(run: CopyRun, found: CopySurvey, isTargetThere: boolean): CopyPlan {
  const { request } = run.record;
  return {
    ...found,
    seconds: secondsFor(run, found),
    steps: stepsOf(request, found, isTargetThere),
    obstacles: obstaclesOf(request, found),
  };
}

/** At the share that is set, by whichever side is slower; nothing where no rate limits it. */
function secondsFor({ source, setting, pace }: CopyRun, { price }: CopySurvey): number | undefined {
  if (setting.rates?.isLimited !== true) return undefined;
  const rate = [...source.partitions.values()].reduce(
    (sum, { spending }) => sum + spending.purse.ratePerSecond,
    0,
  );
  const share = (rate * pace.sharePercent) / 100;
  return Math.max(price.readRu, price.writeRu) / Math.max(1, share);
}

function stepsOf(
  request: CopyRequest,
  { copiedCount }: CopySurvey,
  isTargetThere: boolean,
): readonly string[] {
  const { source, target } = request;
  const name = `${target.database}/${target.container}`;
  const from = `${source.database}/${source.container}`;
  const first = isTargetThere ? `take ${name} as it is, with its items` : `make ${name}`;
  const steps = [first, `copy ${counted(copiedCount, "item")} from ${from}`];
  if (request.mode === "offline") return [...steps, "apply what changed meanwhile, and end"];
  return [
    ...steps,
    "apply what changed meanwhile, and go on with that",
    "verify that both are the same",
    request.switchBy === "names"
      ? `hold the writes to ${from} for a moment, apply the last ones, give its name to the copy`
      : `hold the writes to ${from} for a moment, apply the last ones, and refuse further ones`,
    "keep the old container up to date, until the job is completed or reverted",
  ];
}

function obstaclesOf(request: CopyRequest, found: CopySurvey): readonly string[] {
  const obstacles: string[] = [];
  const setAside = { count: 0 };
  const judge = (count: number, isStopping: boolean, text: string): void => {
    if (count === 0) return;
    if (isStopping) obstacles.push(text);
    else setAside.count += count;
  };
  const { clashCount, missingKeyCount, unfitCount, fullKeys } = found;
  judge(
    clashCount,
    request.onClash === "stop",
    `${havingText(clashCount)} the new key and the id of another one, such as ` +
      `'${found.clashes[0]?.id}'. Choose another key, or set them aside (onClash: setAside, ` +
      "--on-clash set-aside).",
  );
  judge(
    missingKeyCount,
    request.onMissingKey === "stop",
    `${havingText(missingKeyCount)} no value for the new key, such as ` +
      `'${found.missingKeys[0]?.id}'. Give them one (coalesce), set them aside, or copy them ` +
      "under no key (onMissingKey: setAside or none, --on-missing-key set-aside or none).",
  );
  judge(
    unfitCount,
    request.onRefused === "stop",
    `${counted(unfitCount, "item")} cannot be copied, such as '${found.unfit[0]?.id}': ` +
      `${found.unfit[0]?.reason} They can be set aside (onRefused: setAside, --on-refused ` +
      "set-aside).",
  );
  judge(
    fullKeys.length,
    request.onRefused === "stop",
    `The logical partition ${JSON.stringify(fullKeys[0]?.newKey)} would have ` +
      `${fullKeys[0]?.bytes} bytes, more than one may. Choose a key with more values, or set ` +
      "aside what is too much (onRefused: setAside, --on-refused set-aside).",
  );
  if (setAside.count > request.setAsideMax) {
    const [example] = [...found.clashes, ...found.missingKeys, ...found.unfit];
    const reason = example?.reason ?? "no value for the key";
    const such = example === undefined ? "" : `, such as '${example.id}' (${reason})`;
    const items = counted(setAside.count, "item");
    obstacles.push(
      `${items} would be set aside${such}, and ${request.setAsideMax} may be ` +
        "(setAsideMax, --set-aside-max).",
    );
  }
  return obstacles;
}

function havingText(count: number): string {
  return `${counted(count, "item")} ${count === 1 ? "has" : "have"}`;
}

/** Makes the target together with the record that says so, or takes the one that is there. */
async function makeTarget(run: CopyRun): Promise<Result<Container, Refusal>> {
  const { source, record, setting } = run;
  const { catalog, book, limits } = setting;
  const { request } = record;
  const database = catalog.database(request.target.database);
  if (database === undefined) return no({ kind: "ownerNotFound" });
  const definition = targetDefinition(request, source, limits);
  if (!definition.ok) return no({ kind: "badRequest", message: definition.error });
  const present = database.containers.get(definition.value.id);
  const ordinalCount = ordinalsFor(source);
  const common = (): Partial<CopyRecord> => ({
    phase: "copying",
    ordinalCount,
    positions: storedPositions(new Positions([{ range: WHOLE_RANGE, lsn: lsn(0) }])),
    began: storedPositions(headsOf(source)),
    startCount: countOf(source),
  });
  if (present !== undefined) {
    // It may have come to be there since the job was accepted.
    const problem = targetProblem(present, request, definition.value);
    if (problem !== undefined) return no({ kind: "badRequest", message: problem });
    const ordinalShift = ordinalsUsed(present);
    const change = { ...common(), targetRid: present.rid, ordinalShift };
    run.change(change, "The target was there already.");
    const firstOwnOrdinal = ordinalShift + ordinalCount;
    await catalog.reserve(
      () => ({ container: present, firstOwnOrdinal }),
      () => book.updating(run.record),
    );
    return ok(present);
  }
  const made = await catalog.createContainer(database, definition.value, {
    throughput: throughputOf(request, source),
    copies: {
      ordinals: { firstRangeId: source.map.nextOrdinal, firstOwnOrdinal: ordinalCount },
      recordedWith: (targetRid) => {
        run.change({ ...common(), targetRid, hasMadeTarget: true }, "The target was made.");
        return book.updating(run.record);
      },
    },
  });
  return made;
}

function throughputOf({ throughput }: CopyRequest, { record }: Container): Throughput | undefined {
  if (throughput === undefined) return record.throughput && plain(record.throughput);
  return askedThroughput(throughput);
}

/** Without what is remembered of it. */
function plain(throughput: Throughput): Throughput {
  return throughput.kind === "manual"
    ? { kind: "manual", ratePerSecond: throughput.ratePerSecond }
    : {
        kind: "autoscale",
        rateMax: throughput.rateMax,
        incrementPercent: throughput.incrementPercent,
      };
}

function textOf(refusal: Refusal): string {
  if ("message" in refusal) return refusal.message;
  return refusal.kind === "ownerNotFound"
    ? "The database of the target is not there."
    : refusal.kind;
}
