/** Split and merge the selected partition: a preview, one question, and the way to the job. */
import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { counted } from "../../base/wording.ts";
import type { JobAnswer, MergeSuggestionsAnswer } from "../../protocol/admin.ts";
import type { ContainerReport, PartitionReport } from "../../statistics/report.ts";
import { useAdmin, useCommands, usePage } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Link } from "../parts/link.tsx";
import { rateText, shareText } from "../parts/numbers.ts";
import { Panel } from "../parts/panel.tsx";
import { Segmented } from "../parts/segmented.tsx";
import { Failed } from "../parts/states.tsx";
import { containerRoute } from "../session/containerRoute.ts";
import { placeAt } from "../session/place.ts";
import type { ServerReply } from "../session/server.ts";
import { mergeSays, neighboursOf, type SplitCut, splitPreview } from "./reshapePreview.ts";
import { splitVerdict, type TopKeys } from "./splitVerdict.ts";

interface ReshapePanelProps {
  readonly report: ContainerReport;
  readonly keys: TopKeys;
  readonly picked: PartitionReport;
}

const SUGGESTIONS_SECONDS = 30;

type Asked =
  | { readonly kind: "split" }
  | { readonly kind: "merge"; readonly ids: readonly [string, string] };

export function ReshapePanel({ report, keys, picked }: ReshapePanelProps): VNode {
  const { server, answers, announcer } = usePage();
  const [asked, setAsked] = useState<Asked | undefined>(undefined);
  const [reply, setReply] = useState<ServerReply<JobAnswer> | undefined>(undefined);
  const route = containerRoute(report);
  const suggestions =
    useAdmin<MergeSuggestionsAnswer>(`${route}mergeSuggestions`, SUGGESTIONS_SECONDS).value
      ?.suggestions ?? [];
  const start = async (path: "split" | "merge", body: object): Promise<void> => {
    setAsked(undefined);
    const answer = await server.change<JobAnswer>("POST", `${route}${path}`, body);
    setReply(answer);
    if (answer.ok) announcer.say(`The ${path} has started as job ${answer.value.job.id}.`);
    answers.urge(route);
  };
  useSplitCommand(report, picked, () => setAsked({ kind: "split" }));
  return (
    <Panel title="Split and merge">
      <p class="tools">
        <Button onPress={() => setAsked({ kind: "split" })}>
          Preview a split of partition {picked.id}…
        </Button>
        {neighboursOf(report, picked.id).map(({ id }) => (
          <Button
            key={id}
            onPress={() => setAsked({ kind: "merge", ids: inOrder(report, picked.id, id) })}
          >
            Preview a merge with {id}…
          </Button>
        ))}
      </p>
      <Suggestions
        suggestions={suggestions}
        onPreview={(ids) => setAsked({ kind: "merge", ids })}
      />
      <Started report={report} reply={reply} />
      {asked?.kind === "split" ? (
        <SplitDialog
          report={report}
          keys={keys}
          picked={picked}
          onStart={(at) => start("split", { partitionId: picked.id, at })}
          onClose={() => setAsked(undefined)}
        />
      ) : null}
      {asked?.kind === "merge" ? (
        <MergeDialog
          ids={asked.ids}
          says={mergeWords(report, asked.ids, suggestions)}
          onStart={() => start("merge", { partitionIds: asked.ids })}
          onClose={() => setAsked(undefined)}
        />
      ) : null}
    </Panel>
  );
}

/** The same from the command palette. */
function useSplitCommand(
  { database, container }: ContainerReport,
  { id }: PartitionReport,
  run: () => void,
): void {
  const title = `Split partition ${id} of ${database}/${container}…`;
  useCommands([{ id: "partitions.split", group: "Partitions", title, run }]);
}

interface SuggestionsProps extends MergeSuggestionsAnswer {
  readonly onPreview: (ids: readonly [string, string]) => void;
}

function Suggestions({ suggestions, onPreview }: SuggestionsProps): VNode {
  return (
    <>
      {suggestions.map(({ partitionIds, reason }) => (
        <p key={partitionIds.join()}>
          Worth it: {partitionIds.join(" with ")}. {reason}{" "}
          <Button kind="quiet" onPress={() => onPreview(partitionIds)}>
            Preview…
          </Button>
        </p>
      ))}
    </>
  );
}

interface StartedProps {
  readonly report: ContainerReport;
  readonly reply: ServerReply<JobAnswer> | undefined;
}

/** What is under way, and what came of the last button. */
function Started({ report, reply }: StartedProps): VNode {
  return (
    <>
      {report.jobs.length === 0 ? null : (
        <p>
          {counted(report.jobs.length, "job")} under way. <Link to={placeAt("jobs")}>See Jobs</Link>
        </p>
      )}
      {reply === undefined ? null : reply.ok ? (
        <p role="status">
          Job {reply.value.job.id} has started: {reply.value.job.kind} of{" "}
          {reply.value.job.partitionIds.join(" and ")}.{" "}
          <Link to={placeAt("jobs")}>Follow it in Jobs</Link>
        </p>
      ) : (
        <Failed failure={reply.error} />
      )}
    </>
  );
}

function inOrder(
  { partitions }: ContainerReport,
  one: string,
  other: string,
): readonly [string, string] {
  const at = (id: string): number => partitions.findIndex((each) => each.id === id);
  return at(one) < at(other) ? [one, other] : [other, one];
}

function mergeWords(
  report: ContainerReport,
  ids: readonly [string, string],
  suggestions: MergeSuggestionsAnswer["suggestions"],
): string {
  const [one, other] = ids.map((id) => report.partitions.find((each) => each.id === id));
  if (one === undefined || other === undefined) return "One of them is no longer there.";
  return mergeSays(report, one, other, suggestions);
}

interface SplitDialogProps extends ReshapePanelProps {
  readonly onStart: (at: SplitCut) => void;
  readonly onClose: () => void;
}

function SplitDialog({ report, keys, picked, onStart, onClose }: SplitDialogProps): VNode {
  const [cut, setCut] = useState<SplitCut>("median");
  const preview = splitPreview(report, picked, keys, cut);
  const verdict = splitVerdict(picked, keys, report.limits);
  const hasLoad = picked.lastFiveMinutes.ru > 0;
  return (
    <Confirm
      title={`Split partition ${picked.id} of ${report.database}/${report.container}?`}
      action={`Split partition ${picked.id}`}
      onConfirm={() => onStart(cut)}
      onClose={onClose}
    >
      <p>
        <strong>{verdict.says}</strong>
      </p>
      <Segmented
        label="Where it is cut"
        choices={[
          { value: "median", word: "at the middle of its data" },
          { value: "middle", word: "at the middle of its hashes" },
        ]}
        value={cut}
        onChoose={setCut}
      />
      <table>
        <caption class="unseen">What the halves would have, estimated</caption>
        <thead>
          <tr>
            <th scope="col">Half</th>
            <NumberHead>of its bytes</NumberHead>
            <NumberHead>of its load</NumberHead>
          </tr>
        </thead>
        <tbody>
          {(["left", "right"] as const).map((side) => (
            <tr key={side}>
              <th scope="row">{side}</th>
              <td class="number">{shareText(preview[side].bytesShare)}</td>
              <td class="number">{hasLoad ? shareText(preview[side].loadShare) : "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="small">
        Estimated from the top keys, which have {shareText(preview.knownBytesShare)} of its bytes
        {hasLoad ? ` and ${shareText(preview.knownLoadShare)} of its load` : ""}; the rest is taken
        to lie evenly. Afterwards each of {report.partitions.length + 1} physical partitions is
        allotted {rateText(preview.allottedRate)}, not {rateText(picked.allottedRate)}. Requests go
        on meanwhile; a merge takes it back.
      </p>
    </Confirm>
  );
}

function NumberHead({ children }: { readonly children: ComponentChildren }): VNode {
  return (
    <th scope="col" class="number">
      {children}
    </th>
  );
}

interface MergeDialogProps {
  readonly ids: readonly [string, string];
  readonly says: string;
  readonly onStart: () => void;
  readonly onClose: () => void;
}

function MergeDialog({ ids: [one, other], says, onStart, onClose }: MergeDialogProps): VNode {
  return (
    <Confirm
      title={`Merge partitions ${one} and ${other}?`}
      action={`Merge ${one} and ${other}`}
      onConfirm={onStart}
      onClose={onClose}
    >
      <p>{says}</p>
      <p class="small">Requests go on meanwhile; a split takes it back.</p>
    </Confirm>
  );
}
