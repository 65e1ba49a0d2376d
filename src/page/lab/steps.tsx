/** The steps, with what each has come to; one is open, and each is a link. */
import type { VNode } from "preact";
import { counted, countText } from "../../base/wording.ts";
import { usePlace } from "../control/page.ts";
import { Link } from "../parts/link.tsx";
import { withParameters } from "../session/place.ts";
import type { LabStep } from "./labForm.ts";
import { keyLines, STEPS } from "./labForm.ts";
import type { LabState } from "./labState.ts";

const TITLES: Readonly<Record<LabStep, string>> = {
  data: "Data",
  workload: "Workload",
  candidates: "Candidates",
  run: "Run",
  compare: "Compare",
  verdict: "Verdict",
};

export function Steps({ lab }: { readonly lab: LabState }): VNode {
  const place = usePlace();
  return (
    <ol class="labSteps" aria-label="Steps">
      {STEPS.map((step, at) => (
        <li key={step} class={step === lab.step ? "picked" : ""}>
          <Link
            to={withParameters(place, { step })}
            aria-current={step === lab.step ? "step" : undefined}
          >
            <b>
              {at + 1}. {TITLES[step]}
            </b>
            <span class="small">{stateOf(step, lab)}</span>
          </Link>
        </li>
      ))}
    </ol>
  );
}

function stateOf(step: LabStep, { form, run, advice, templates, template }: LabState): string {
  switch (step) {
    case "data":
      if (form.dataKind === "none") return "what the workload declares";
      if (form.dataKind === "text") return form.given?.name ?? "no file yet";
      if (form.about === undefined) return "no container yet";
      return (
        `${form.about.database}/${form.about.container}, at most ` +
        `${countText(Number(form.sample))} items`
      );
    case "workload": {
      const chosen = templates.find(({ name }) => name === template);
      if (form.workload === "") return "not said yet";
      if (chosen?.text === form.workload) return chosen.title;
      return run?.asked?.workload === form.workload ? run.title : "written here";
    }
    case "candidates": {
      const own = counted(keyLines(form.keys).length, "key");
      return form.isOnlyMine ? `${own} of yours` : `proposed, and ${own} of yours`;
    }
    case "run":
      return run === undefined ? "not started" : `run ${run.id}: ${run.state}`;
    case "compare":
      return advice === undefined
        ? "up to four, side by side"
        : counted(advice.candidates.length, "key");
    case "verdict":
      return advice?.best?.expression ?? "which one, and why";
  }
}
