/**
 * The cut-over, as a step of its own: what has to hold before it, what it does, and a question that
 * is answered by typing the container's name.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { CopyJobEntry } from "../../../model/copyJob.ts";
import { useCommands, usePage } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Tag } from "../../parts/tag.tsx";
import { nameOf } from "../job/jobWords.ts";
import type { JobPanelProps } from "../job/stepTaking.ts";
import { aboutStep, mayTake } from "../job/stepTaking.ts";
import type { CutOverGate } from "./cutOverGates.ts";
import { gatesOf } from "./cutOverGates.ts";

export function CutOverPanel({ job, steps }: JobPanelProps): VNode {
  const { clock } = usePage();
  const [isAsking, setAsking] = useState(false);
  const gates = gatesOf(job, clock.wallNow());
  const missing = gates.filter(({ isMet }) => !isMet);
  const name = nameOf(job.source);
  const isOpen = missing.length === 0 && mayTake(job, "cutOver") && steps.taken === undefined;
  const whyNot =
    steps.taken === "cutOver"
      ? "It is under way."
      : missing[0] !== undefined
        ? `Waits: ${missing[0].title.toLowerCase()}.`
        : "The job stands still, or is about to end.";
  useCommands(
    isOpen
      ? [
          {
            id: "jobs.cutOver",
            title: `Cut over ${name}…`,
            group: "Jobs",
            run: () => setAsking(true),
          },
        ]
      : [],
  );
  return (
    <Panel
      title="Cut over"
      beside={
        missing.length === 0 ? (
          <Tag tone="good" word="all gates met" />
        ) : (
          <Tag tone="warn" word={`${missing.length} of ${gates.length} not met`} />
        )
      }
    >
      <p>{afterwards(job)}</p>
      <Gates gates={gates} job={job} steps={steps} />
      <p class="wide">
        <Button kind="primary" onPress={() => setAsking(true)} whyNot={isOpen ? undefined : whyNot}>
          Cut over {name}…
        </Button>
      </p>
      {isAsking ? <Question job={job} steps={steps} onClose={() => setAsking(false)} /> : null}
    </Panel>
  );
}

/** What will be so after the cut-over. */
function afterwards({ source, target, asked }: CopyJobEntry): string {
  const [old, copy] = [nameOf(source), nameOf(target)];
  return asked.switchBy === "names"
    ? `From then on ${old} is the copy, and the old container is kept under another name. ` +
        "Programs need no change of name."
    : `From then on clients write to ${copy}; writes to ${old} are refused. ` +
        "Programs take the new name.";
}

function Gates({
  gates,
  job,
  steps,
}: JobPanelProps & { readonly gates: readonly CutOverGate[] }): VNode {
  const mayVerify = mayTake(job, "verify") && job.verification.state !== "running";
  return (
    <ul class="gates" aria-label="What has to hold">
      {gates.map(({ title, says, isMet }) => (
        <li key={title} class={isMet ? "met" : "unmet"}>
          <span aria-hidden="true">{isMet ? "✓" : "△"}</span>
          <div>
            <strong>{title}</strong>
            <span class="unseen">{isMet ? " (met)" : " (not met)"}</span>
            <br />
            <span class="small">{says}</span>
          </div>
        </li>
      ))}
      {mayVerify && job.verification.state !== "fresh" ? (
        <li>
          <span />
          <Button onPress={() => void steps.take("verify", {}, "Both sides are being compared.")}>
            {job.verification.state === "none" ? "Verify the copy" : "Verify again"}
          </Button>
        </li>
      ) : null}
    </ul>
  );
}

interface QuestionProps extends JobPanelProps {
  readonly onClose: () => void;
}

function Question({ job, steps, onClose }: QuestionProps): VNode {
  const [typed, setTyped] = useState("");
  const name = nameOf(job.source);
  const isSame = typed.trim() === name;
  const cutOver = (): void => {
    if (!isSame) return;
    onClose();
    void steps.take("cutOver", {}, `${name} was cut over.`);
  };
  return (
    <Dialog title={`Cut over ${name}?`} onClose={onClose}>
      <form
        class="stack tight"
        onSubmit={(event) => {
          event.preventDefault();
          cutOver();
        }}
      >
        <p>
          {aboutStep(job, "cutOver")} If that takes longer than the deadline, it gives up, writes go
          on as before, and so does the copying.
        </p>
        <p>{afterwards(job)} It can be reverted until you complete the job.</p>
        <TextField
          label={`Type ${name} to cut over`}
          value={typed}
          onInput={setTyped}
          isMono
          inputRef={(element) => element?.setAttribute("autofocus", "")}
        />
        <div class="dialogFoot">
          <Button onPress={onClose}>Not now</Button>
          <Button
            type="submit"
            kind="primary"
            onPress={() => undefined}
            whyNot={isSame ? undefined : "Type the name first."}
          >
            Cut over {name}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
