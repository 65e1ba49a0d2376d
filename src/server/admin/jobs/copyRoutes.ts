/** The part of the admin API that is about copy jobs. */
import type { MaybePromise, Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";
import { COPY_STEPS } from "../../../engine/copy/copyCommands.ts";
import type { ArchiveJobAnswer } from "../../../model/archiveJob.ts";
import type { CopyJobEntry, CopyStep, SetAsideAnswer } from "../../../model/copyJob.ts";
import type { Refusal } from "../../../model/refusal.ts";
import type { CopyJobAnswer, JobAnswer } from "../../../protocol/admin.ts";
import { ADMIN_API } from "../../../protocol/admin.ts";
import type { AdminProblem } from "../problem.ts";
import { problem, refusedBy } from "../problem.ts";
import { reading } from "../questions.ts";
import type { AdminQuestion, AdminReply, Route } from "../route.ts";
import { archiveStepReply } from "./archiveRoutes.ts";
import { COPY_MEMBERS, copyRequestOf, STEP_MEMBER_NAMES, stepTermsOf } from "./copyQuestions.ts";

type Replied = Result<AdminReply, AdminProblem>;

export const COPY_ROUTES: readonly Route[] = [
  {
    method: "POST",
    path: `${ADMIN_API}copies`,
    about: "starts to copy a container, under the same key or another one",
    parameters: COPY_MEMBERS,
    answer: async ({ surface, members }) => {
      const request = reading(() => copyRequestOf(members));
      if (!request.ok) return no(problem(400, request.error));
      return jobReply("", await surface.copies.start(request.value), 202);
    },
  },
  {
    method: "GET",
    path: `${ADMIN_API}jobs/{id}`,
    about: "one job: how far it is; of a copy also what it found and what can be asked of it",
    parameters: [],
    answer: async ({ surface, names: [id = ""] }) => {
      const archive = surface.archives.entry(id);
      if (archive !== undefined) {
        const body: ArchiveJobAnswer = { job: archive };
        return ok({ status: 200, body });
      }
      const job = surface.jobs().find((one) => one.id === id);
      if (surface.lifecycles.has(id)) {
        const entry = await surface.lifecycles.entry(id);
        return entry.ok
          ? ok({ status: 200, body: { job: entry.value } })
          : no(refused(id, entry.error));
      }
      if (job === undefined) return jobReply(id, surface.copies.entry(id));
      const body: JobAnswer = { job };
      return ok({ status: 200, body });
    },
  },
  {
    method: "GET",
    path: `${ADMIN_API}jobs/{id}/setAside`,
    about: "the items that a job could not copy, and why",
    parameters: [],
    answer: async ({ surface, names: [id = ""] }) => {
      const items = await surface.copies.setAside(id);
      if (!items.ok) return no(refused(id, items.error));
      const body: SetAsideAnswer = { items: items.value };
      return ok({ status: 200, body });
    },
  },
  {
    method: "POST",
    path: `${ADMIN_API}jobs/{id}/{step}`,
    about: `asks something of a job; of a copy: ${COPY_STEPS.join(", ")}`,
    parameters: STEP_MEMBER_NAMES,
    answer: stepReply,
  },
];

async function stepReply(asked: AdminQuestion): Promise<Replied> {
  const ofArchive = await archiveStepReply(asked);
  if (ofArchive !== undefined) return ofArchive;
  const { surface, names, members } = asked;
  const [id = "", name = ""] = names;
  const step = COPY_STEPS.find((one) => one === name);
  if (step === undefined) {
    const known = COPY_STEPS.join(", ");
    return no(problem(404, `There is no step '${name}' of a job; there are ${known}.`));
  }
  if (surface.lifecycles.has(id)) {
    return no(problem(400, `'${id}' is a lifecycle, which is led by lifecycles/${id}/{step}.`));
  }
  const terms = reading(() => stepTermsOf(step, members));
  if (!terms.ok) return no(problem(400, terms.error));
  return jobReply(id, await surface.copies.step(id, step, terms.value), statusOf(step));
}

/** What only begins with the answer is accepted, and not done. */
function statusOf(step: CopyStep): number {
  return step === "cancel" || step === "complete" || step === "verify" ? 202 : 200;
}

function jobReply(
  id: string,
  entry: Result<CopyJobEntry, Refusal>,
  status = 200,
): MaybePromise<Replied> {
  if (!entry.ok) return no(refused(id, entry.error));
  const body: CopyJobAnswer = { job: entry.value };
  return ok({ status, body });
}

function refused(id: string, refusal: Refusal): AdminProblem {
  if (refusal.kind === "notFound") return problem(404, `There is no copy job '${id}'.`);
  return refusedBy(refusal, "", "");
}
