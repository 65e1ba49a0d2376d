/**
 * Everything that the steps share: what is in the address, what was typed and is too long for it,
 * and the run that is looked at. Typed texts are kept for the tab, so that a reload has them; a run
 * is kept by the server, and its number in the address is all that a link needs.
 */
import { useState } from "preact/hooks";
import type { NamedContainer } from "../../model/copyJob.ts";
import type { OverviewAnswer, OverviewRow } from "../../protocol/admin.ts";
import type {
  LabRunAnswer,
  LabRunEntry,
  LabTemplate,
  TemplatesAnswer,
} from "../../protocol/adminLab.ts";
import { useAdmin, usePage, usePlace } from "../control/page.ts";
import type { Watched } from "../session/answers.ts";
import { containerIn, withParameters } from "../session/place.ts";
import type { LabAdvice } from "./advice.ts";
import { adviceIn } from "./advice.ts";
import type { DataKind, GivenText, LabForm, LabStep } from "./labForm.ts";
import { expressionOf, STEPS, USUAL_SAMPLE, usualStep } from "./labForm.ts";

export interface LabState {
  readonly form: LabForm;
  readonly step: LabStep;
  readonly containers: readonly OverviewRow[];
  readonly templates: readonly LabTemplate[];
  readonly template: string;
  readonly runId: string | undefined;
  readonly run: LabRunEntry | undefined;
  readonly runAnswer: Watched<LabRunAnswer>;
  readonly advice: LabAdvice | undefined;
  /** Ranks of the candidates that were picked for the comparison. */
  readonly picked: readonly number[];
  /** The container that the run is about, or that was chosen. */
  readonly subject: NamedContainer | undefined;
  readonly set: (changes: Readonly<Record<string, string | undefined>>, isStep?: boolean) => void;
  readonly setWorkload: (text: string | undefined) => void;
  readonly setGiven: (given: GivenText | undefined) => void;
}

const WORKLOAD_DRAFT = "orrery.lab.workload";
const DATA_DRAFT = "orrery.lab.data";
/** Longer data is not kept over a reload: browsers have little room. */
const DRAFT_LENGTH_MAX = 1_000_000;

export function useLab(): LabState {
  const { router } = usePage();
  const place = usePlace();
  const { parameters } = place;
  const [draft, setDraft] = useState(() => sessionStorage.getItem(WORKLOAD_DRAFT) ?? undefined);
  const [given, setGivenText] = useState(readGiven);
  const containers = useAdmin<OverviewAnswer>("overview").value?.containers ?? [];
  const templates = useAdmin<TemplatesAnswer>("lab/templates").value?.templates ?? [];
  const runId = parameters["run"];
  const runAnswer = useRun(runId);
  const run = runAnswer.value?.run;
  const template = parameters["template"] ?? "";
  const asked = run?.asked;
  const askedData = asked?.data;
  const about = containerIn(place) ?? (askedData?.kind === "container" ? askedData : undefined);
  const inUse = containers.find(
    (row) => row.database === about?.database && row.container === about.container,
  );
  const form: LabForm = {
    about,
    dataKind: dataKindOf(parameters["data"] ?? askedData?.kind, about),
    sample: parameters["sample"] ?? USUAL_SAMPLE,
    given,
    workload:
      draft ?? templates.find(({ name }) => name === template)?.text ?? asked?.workload ?? "",
    keys: parameters["keys"] ?? asked?.candidates?.join("\n") ?? "",
    isOnlyMine: (parameters["mine"] ?? (asked?.onlyMine === true ? "1" : "")) === "1",
    current:
      parameters["current"] ??
      asked?.current ??
      (inUse === undefined ? "" : expressionOf(inUse.partitionKeyPaths)),
  };
  return {
    form,
    step: STEPS.find((step) => step === parameters["step"]) ?? usualStep(runStateOf(runId, run)),
    containers,
    templates,
    template,
    runId,
    run,
    runAnswer,
    advice: run?.kind === "advise" ? adviceIn(run.result) : undefined,
    picked: (parameters["compare"] ?? "").split(",").map(Number).filter(Boolean),
    subject: about,
    set: (changes, isStep = false) =>
      router.go(withParameters(router.place.value, changes), { isSameStep: !isStep }),
    setWorkload: (text) => {
      keep(WORKLOAD_DRAFT, text);
      setDraft(text);
    },
    setGiven: (next) => {
      const isShort = next !== undefined && next.text.length <= DRAFT_LENGTH_MAX;
      keep(DATA_DRAFT, isShort ? JSON.stringify(next) : undefined);
      setGivenText(next);
    },
  };
}

/** A run, looked at until it has ended. */
export function useRun(id: string | undefined): Watched<LabRunAnswer> {
  const { answers } = usePage();
  const route = id === undefined ? undefined : `lab/runs/${encodeURIComponent(id)}`;
  const known = route === undefined ? undefined : answers.peek<LabRunAnswer>(route).value?.run;
  const isOver = known !== undefined && hasEnded(known);
  return useAdmin<LabRunAnswer>(route, isOver ? undefined : 1);
}

export function hasEnded({ state }: LabRunEntry): boolean {
  return state !== "waiting" && state !== "running";
}

function runStateOf(id: string | undefined, run: LabRunEntry | undefined): string | undefined {
  return id === undefined ? undefined : (run?.state ?? "waiting");
}

function dataKindOf(text: string | undefined, about: NamedContainer | undefined): DataKind {
  if (text === "container" || text === "text" || text === "none") return text;
  return about === undefined ? "none" : "container";
}

function readGiven(): GivenText | undefined {
  const kept = sessionStorage.getItem(DATA_DRAFT);
  return kept === null ? undefined : (JSON.parse(kept) as GivenText);
}

function keep(name: string, text: string | undefined): void {
  if (text === undefined) sessionStorage.removeItem(name);
  else sessionStorage.setItem(name, text);
}
