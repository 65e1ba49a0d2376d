/** The part of the admin API that is about the lab. */
import type { Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";
import { ADMIN_API } from "../../../protocol/admin.ts";
import type {
  LabRunAnswer,
  LabRunsAnswer,
  PlacementAnswer,
  TemplatesAnswer,
  WorkloadAnswer,
} from "../../../protocol/adminLab.ts";
import type { LabRun } from "../../lab/labRun.ts";
import type { AdminProblem } from "../problem.ts";
import { problem } from "../problem.ts";
import { reading } from "../questions.ts";
import type { AdminQuestion, AdminReply, Route } from "../route.ts";
import {
  placementQuestionOf,
  proofCandidatesOf,
  RUN_MEMBERS,
  runQuestionOf,
  workloadTextOf,
} from "./labQuestions.ts";

type Replied = Result<AdminReply, AdminProblem>;

const LAB = `${ADMIN_API}lab/`;

/** Paths whose bodies may bring data along. */
export function bringsData(url: string): boolean {
  return url.startsWith(LAB);
}

export const LAB_ROUTES: readonly Route[] = [
  {
    method: "POST",
    path: `${LAB}placements`,
    about: "where items would lie under a key, and what the guides' validator says of it",
    parameters: ["items", "key", "ratePerSecond"],
    answer: async ({ surface, members }) => {
      const question = reading(() => placementQuestionOf(members));
      if (!question.ok) return no(problem(400, question.error));
      const placement = await surface.lab.place(question.value);
      return placement.ok
        ? done<PlacementAnswer>(placement.value)
        : no(problem(400, placement.error));
    },
  },
  {
    method: "POST",
    path: `${LAB}workloads`,
    about: "whether a text is a workload: what was understood, or all that is wrong",
    parameters: ["text"],
    answer: ({ surface, members }) => {
      const text = reading(() => workloadTextOf(members, "text"));
      if (!text.ok) return no(problem(400, text.error));
      return done<WorkloadAnswer>(surface.lab.workload(text.value));
    },
  },
  {
    method: "GET",
    path: `${LAB}templates`,
    about: "workloads to begin with, and the worked cases of the guides",
    parameters: [],
    answer: ({ surface }) => done<TemplatesAnswer>({ templates: surface.lab.templates }),
  },
  {
    method: "POST",
    path: `${LAB}runs`,
    about: "starts a run of the lab: advice for a workload, or its proof on the engine",
    parameters: RUN_MEMBERS,
    answer: ({ surface, members }) => {
      const question = reading(() => runQuestionOf(members));
      if (!question.ok) return no(problem(400, question.error));
      const run = surface.lab.start(question.value);
      return run.ok ? done<LabRunAnswer>({ run: run.value }, 202) : no(problem(400, run.error));
    },
  },
  {
    method: "GET",
    path: `${LAB}runs`,
    about: "the runs of the lab there are, the latest first",
    parameters: [],
    answer: ({ surface }) => done<LabRunsAnswer>({ runs: surface.lab.entries }),
  },
  {
    method: "GET",
    path: `${LAB}runs/{id}`,
    about: "one run, with what came of it",
    parameters: [],
    answer: (asked) => withRun(asked, (run) => done<LabRunAnswer>({ run: run.entry(true) })),
  },
  {
    method: "GET",
    path: `${LAB}runs/{id}/page`,
    about: "the report of a run as a page, complete in itself",
    parameters: [],
    answer: (asked) =>
      withRun(asked, (run) =>
        run.page === undefined
          ? no(problem(404, `The run '${run.id}' has no page.`))
          : done<{ readonly html: string }>({ html: run.page }),
      ),
  },
  {
    method: "POST",
    path: `${LAB}runs/{id}/cancel`,
    about: "ends a run of the lab where it stands",
    parameters: [],
    answer: (asked) =>
      withRun(asked, (run) => {
        run.cancel();
        return done<LabRunAnswer>({ run: run.entry(true) });
      }),
  },
  {
    method: "POST",
    path: `${LAB}runs/{id}/proof`,
    about: "starts a run that puts keys of another one on the engine",
    parameters: ["candidates"],
    answer: (asked) =>
      withRun(asked, (run) => {
        const candidates = reading(() => proofCandidatesOf(asked.members));
        if (!candidates.ok) return no(problem(400, candidates.error));
        const proof = asked.surface.lab.prove(run, candidates.value);
        return proof.ok
          ? done<LabRunAnswer>({ run: proof.value }, 202)
          : no(problem(400, proof.error));
      }),
  },
  {
    method: "DELETE",
    path: `${LAB}runs/{id}`,
    about: "ends a run of the lab and forgets it",
    parameters: [],
    answer: (asked) =>
      withRun(asked, (run) => {
        asked.surface.lab.forget(run);
        return done<LabRunAnswer>({ run: run.entry(false) });
      }),
  },
];

/** The path is `lab/runs/{id}`, so the id is the second name in it. */
function withRun({ surface, names }: AdminQuestion, answer: (run: LabRun) => Replied): Replied {
  const id = names[1] ?? "";
  const run = surface.lab.find(id);
  return run === undefined ? no(problem(404, `There is no run '${id}' of the lab.`)) : answer(run);
}

function done<T extends object>(body: T, status = 200): Replied {
  return ok({ status, body });
}
