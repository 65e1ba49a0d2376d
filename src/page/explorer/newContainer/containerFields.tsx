/** The names, the key and the throughput of a new container; keys that its items offer. */
import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { counted } from "../../../base/wording.ts";
import { Button } from "../../parts/button.tsx";
import { Disclosure } from "../../parts/disclosure.tsx";
import { TextField } from "../../parts/field.tsx";
import { Segmented } from "../../parts/segmented.tsx";
import { givenItems } from "../data/givenItems.ts";
import { TtlFields } from "../settings/ttlFields.tsx";
import { type ContainerDraft, rateMinOf } from "./draft.ts";
import { keyProposals, proposalWords } from "./keyProposals.ts";
import type { Placed } from "./usePlacement.ts";

const PROPOSAL_COUNT = 6;

export interface DraftProps {
  readonly draft: ContainerDraft;
  readonly change: (changes: Partial<ContainerDraft>) => void;
  readonly placed: Placed;
}

interface FieldsProps extends DraftProps {
  readonly databases: readonly string[];
  /** Why it could not be created. */
  readonly problem: string | undefined;
}

export function ContainerFields(props: FieldsProps): VNode {
  const { draft, change, databases, placed, problem } = props;
  const { database, container, key } = draft;
  return (
    <div class="stack tight">
      <TextField
        label="Database id"
        value={database}
        onInput={(value) => change({ database: value })}
        help={
          database === ""
            ? "A name, such as shop."
            : databases.includes(database)
              ? "There is one of this name; the container is added to it."
              : "There is none of this name yet; it is made first."
        }
      />
      <TextField
        label="Container id"
        value={container}
        onInput={(value) => change({ container: value })}
      />
      <TextField
        label="Partition key"
        value={key}
        onInput={(value) => change({ key: value })}
        isMono
        placeholder="/customerId"
        problem={placed.problem}
        help={
          <>
            A path, up to three for a hierarchical key (<code>/tenantId, /userId</code>), or made
            up: <code>concat(/tenantId, "-", month(/at))</code>.
          </>
        }
      />
      {placed.answer?.isMadeUp === true ? (
        <p class="small">
          This key is made up: writers set it, as <code>orrery/keys</code> does, at{" "}
          <code>{placed.answer.paths.join(", ")}</code>.
        </p>
      ) : null}
      <Proposals draft={draft} change={change} />
      <ThroughputFields draft={draft} change={change} placed={placed} />
      <Disclosure summary="Time to live and unique keys">
        <OtherFields draft={draft} change={change} />
      </Disclosure>
      {/* Enter in a field creates the container; the button that is seen is at the foot. */}
      <button type="submit" class="unseen" tabIndex={-1}>
        Create
      </button>
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

function Proposals({ draft, change }: Pick<DraftProps, "draft" | "change">): VNode | null {
  const items = givenItems(draft.text);
  if (!items.ok) return null;
  const found = keyProposals(items.value, PROPOSAL_COUNT);
  if (found.length === 0) return null;
  return (
    <section aria-label="Keys that the items offer">
      <h3 class="fieldLabel">Found in your {counted(items.value.length, "item")}</h3>
      <ul class="proposals">
        {found.map((proposal) => (
          <li key={proposal.path}>
            <Button
              kind="quiet"
              class="proposal"
              isPressed={draft.key.trim() === proposal.path}
              onPress={() => change({ key: proposal.path })}
            >
              <code>{proposal.path}</code>
              <span class="tiny">{counted(proposal.valueCount, "value")}</span>
              <span class="small">{proposalWords(proposal)}</span>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ThroughputFields({ draft, change, placed }: DraftProps): VNode {
  const { kind, rate } = draft;
  const count = placed.answer?.partitions.length;
  return (
    <>
      <Segmented
        label="Throughput"
        isLabelShown
        choices={[
          { value: "manual", word: "manual" },
          { value: "autoscale", word: "autoscale" },
        ]}
        value={kind}
        onChoose={(chosen) => change({ kind: chosen, rate: String(rateMinOf(chosen)) })}
      />
      <TextField
        label={kind === "manual" ? "RU/s" : "Up to RU/s"}
        type="number"
        value={rate}
        onInput={(value) => change({ rate: value })}
        help={
          count === undefined ? undefined : `${counted(count, "physical partition")} to begin with.`
        }
      />
    </>
  );
}

function OtherFields({ draft, change }: Pick<DraftProps, "draft" | "change">): VNode {
  const id = useId();
  return (
    <div class="stack tight">
      <TtlFields {...draft} onChange={change} />
      <div class="field">
        <label class="fieldLabel" for={id}>
          Unique keys, one a line
        </label>
        <textarea
          id={id}
          class="input mono pasted"
          rows={2}
          spellcheck={false}
          value={draft.uniqueKeys}
          placeholder="/email"
          onInput={(event) => change({ uniqueKeys: event.currentTarget.value })}
          aria-describedby={`${id}h`}
        />
        <p class="small" id={`${id}h`}>
          No two items of one partition key may have the same values there; several paths of one key
          stand with commas between them. They cannot be changed later.
        </p>
      </div>
    </div>
  );
}
