/** The comparison of both sides: what it found, how old it is, and the ids that differ. */
import type { VNode } from "preact";
import { countText, threeDigits } from "../../../base/wording.ts";
import type { Difference, VerificationReport } from "../../../model/copyJob.ts";
import { usePage } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { Meter } from "../../parts/meter.tsx";
import { Panel } from "../../parts/panel.tsx";
import type { TagTone } from "../../parts/tag.tsx";
import { Tag } from "../../parts/tag.tsx";
import type { JobPanelProps } from "../job/stepTaking.ts";
import { mayTake } from "../job/stepTaking.ts";
import { verificationText } from "./cutOverGates.ts";

const WORDS: Readonly<Record<VerificationReport["state"], readonly [TagTone, string]>> = {
  none: ["none", "not yet"],
  running: ["now", "running"],
  fresh: ["good", "equal"],
  stale: ["warn", "out of date"],
  differs: ["bad", "differs"],
};

export function VerificationPanel({ job, steps }: JobPanelProps): VNode {
  const { clock } = usePage();
  const { verification } = job;
  const [tone, word] = WORDS[verification.state];
  const may = mayTake(job, "verify") && verification.state !== "running";
  const text = verificationText(verification, clock.wallNow());
  return (
    <Panel title="Verification" beside={<Tag tone={tone} word={word} />}>
      <p>{text.charAt(0).toUpperCase() + text.slice(1)}.</p>
      {verification.share === undefined ? null : <Meter share={verification.share} />}
      <How report={verification} />
      <Differences differences={verification.differences ?? []} />
      {may ? (
        <p>
          <Button onPress={() => void steps.take("verify", {}, "Both sides are being compared.")}>
            Compare both sides
          </Button>
        </p>
      ) : null}
    </Panel>
  );
}

function How({ report }: { readonly report: VerificationReport }): VNode | null {
  const { seconds, readCount, sum, wholeBecause } = report;
  if (seconds === undefined || report.state === "running") return null;
  const read = readCount === undefined ? "" : `; ${countText(readCount)} of them were read`;
  const whole =
    wholeBecause === undefined ? "" : `, all because ${wholeBecause.replace(/\.$/, "")}`;
  return (
    <p class="small">
      It took {threeDigits(seconds)} s{read}
      {whole}.{sum === undefined ? null : ` Sum of all: ${sum}.`}
    </p>
  );
}

const KINDS: Readonly<Record<Difference["kind"], string>> = {
  missing: "missing in the copy",
  extra: "too much in the copy",
  differs: "differs",
};

function Differences({
  differences,
}: {
  readonly differences: readonly Difference[];
}): VNode | null {
  if (differences.length === 0) return null;
  return (
    <div class="scroll">
      <table>
        <caption class="unseen">Items that differ</caption>
        <thead>
          <tr>
            <th scope="col">Item</th>
            <th scope="col">What</th>
            <th scope="col">New key</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ id, kind, newKey }) => (
            <tr key={`${kind} ${id} ${JSON.stringify(newKey)}`}>
              <th scope="row">
                <code>{id}</code>
              </th>
              <td>{KINDS[kind]}</td>
              <td>
                <code>{JSON.stringify(newKey)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
