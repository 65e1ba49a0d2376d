/**
 * The form that starts a copy. The plan comes before the first write: a dry run looks at all items,
 * and only a plan of the same question, with nothing in the way, can be started. What was filled in
 * and the id of the dry run are in the address, so that both are there after a reload.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { countText } from "../../../base/wording.ts";
import type { CopyJobEntry, CopyQuestion } from "../../../model/copyJob.ts";
import type { CopyJobAnswer, OverviewAnswer } from "../../../protocol/admin.ts";
import { useAdmin, usePage, usePlace } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { Link } from "../../parts/link.tsx";
import { Menu } from "../../parts/menu.tsx";
import { AnswerHead, Panel } from "../../parts/panel.tsx";
import { Segmented } from "../../parts/segmented.tsx";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { placeAt, withParameters } from "../../session/place.ts";
import type { AskFailure } from "../../session/server.ts";
import { isOver, nameOf } from "../job/jobWords.ts";
import { jobPlace, jobRoute, LIST_PLACE } from "../job/places.ts";
import type { CopyForm } from "./copyForm.ts";
import { isMadeUp, isPlanOf, questionOf, USUAL_FORM, withField } from "./copyForm.ts";
import { PlanPanel } from "./planPanel.tsx";

export function NewCopy(): VNode {
  const { server, router, announcer } = usePage();
  const { parameters } = usePlace();
  const form = { ...USUAL_FORM, ...parameters } as CopyForm;
  const [isAsked, setAsked] = useState(false);
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<AskFailure | undefined>(undefined);
  const question = questionOf(form);
  const dryRun = useDryRun(parameters["plan"]);
  const isOfThis = dryRun !== undefined && question.ok && isPlanOf(dryRun.asked, question.value);
  const problem = isAsked && !question.ok ? question.error : undefined;
  const ask = async (body: CopyQuestion): Promise<string | undefined> => {
    setSending(true);
    setFailure(undefined);
    const answer = await server.change<CopyJobAnswer>("POST", "copies", body);
    setSending(false);
    if (answer.ok) return answer.value.job.id;
    setFailure(answer.error);
    return undefined;
  };
  const plan = async (): Promise<void> => {
    setAsked(true);
    if (!question.ok || isSending) return;
    const id = await ask({ ...question.value, isDryRun: true });
    if (id === undefined) return;
    announcer.say("All items are being looked at.");
    router.go(withParameters(router.place.value, { plan: id }), { isSameStep: true });
  };
  const start = async (): Promise<void> => {
    if (!question.ok || isSending) return;
    const id = await ask(question.value);
    if (id === undefined) return;
    announcer.say(`Job ${id} was started.`);
    router.go(jobPlace(id));
  };
  return (
    <>
      <p class="small">
        <Link to={LIST_PLACE}>All jobs</Link>
      </p>
      <AnswerHead
        question="Jobs: start a copy"
        answer="First the copy is planned, which writes nothing; then you start it."
      />
      <div class="mainAndSide">
        <Form form={form} problem={problem} isPlanned={isOfThis} onPlan={() => void plan()} />
        <div class="stack">
          {failure === undefined ? null : <Failed failure={failure} />}
          <Planned
            job={isOfThis ? dryRun : undefined}
            isOld={dryRun !== undefined && !isOfThis}
            onStart={() => void start()}
          />
        </div>
      </div>
    </>
  );
}

/** The dry run of an id, looked at until it has ended. */
function useDryRun(id: string | undefined): CopyJobEntry | undefined {
  const { answers } = usePage();
  const route = id === undefined ? undefined : jobRoute(id);
  const known = route === undefined ? undefined : answers.peek<CopyJobAnswer>(route).value?.job;
  const isEnded = known !== undefined && isOver(known);
  return useAdmin<CopyJobAnswer>(route, isEnded ? undefined : 1).value?.job;
}

const KEY_HELP =
  "One to three levels: paths, or expressions such as concat(/tenantId, '-', hash(/id) % 10). " +
  "Empty: the key stays.";

interface FormProps {
  readonly form: CopyForm;
  readonly problem: { readonly field: keyof CopyForm; readonly message: string } | undefined;
  readonly isPlanned: boolean;
  readonly onPlan: () => void;
}

function Form({ form, problem, isPlanned, onPlan }: FormProps): VNode {
  const { router } = usePage();
  const containers = useAdmin<OverviewAnswer>("overview").value?.containers;
  if (containers?.length === 0) {
    return (
      <Panel title="What to copy">
        <Empty
          title="There is no container."
          action={<Link to={placeAt("explorer")}>Make one</Link>}
        >
          A copy needs one to copy.
        </Empty>
      </Panel>
    );
  }
  const set: SetField = (name) => (value) => {
    const typed = Object.entries(withField(form, name, value)) as [keyof CopyForm, string][];
    const changes = Object.fromEntries(
      typed.map(([field, text]) => [field, text === USUAL_FORM[field] ? undefined : text]),
    );
    router.go(withParameters(router.place.value, changes), { isSameStep: true });
  };
  const fields = { form, set, problemOf: (name) => problemAt(problem, name) } satisfies FieldsProps;
  return (
    <Panel title="What to copy">
      <form
        class="copyForm stack tight"
        onSubmit={(event) => {
          event.preventDefault();
          onPlan();
        }}
      >
        <SourceField {...fields} containers={containers ?? []} />
        <PlaceFields {...fields} />
        <RateFields {...fields} />
        <WayFields {...fields} />
        <p>
          <Button type="submit" kind={isPlanned ? "plain" : "primary"} onPress={() => undefined}>
            Plan the copy
          </Button>
        </p>
      </form>
    </Panel>
  );
}

type SetField = (name: keyof CopyForm) => (value: string) => void;

interface FieldsProps {
  readonly form: CopyForm;
  readonly set: SetField;
  readonly problemOf: (name: keyof CopyForm) => string | undefined;
}

function problemAt(problem: FormProps["problem"], name: keyof CopyForm): string | undefined {
  return problem?.field === name ? problem.message : undefined;
}

interface SourceProps extends FieldsProps {
  readonly containers: OverviewAnswer["containers"];
}

/** What is copied. */
function SourceField({ form, set, problemOf, containers }: SourceProps): VNode {
  const source = containers.find((row) => nameOf(row) === form.source);
  const names = containers.map((row) => ({ value: nameOf(row), word: nameOf(row) }));
  const problem = problemOf("source");
  return (
    <>
      <Menu
        label="Source"
        choices={[{ value: "", word: "Choose a container" }, ...names]}
        value={form.source}
        onChoose={set("source")}
      />
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {source === undefined ? null : (
        <p class="small">
          Its key is <code>{source.partitionKeyPaths.join(", ")}</code>; items:{" "}
          {countText(source.itemCount)}.
        </p>
      )}
    </>
  );
}

/** Where the copy goes, and under which key. */
function PlaceFields({ form, set, problemOf }: FieldsProps): VNode {
  return (
    <>
      <TextField
        label="Target"
        value={form.target}
        onInput={set("target")}
        placeholder="shop/orders2"
        isMono
        help="Database and container; it is made unless it is there."
        problem={problemOf("target")}
      />
      <TextField
        label="New key"
        value={form.key}
        onInput={set("key")}
        placeholder="/tenantId, /userId"
        isMono
        help={KEY_HELP}
        problem={problemOf("key")}
      />
      {isMadeUp(form.key) || form.property !== "" ? (
        <TextField
          label="Property for made-up levels"
          value={form.property}
          onInput={set("property")}
          placeholder="/pk"
          isMono
          help="A level that is made up of others is written into the copies, at this path."
          problem={problemOf("property")}
        />
      ) : null}
    </>
  );
}

/** What the copy is provisioned with, and how it is indexed. */
function RateFields({ form, set, problemOf }: FieldsProps): VNode {
  return (
    <>
      <Segmented
        label="Throughput of the copy"
        isLabelShown
        choices={[
          { value: "", word: "Unchanged" },
          { value: "manual", word: "Manual" },
          { value: "autoscale", word: "Autoscale" },
        ]}
        value={form.rateKind}
        onChoose={set("rateKind")}
      />
      {form.rateKind === "" ? null : (
        <TextField
          label={form.rateKind === "manual" ? "RU/s of the copy" : "RU/s of the copy, at most"}
          type="number"
          value={form.rate}
          onInput={set("rate")}
          problem={problemOf("rate")}
        />
      )}
      <TextField
        label="Indexing policy of the copy"
        value={form.policy}
        onInput={set("policy")}
        isMono
        help="As JSON. Empty: that of the source."
        problem={problemOf("policy")}
      />
    </>
  );
}

/** How the copy is made, and what becomes of it. */
function WayFields({ form, set, problemOf }: FieldsProps): VNode {
  return (
    <>
      <Segmented
        label="Mode"
        isLabelShown
        choices={[
          { value: "online", word: "Online" },
          { value: "offline", word: "Offline" },
        ]}
        value={form.mode}
        onChoose={set("mode")}
      />
      <p class="small">
        {form.mode === "online"
          ? "The application goes on; changes follow until you cut over."
          : "Copies what is there, and ends."}
      </p>
      {form.mode === "online" ? (
        <Segmented
          label="At the cut-over"
          isLabelShown
          choices={[
            { value: "names", word: "Swap the names" },
            { value: "application", word: "Keep the names" },
          ]}
          value={form.switchBy}
          onChoose={set("switchBy")}
        />
      ) : null}
      <Segmented
        label="Items that cannot be copied"
        isLabelShown
        choices={[
          { value: "stop", word: "Stop the job" },
          { value: "setAside", word: "Are set aside" },
        ]}
        value={form.setback}
        onChoose={set("setback")}
      />
      <TextField
        label="Share of the rate, in percent"
        type="number"
        value={form.share}
        onInput={set("share")}
        help="The most that the job spends of the rate of each physical partition."
        problem={problemOf("share")}
      />
    </>
  );
}

interface PlannedProps {
  readonly job: CopyJobEntry | undefined;
  /** True when there is a plan, but of something else than is filled in now. */
  readonly isOld: boolean;
  readonly onStart: () => void;
}

function Planned({ job, isOld, onStart }: PlannedProps): VNode {
  if (job === undefined || (!isOver(job) && job.plan === undefined)) {
    return (
      <Panel title="The plan">
        {job !== undefined ? (
          <Loading what="Looking at all items." />
        ) : (
          <Empty title={isOld ? "What you filled in has changed; plan it again." : "No plan yet."}>
            It says which items clash or lack the key, which keys would be too large, what the copy
            costs and how long it takes.
          </Empty>
        )}
      </Panel>
    );
  }
  const { plan } = job;
  if (plan === undefined) {
    return (
      <Panel title="The plan">
        <Empty title="The dry run failed.">{job.reason}</Empty>
      </Panel>
    );
  }
  return (
    <>
      <PlanPanel plan={plan} />
      <p>
        <Button
          kind="primary"
          onPress={onStart}
          whyNot={plan.obstacles.length === 0 ? undefined : "Something is in the way."}
        >
          Start the copy
        </Button>
      </p>
    </>
  );
}
