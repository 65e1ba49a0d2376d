/** Stored procedures, triggers and user-defined functions of a container: edited, saved and run. */
import type { VNode } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type { OverviewRow } from "../../../protocol/admin.ts";
import { useAnswer, useKey, usePage, useParameter } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Menu } from "../../parts/menu.tsx";
import { chargeText } from "../../parts/numbers.ts";
import { Panel } from "../../parts/panel.tsx";
import { Answered, Empty } from "../../parts/states.tsx";
import { keyExample, parsedKeys } from "../data/typedKeys.ts";
import { ScrolledText } from "../scrolledText.tsx";
import type { Script, ScriptKind, ScriptRan } from "./script.ts";
import {
  deleteScript,
  firstBody,
  lineIn,
  parametersProblem,
  plainError,
  readScripts,
  runProcedure,
  SCRIPT_KINDS,
  saveScript,
} from "./script.ts";

const TITLES: Readonly<Record<ScriptKind, { readonly many: string; readonly one: string }>> = {
  sprocs: { many: "Stored procedures", one: "stored procedure" },
  triggers: { many: "Triggers", one: "trigger" },
  udfs: { many: "User-defined functions", one: "function" },
};

/** In the address: the kind, and after a slash the id; without an id it is a new one. */
function nameOf({ kind, id }: Pick<Script, "kind" | "id">): string {
  return `${kind}/${id}`;
}

export function ScriptsView({ row }: { readonly row: OverviewRow }): VNode {
  const { server, answers } = usePage();
  const key = `scripts ${row.database}/${row.container}`;
  const scripts = useAnswer(key, () => readScripts(server, row));
  const [picked, setPicked] = useParameter("script", "");
  const renew = (): void => answers.urge(key);
  return (
    <div class="stack">
      <Panel title={`Scripts of ${row.database}/${row.container}`}>
        <Answered of={scripts} loading="Reading the scripts." onRetry={renew}>
          {(found) => <ScriptLists found={found} picked={picked} onPick={setPicked} />}
        </Answered>
      </Panel>
      {picked === "" || scripts.value === undefined ? null : (
        <PickedScript
          key={picked}
          row={row}
          name={picked}
          found={scripts.value}
          onNamed={(name) => {
            renew();
            setPicked(name);
          }}
        />
      )}
    </div>
  );
}

interface ScriptListsProps {
  readonly found: readonly Script[];
  readonly picked: string;
  readonly onPick: (name: string, options?: { readonly isStep?: boolean }) => void;
}

function ScriptLists({ found, picked, onPick }: ScriptListsProps): VNode {
  return (
    <div class="scriptLists">
      {SCRIPT_KINDS.map((kind) => (
        <section key={kind} aria-label={TITLES[kind].many}>
          <h3>{TITLES[kind].many}</h3>
          {found
            .filter((script) => script.kind === kind)
            .map((script) => (
              <Button
                key={script.id}
                kind="quiet"
                isPressed={picked === nameOf(script)}
                onPress={() => onPick(nameOf(script), { isStep: true })}
              >
                {script.id}
              </Button>
            ))}
          <Button onPress={() => onPick(nameOf({ kind, id: "" }), { isStep: true })}>
            New {TITLES[kind].one}
          </Button>
        </section>
      ))}
    </div>
  );
}

interface PickedScriptProps {
  readonly row: OverviewRow;
  readonly name: string;
  readonly found: readonly Script[];
  /** Saved under this name; empty when it is gone. */
  readonly onNamed: (name: string) => void;
}

function PickedScript({ row, name, found, onNamed }: PickedScriptProps): VNode {
  const kind = SCRIPT_KINDS.find((each) => name.startsWith(`${each}/`));
  const known = found.find((script) => nameOf(script) === name);
  if (kind === undefined || (known === undefined && name !== nameOf({ kind, id: "" }))) {
    return (
      <Panel title="Script">
        <Empty title="There is no such script.">It may have been deleted. Pick another one.</Empty>
      </Panel>
    );
  }
  const start: Script = known ?? {
    kind,
    id: "",
    body: firstBody(kind),
    triggerType: "Pre",
    triggerOperation: "All",
  };
  return <ScriptEditor row={row} start={start} onNamed={onNamed} />;
}

interface ScriptEditorProps {
  readonly row: OverviewRow;
  readonly start: Script;
  readonly onNamed: (name: string) => void;
}

interface ScriptDraft {
  readonly script: Script;
  readonly setScript: (script: Script) => void;
  readonly problem: string | undefined;
  readonly isNew: boolean;
  readonly isChanged: boolean;
  readonly whyNot: string | undefined;
  save(): Promise<void>;
  remove(): Promise<void>;
}

function useScriptDraft({ row, start, onNamed }: ScriptEditorProps): ScriptDraft {
  const { server, announcer } = usePage();
  const [script, setScript] = useState(start);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const isNew = script.etag === undefined;
  const isChanged =
    script.body !== start.body ||
    script.triggerType !== start.triggerType ||
    script.triggerOperation !== start.triggerOperation;
  // What others saved is taken over only as long as nothing was typed.
  useEffect(() => setScript(start), [start.etag]);
  const whyNot =
    script.id.trim() === "" ? "Name it." : isNew || isChanged ? undefined : "Nothing was changed.";
  const save = async (): Promise<void> => {
    if (whyNot !== undefined) return;
    const answer = await saveScript(server, row, script);
    if (answer.ok) {
      setProblem(undefined);
      setScript(answer.value);
      announcer.say(`Saved ${script.id}.`);
      onNamed(nameOf(answer.value));
    } else {
      const { status, message } = answer.error;
      const isStale = status === 412;
      setProblem(
        isStale ? "Somebody saved it meanwhile. Copy your text, and open it again." : message,
      );
    }
  };
  useKey("save", save);
  const remove = async (): Promise<void> => {
    const answer = await deleteScript(server, row, script);
    if (answer.ok) onNamed("");
    else setProblem(answer.error.message);
  };
  return { script, setScript, problem, isNew, isChanged, whyNot, save, remove };
}

function ScriptEditor(props: ScriptEditorProps): VNode {
  const { row } = props;
  const draft = useScriptDraft(props);
  const { script, setScript, problem, isNew, isChanged, whyNot, save, remove } = draft;
  const [isAsked, setAsked] = useState(false);
  const { one } = TITLES[script.kind];
  return (
    <>
      <Panel title={isNew ? `New ${one}` : `${one[0]!.toUpperCase()}${one.slice(1)} ${script.id}`}>
        <div class="stack tight">
          {isNew ? (
            <TextField
              label="Id"
              value={script.id}
              onInput={(id) => setScript({ ...script, id })}
            />
          ) : null}
          {script.kind === "triggers" ? (
            <TriggerTerms script={script} onChange={setScript} />
          ) : null}
          <BodyField
            body={script.body}
            problem={problem}
            onInput={(body) => setScript({ ...script, body })}
          />
          <div class="tools">
            <Button kind="primary" whyNot={whyNot} onPress={() => void save()}>
              Save the {one}
            </Button>
            {isNew ? null : (
              <Button kind="danger" onPress={() => setAsked(true)}>
                Delete…
              </Button>
            )}
          </div>
        </div>
      </Panel>
      {script.kind === "sprocs" && !isNew ? (
        <RunPanel row={row} id={script.id} isSaved={!isChanged} />
      ) : null}
      {isAsked ? (
        <Confirm
          title={`Delete the ${one} ${script.id}?`}
          action={`Delete the ${one}`}
          isDangerous
          onConfirm={() => {
            setAsked(false);
            void remove();
          }}
          onClose={() => setAsked(false)}
        >
          <p>Requests that name it are refused from then on.</p>
        </Confirm>
      ) : null}
    </>
  );
}

interface TriggerTermsProps {
  readonly script: Script;
  readonly onChange: (script: Script) => void;
}

function TriggerTerms({ script, onChange }: TriggerTermsProps): VNode {
  const word = (value: string): { value: string; word: string } => ({ value, word: value });
  return (
    <div class="tools">
      <Menu
        label="Runs"
        choices={["Pre", "Post"].map(word)}
        value={script.triggerType ?? "Pre"}
        onChoose={(triggerType) => onChange({ ...script, triggerType })}
      />
      <Menu
        label="On"
        choices={["All", "Create", "Replace", "Delete", "Update"].map(word)}
        value={script.triggerOperation ?? "All"}
        onChoose={(triggerOperation) => onChange({ ...script, triggerOperation })}
      />
    </div>
  );
}

interface BodyFieldProps {
  readonly body: string;
  readonly problem: string | undefined;
  readonly onInput: (body: string) => void;
}

function BodyField({ body, problem, onInput }: BodyFieldProps): VNode {
  const id = useId();
  return (
    <div class="field">
      <label class="fieldLabel" for={id}>
        JavaScript
      </label>
      <textarea
        id={id}
        class="input mono itemText"
        rows={12}
        spellcheck={false}
        value={body}
        aria-invalid={problem === undefined ? undefined : "true"}
        aria-describedby={problem === undefined ? undefined : `${id}p`}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {problem === undefined ? null : (
        <p id={`${id}p`} class="problem" role="alert">
          <Placed message={problem} body={body} />
        </p>
      )}
    </div>
  );
}

/** An error with the line of the script that it names. */
function Placed({
  message,
  body,
}: {
  readonly message: string;
  readonly body?: string | undefined;
}): VNode {
  const line = lineIn(message);
  const text = line === undefined ? undefined : body?.split("\n")[line - 1];
  return (
    <>
      {line === undefined ? null : <strong>Line {line}: </strong>}
      {text === undefined ? null : <code>{text.trim()}</code>} {message}
    </>
  );
}

interface RunPanelProps {
  readonly row: OverviewRow;
  readonly id: string;
  readonly isSaved: boolean;
}

function RunPanel({ row, id, isSaved }: RunPanelProps): VNode {
  const { server, announcer } = usePage();
  const [keyText, setKeyText] = useParameter("key", "");
  const [parameters, setParameters] = useParameter("with", "[]");
  const [ran, setRan] = useState<ScriptRan | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const keys = parsedKeys(keyText, row.partitionKeyPaths);
  const wrong = parametersProblem(parameters);
  const whyNot = !keys.ok
    ? keyText.trim() === ""
      ? "It runs within one logical partition: type its key."
      : keys.error
    : (wrong ?? (isSaved ? undefined : "Save it first."));
  const run = async (): Promise<void> => {
    if (whyNot !== undefined || !keys.ok) return;
    const answer = await runProcedure(server, row, { id, keys: keys.value, parameters });
    setRan(answer.ok ? answer.value : undefined);
    setProblem(answer.ok ? undefined : plainError(answer.error.message));
    if (answer.ok) announcer.say(`Ran ${id}, ${chargeText(answer.value.charge)}.`);
  };
  useKey("run", run);
  return (
    <Panel title={`Run ${id}`}>
      <form
        class="stack tight"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <TextField
          label={`Partition key, ${row.partitionKeyPaths.join(", ")}`}
          isMono
          placeholder={keyExample(row.partitionKeyPaths)}
          value={keyText}
          onInput={setKeyText}
        />
        <TextField
          label="Parameters, as a JSON array"
          isMono
          value={parameters}
          onInput={setParameters}
          problem={wrong}
        />
        <div class="tools">
          <Button type="submit" kind="primary" whyNot={whyNot} onPress={() => undefined}>
            Run the stored procedure
          </Button>
        </div>
        {problem === undefined ? null : (
          <p class="problem thrown" role="alert">
            <Placed message={problem} />
          </p>
        )}
        {ran === undefined ? null : <Outcome ran={ran} />}
      </form>
    </Panel>
  );
}

function Outcome({ ran: { charge, result, log } }: { readonly ran: ScriptRan }): VNode {
  return (
    <div role="status">
      <p>It cost {chargeText(charge)}.</p>
      <h3>Result</h3>
      <ScrolledText label="Result of the script">{result}</ScrolledText>
      <h3>Log</h3>
      <ScrolledText label="Log of the script">
        {log === "" ? "It wrote nothing to its console." : log}
      </ScrolledText>
    </div>
  );
}
