/**
 * The way of a copy in phases, and where a job is on it. An online copy is followed by a cut-over,
 * which can be taken back until the job is completed; an offline copy ends when it has copied.
 */
import { counted } from "../../../base/wording.ts";
import type { CopyJobEntry, CopyState } from "../../../model/copyJob.ts";
import { lagText } from "../job/jobWords.ts";

export interface Phase {
  readonly title: string;
  readonly says: string;
  readonly state: "done" | "now" | "next" | "left";
}

const PHASES = ["look", "copy", "follow", "cutOver", "wayBack", "complete"] as const;
type PhaseId = (typeof PHASES)[number];

const TITLES: Readonly<Record<PhaseId, string>> = {
  look: "Look",
  copy: "Copy",
  follow: "Follow",
  cutOver: "Cut over",
  wayBack: "Way back",
  complete: "Complete",
};

/** How many phases are done in a state; the next one is where the job is. */
const DONE: Readonly<Partial<Record<CopyState, number>>> = {
  preparing: 0,
  planned: 1,
  copying: 1,
  copied: 2,
  catchingUp: 2,
  ready: 2,
  holding: 3,
  switched: 4,
  holdingBack: 4,
  reverted: 4,
  completed: 6,
};

export function phasesOf(job: CopyJobEntry): readonly Phase[] {
  const ids = job.asked.mode === "online" ? PHASES : PHASES.slice(0, 2);
  const isAtEnd = job.endedAt !== undefined;
  const done = doneCount(job);
  return ids.map((id, index) => ({
    title: TITLES[id],
    says: saysOf(id, job, index < done),
    state: index < done ? "done" : isAtEnd ? "left" : index === done ? "now" : "next",
  }));
}

/** A job that stands still, or that ended early, is where its figures say. */
function doneCount(job: CopyJobEntry): number {
  const known = DONE[job.state];
  if (known !== undefined) return known;
  if (job.cutOver !== undefined) return 4;
  if (job.plan === undefined) return 0;
  const { copiedCount, itemCount } = job.progress;
  return copiedCount < itemCount ? 1 : 2;
}

function saysOf(id: PhaseId, job: CopyJobEntry, isDone: boolean): string {
  const { plan, progress, cutOver, state } = job;
  switch (id) {
    case "look":
      return plan === undefined
        ? "at all items, before the first write"
        : plan.obstacles.length === 0
          ? "nothing in the way"
          : counted(plan.obstacles.length, "obstacle");
    case "copy":
      return isDone ? counted(progress.copiedCount, "item") : "what is there";
    case "follow":
      return state === "catchingUp" || state === "ready"
        ? lagText(progress.lag)
        : "changes go over as they come";
    case "cutOver":
      return cutOver === undefined
        ? "when you say so"
        : `writes held for ${Math.round(cutOver.heldMs)} ms`;
    case "wayBack":
      return state === "reverted" ? "was taken" : "the old container is kept current";
    case "complete":
      return "the old container is let go";
  }
}

function lookedText({ lookedShare }: CopyJobEntry["progress"]): string {
  return lookedShare === undefined ? "" : ` (${Math.floor(lookedShare * 100)} %)`;
}

/** What is so now, and what to do next, in one sentence. */
export function answerOf(job: CopyJobEntry): string {
  const { state, reason, progress, verification, asked, setAside } = job;
  if (job.kind === "view") return `The view is kept up to date; ${lagText(progress.lag)}.`;
  const because = reason === undefined ? "" : `: ${reason.replace(/\.$/, "")}`;
  switch (state) {
    case "preparing":
      return (
        `All items are looked at${lookedText(progress)}; nothing is written until that has found ` +
        "nothing."
      );
    case "copying":
      return asked.mode === "online"
        ? "What is there is being copied; the application goes on as before."
        : "What is there is being copied.";
    case "catchingUp":
      return `Everything is copied; ${lagText(progress.lag)}.`;
    case "ready":
      if (verification.state === "differs")
        return "The copy differs from its source. Do not cut over.";
      if (verification.state === "running") return "The copy is being compared with its source.";
      if (setAside.count > 0)
        return `${counted(setAside.count, "item")} could not be copied. Mend them first.`;
      return verification.state === "fresh"
        ? "The copy is complete and verified. You can cut over."
        : "Everything is copied. Verify, then you can cut over.";
    case "holding":
      return "Writes wait a moment for the cut-over.";
    case "switched":
      return "The copy is the container now. Revert, or complete the job when you are sure.";
    case "holdingBack":
      return "Writes wait a moment for the way back.";
    case "paused":
      return "The job stands still; resume it to go on. Nothing is lost.";
    case "blocked":
      return `The job has stopped${because}. Mend it, then resume.`;
    case "cancelling":
      return "The job is being cancelled.";
    case "planned":
      return job.plan !== undefined && job.plan.obstacles.length > 0
        ? "The dry run found something in the way; nothing was written."
        : "The dry run found nothing in the way; nothing was written.";
    case "copied":
      return `${counted(progress.copiedCount, "item")} were copied.`;
    case "completed":
      return "The copy has taken over, and the job is completed.";
    case "reverted":
      return "The cut-over was taken back; the old container serves again, and nothing was lost.";
    case "cancelled":
      return "The job was cancelled; the source is untouched.";
    case "failed":
      return `The job failed${because}.`;
  }
}
