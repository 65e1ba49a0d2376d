/** The part of the admin API that is about lifecycles. */
import type { Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";
import type { LifecycleEntry } from "../../../model/lifecycle.ts";
import { LIFECYCLE_STEPS } from "../../../model/lifecycle.ts";
import type { Refusal } from "../../../model/refusal.ts";
import type {
  LifecycleAnswer,
  LifecyclePlanAnswer,
  LifecyclesAnswer,
  UnmovedAnswer,
} from "../../../protocol/admin.ts";
import { ADMIN_API } from "../../../protocol/admin.ts";
import type { AdminProblem } from "../problem.ts";
import { problem, refusedBy } from "../problem.ts";
import { reading } from "../questions.ts";
import type { AdminQuestion, AdminReply, Route } from "../route.ts";
import {
  isDryRun,
  LIFECYCLE_MEMBERS,
  LIFECYCLE_STEP_MEMBERS,
  lifecycleChangeOf,
  lifecycleRequestOf,
} from "./lifecycleQuestions.ts";

type Replied = Result<AdminReply, AdminProblem>;

export const LIFECYCLE_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: `${ADMIN_API}lifecycles`,
    about: "lifecycles: what they move from hot to warm, and how far they are",
    parameters: [],
    answer: async ({ surface }) => {
      const body: LifecyclesAnswer = { lifecycles: await surface.lifecycles.entries() };
      return ok({ status: 200, body });
    },
  },
  {
    method: "POST",
    path: `${ADMIN_API}lifecycles`,
    about: "starts to move items that age from a hot container to a warm one, or plans it (dryRun)",
    parameters: LIFECYCLE_MEMBERS,
    answer: startReply,
  },
  {
    method: "GET",
    path: `${ADMIN_API}lifecycles/{id}`,
    about: "one lifecycle, with its last rounds and what can be asked of it",
    parameters: [],
    answer: async ({ surface, names: [id = ""] }) =>
      replyOf(id, await surface.lifecycles.entry(id)),
  },
  {
    method: "GET",
    path: `${ADMIN_API}lifecycles/{id}/setAside`,
    about: "the items that cannot be moved, and why",
    parameters: [],
    answer: async ({ surface, names: [id = ""] }) => {
      const items = await surface.lifecycles.setAside(id);
      if (!items.ok) return no(refused(id, items.error));
      const body: UnmovedAnswer = { items: items.value };
      return ok({ status: 200, body });
    },
  },
  {
    method: "POST",
    path: `${ADMIN_API}lifecycles/{id}/{step}`,
    about: `asks something of a lifecycle: ${LIFECYCLE_STEPS.join(", ")}`,
    parameters: LIFECYCLE_STEP_MEMBERS,
    answer: stepReply,
  },
];

async function startReply({ surface, members }: AdminQuestion): Promise<Replied> {
  const asked = reading(() => ({
    request: lifecycleRequestOf(members),
    isPlan: isDryRun(members),
  }));
  if (!asked.ok) return no(problem(400, asked.error));
  const { request, isPlan } = asked.value;
  if (!isPlan) return replyOf("", await surface.lifecycles.start(request), 201);
  const plan = await surface.lifecycles.plan(request);
  if (!plan.ok) return no(refused("", plan.error));
  const body: LifecyclePlanAnswer = { plan: plan.value };
  return ok({ status: 200, body });
}

async function stepReply({ surface, names, members }: AdminQuestion): Promise<Replied> {
  const [id = "", name = ""] = names;
  const step = LIFECYCLE_STEPS.find((one) => one === name);
  if (step === undefined) {
    const known = LIFECYCLE_STEPS.join(", ");
    return no(problem(404, `There is no step '${name}' of a lifecycle; there are ${known}.`));
  }
  const change = reading(() => lifecycleChangeOf(step, members));
  if (!change.ok) return no(problem(400, change.error));
  return replyOf(id, await surface.lifecycles.step(id, step, change.value));
}

function replyOf(id: string, entry: Result<LifecycleEntry, Refusal>, status = 200): Replied {
  if (!entry.ok) return no(refused(id, entry.error));
  const body: LifecycleAnswer = { lifecycle: entry.value };
  return ok({ status, body });
}

function refused(id: string, refusal: Refusal): AdminProblem {
  if (refusal.kind === "notFound") return problem(404, `There is no lifecycle '${id}'.`);
  return refusedBy(refusal, "", "");
}
