/** Step 6: the verdict in words, each sentence with its number, and what can be done with it. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { OverviewRow } from "../../protocol/admin.ts";
import type { LabRunEntry } from "../../protocol/adminLab.ts";
import { usePage, useParameter } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { Coded } from "../parts/coded.tsx";
import { CopyButton } from "../parts/copyButton.tsx";
import { Menu } from "../parts/menu.tsx";
import { Panel } from "../parts/panel.tsx";
import { Failed } from "../parts/states.tsx";
import { Tag } from "../parts/tag.tsx";
import type { AskFailure, Server } from "../session/server.ts";
import type { LabAdvice, LabCandidate } from "./advice.ts";
import { basisText } from "./advice.ts";
import { costText, storageText, throttledText, verdictTag } from "./compareWords.ts";
import type { LabState } from "./labState.ts";
import { advisedPolicy, definitionText, migrationPlace } from "./migration.ts";
import { NoAdvice } from "./noAdvice.tsx";
import { ProofPanel } from "./proofPanel.tsx";

export function VerdictStep({ lab }: { readonly lab: LabState }): VNode {
  const { advice } = lab;
  if (advice === undefined) return <NoAdvice lab={lab} />;
  return (
    <div class="mainAndSide">
      <div class="stack">
        <Sentences title="Verdict" of={advice.summary} />
        <Ranking advice={advice} />
        <ProofPanel advice={advice} lab={lab} />
      </div>
      <div class="stack">
        <Actions advice={advice} lab={lab} />
        <Sentences
          title="What would change it"
          of={advice.sensitivities.map(({ sentence }) => sentence)}
          none="Nothing that the lab tried: longer retention, more of everything, less skew."
        />
        <Sentences
          title="Worth considering"
          of={advice.alternatives.map(({ sentence }) => sentence)}
        />
        <Sentences
          title="How sure is this?"
          of={[basisText(advice), ...(advice.measureNext === null ? [] : [advice.measureNext])]}
        />
        <Sentences title="What was assumed, or not modelled" of={advice.remarks} />
      </div>
    </div>
  );
}

interface SentencesProps {
  readonly title: string;
  readonly of: readonly string[];
  /** What to say where there is none; without it the panel is left out. */
  readonly none?: string | undefined;
}

function Sentences({ title, of, none }: SentencesProps): VNode | null {
  if (of.length === 0 && none === undefined) return null;
  return (
    <Panel title={title}>
      <ul class="stack tight">
        {(of.length === 0 ? [none ?? ""] : of).map((sentence) => (
          <li key={sentence}>
            <Coded text={sentence} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Ranking({ advice }: { readonly advice: LabAdvice }): VNode {
  return (
    <Panel title="Ranking">
      <ol class="ranking">
        {advice.candidates.map((candidate) => (
          <li key={candidate.rank}>
            <p>
              {candidate.rank}. <code>{candidate.expression}</code>{" "}
              <Tag {...verdictTag(candidate)} />
            </p>
            <p class="small">
              {candidate.reasons[0]?.sentence ?? candidate.merits[0] ?? ""}{" "}
              {costText(candidate).text} Largest key {storageText(candidate).text}{" "}
              {throttledText(candidate).text}
            </p>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

interface ActionsProps {
  readonly advice: LabAdvice;
  readonly lab: LabState;
}

function Actions({ advice, lab }: ActionsProps): VNode {
  const { server, router } = usePage();
  const [rank, setRank] = useParameter("key", "");
  const chosen =
    advice.candidates.find((one) => String(one.rank) === rank) ?? advice.candidates[0]!;
  const { run, subject, containers } = lab;
  const source = containers.find(
    (row) => row.database === subject?.database && row.container === subject.container,
  );
  const migrate = async (): Promise<void> => {
    if (source === undefined) return;
    const policy = await policyOf(server, source, advice);
    router.go(migrationPlace({ advice, candidate: chosen, source, policy }));
  };
  return (
    <Panel title="What to do with it" class="labSelect">
      <div class="stack tight">
        <Menu
          label="For the key"
          choices={advice.candidates.map((one) => ({
            value: String(one.rank),
            word: `${one.rank}. ${one.expression}`,
          }))}
          value={String(chosen.rank)}
          onChoose={(value) => setRank(value)}
        />
        {run === undefined ? null : <ReportButton run={run} />}
        <p class="tools">
          Container definition{" "}
          <CopyButton
            text={definitionText(advice, chosen, subject)}
            what="the container definition"
          />
        </p>
        <p class="tools">
          <Button
            kind="primary"
            onPress={() => void migrate()}
            whyNot={whyNoMigration(source, chosen, lab.form.current)}
          >
            Start the migration…
          </Button>
        </p>
        <p class="small">
          It leads to the form of a copy job with everything filled in; nothing is copied before you
          have seen its plan.
        </p>
      </div>
    </Panel>
  );
}

function ReportButton({ run }: { readonly run: LabRunEntry }): VNode {
  const { server, announcer } = usePage();
  const [failure, setFailure] = useState<AskFailure | undefined>(undefined);
  const download = async (): Promise<void> => {
    const route = `lab/runs/${encodeURIComponent(run.id)}/page`;
    const answer = await server.admin<{ readonly html: string }>(route);
    setFailure(answer.ok ? undefined : answer.error);
    if (!answer.ok) return;
    handOver(`partition-key-${run.id}.html`, "text/html", answer.value.html);
    announcer.say("The report was downloaded.");
  };
  return (
    <>
      {failure === undefined ? null : <Failed failure={failure} />}
      <p class="tools">
        <Button
          onPress={() => void download()}
          whyNot={run.hasPage ? undefined : "The run left no report."}
        >
          Download the report
        </Button>
      </p>
    </>
  );
}

function whyNoMigration(
  source: OverviewRow | undefined,
  chosen: LabCandidate,
  current: string,
): string | undefined {
  if (source === undefined) return "The run is not about a container of this server.";
  return chosen.expression === current ? "It has this key already." : undefined;
}

/** Read only where the advice adds to it. */
async function policyOf(
  server: Server,
  { database, container }: OverviewRow,
  advice: LabAdvice,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (advisedPolicy(advice) === undefined) return undefined;
  const path = `/dbs/${encodeURIComponent(database)}/colls/${encodeURIComponent(container)}`;
  const answer = await server.data({ method: "GET", path });
  if (!answer.ok) return undefined;
  const definition = JSON.parse(answer.value.text) as {
    readonly indexingPolicy?: Readonly<Record<string, unknown>>;
  };
  return definition.indexingPolicy;
}

/** Hands a text to the browser as a file. */
function handOver(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
