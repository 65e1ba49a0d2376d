/**
 * Indexing, time to live and kept versions of a container. An edit is made against the version that
 * the reader saw when he began: what others save meanwhile is shown, and never saved over unseen.
 */
import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import type { OverviewRow } from "../../../protocol/admin.ts";
import { useKey, usePage, useParameter } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ChangedLines } from "../changedLines.tsx";
import { containerPath } from "../data/dataPlane.ts";
import { TwoVersions } from "../twoVersions.tsx";
import { type AdvisedIndex, advisedIn, withAdvised } from "./advisedIndex.ts";
import type { Definition, DefinitionDraft, Edit } from "./definitionDraft.ts";
import { definitionText, draftOf, isChanged, replacementOf } from "./definitionDraft.ts";
import { TtlFields } from "./ttlFields.tsx";

interface PoliciesProps {
  readonly row: OverviewRow;
  /** As the server has it now; another one when somebody saved. */
  readonly newest: Definition;
  /** Percent of re-indexing that is done. */
  readonly progress: number;
  readonly onSaved: () => void;
}

const KEPT_HELP =
  "0 keeps none. Reading all versions and deletes needs more; the latest version of an item can " +
  "always be read.";

export function Policies({ row, newest, progress, onSaved }: PoliciesProps): VNode {
  const definition = useDefinition(row, newest, onSaved);
  const { edit, made, other } = definition;
  const [isReviewed, setReviewed] = useState(false);
  const wrong = made.ok ? undefined : made.error;
  const whyNot = wrong ?? (isChanged(edit) ? undefined : "Nothing was changed.");
  useKey("review", () => setReviewed(whyNot === undefined));
  if (other !== undefined && made.ok) {
    return (
      <Panel title="Indexing, time to live and versions">
        <TwoVersions
          what="the settings"
          mine={definitionText(made.value)}
          theirs={definitionText(other)}
          onKeepTheirs={definition.discard}
          onSaveMine={() => void definition.save(made.value, other)}
        />
      </Panel>
    );
  }
  return (
    <Panel title="Indexing, time to live and versions">
      <div class="stack tight">
        {edit.seen["_etag"] === newest["_etag"] ? null : (
          <Notice tone="warn" word="changed" title="Somebody saved other settings since you began.">
            <p class="small">Saving shows both versions beside each other, and loses none.</p>
          </Notice>
        )}
        {definition.advised === undefined ? null : <Advised paths={definition.advised.paths} />}
        <Fields draft={edit.draft} onChange={definition.type} />
        <p class="small" role="status">
          {progress < 100 ? `Indexing again: ${progress} % done.` : "The index is up to date."}
        </p>
        {(definition.problem ?? wrong) === undefined ? null : (
          <p class="problem" role="alert">
            {definition.problem ?? wrong}
          </p>
        )}
        <div class="tools">
          <Button kind="primary" whyNot={whyNot} onPress={() => setReviewed(true)}>
            Review the changes…
          </Button>
          {isChanged(edit) ? <Button onPress={definition.discard}>Discard them</Button> : null}
        </div>
        {isReviewed && made.ok ? (
          <Review
            before={edit.seen}
            after={made.value}
            onClose={() => setReviewed(false)}
            onSave={() => {
              setReviewed(false);
              void definition.save(made.value, edit.seen);
            }}
          />
        ) : null}
      </div>
    </Panel>
  );
}

function Advised({ paths }: Pick<AdvisedIndex, "paths">): VNode {
  return (
    <Notice
      tone="info"
      word="advised"
      title={`The index ${paths.join(", ")} is in the policy below.`}
    >
      <p class="small">Nothing is saved before you have reviewed it.</p>
    </Notice>
  );
}

interface EditedDefinition {
  readonly edit: Edit;
  /** The index that a plan advised, and that the edit began with. */
  readonly advised: AdvisedIndex | undefined;
  readonly made: ReturnType<typeof replacementOf>;
  /** What somebody else saved, when saving failed because of it. */
  readonly other: Definition | undefined;
  readonly problem: string | undefined;
  readonly type: (draft: DefinitionDraft) => void;
  readonly discard: () => void;
  /** Replaces `seen`, and nothing else. */
  readonly save: (after: Definition, seen: Definition) => Promise<void>;
}

function useDefinition(
  row: OverviewRow,
  newest: Definition,
  onSaved: () => void,
): EditedDefinition {
  const { server, announcer } = usePage();
  const [advisedParameter, setAdvised] = useParameter("index", "");
  const advised = advisedIn(advisedParameter);
  const [begun, setBegun] = useState<Edit | undefined>(() =>
    advised === undefined ? undefined : { seen: newest, draft: advisedDraft(newest, advised) },
  );
  const [other, setOther] = useState<Definition | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const edit = begun ?? { seen: newest, draft: draftOf(newest) };
  const end = (): void => {
    setBegun(undefined);
    setOther(undefined);
    setProblem(undefined);
    setAdvised("");
    onSaved();
  };
  const save = async (after: Definition, seen: Definition): Promise<void> => {
    const path = containerPath(row);
    const headers = { "if-match": String(seen["_etag"]) };
    const answer = await server.data({ method: "PUT", path, headers, body: after });
    if (answer.ok) {
      announcer.say("Saved the settings.");
      end();
      return;
    }
    if (answer.error.status !== 412) {
      setOther(undefined);
      setProblem(answer.error.message);
      return;
    }
    const theirs = await server.data({ method: "GET", path });
    if (theirs.ok) setOther(JSON.parse(theirs.value.text) as Definition);
    else setProblem(theirs.error.message);
  };
  return {
    edit,
    advised,
    made: replacementOf(edit),
    other,
    problem,
    type: (draft) => {
      setProblem(undefined);
      setBegun({ seen: edit.seen, draft });
    },
    discard: end,
    save,
  };
}

function advisedDraft(newest: Definition, advised: AdvisedIndex): DefinitionDraft {
  const draft = draftOf(newest);
  const policy = withAdvised((newest["indexingPolicy"] ?? {}) as Definition, advised);
  return { ...draft, policy: JSON.stringify(policy, null, 2) };
}

interface FieldsProps {
  readonly draft: DefinitionDraft;
  readonly onChange: (draft: DefinitionDraft) => void;
}

function Fields({ draft, onChange }: FieldsProps): VNode {
  const id = useId();
  return (
    <>
      <TtlFields {...draft} onChange={(changes) => onChange({ ...draft, ...changes })} />
      <TextField
        label="Change feed: minutes for which versions and deletes are kept"
        type="number"
        value={draft.versionMinutes}
        onInput={(versionMinutes) => onChange({ ...draft, versionMinutes })}
        help={KEPT_HELP}
      />
      <div class="field">
        <label class="fieldLabel" for={id}>
          Indexing policy
        </label>
        <textarea
          id={id}
          class="input mono itemText"
          rows={14}
          spellcheck={false}
          value={draft.policy}
          onInput={(event) => onChange({ ...draft, policy: event.currentTarget.value })}
        />
      </div>
    </>
  );
}

interface ReviewProps {
  readonly before: Definition;
  readonly after: Definition;
  readonly onSave: () => void;
  readonly onClose: () => void;
}

function Review({ before, after, onSave, onClose }: ReviewProps): VNode {
  const isReindexed =
    JSON.stringify(before["indexingPolicy"]) !== JSON.stringify(after["indexingPolicy"]);
  return (
    <Dialog
      title="Save these changes?"
      size="large"
      onClose={onClose}
      foot={
        <Button kind="primary" onPress={onSave}>
          Save the settings
        </Button>
      }
    >
      <p>
        Lines with − go, lines with + come.{" "}
        {isReindexed ? "The items are indexed again by the new policy, beside other requests." : ""}
      </p>
      <ChangedLines
        label="The definition before and after"
        before={definitionText(before)}
        after={definitionText(after)}
      />
    </Dialog>
  );
}
