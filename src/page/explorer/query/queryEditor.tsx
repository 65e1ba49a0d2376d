/**
 * The text of a query: colours, offers of what may follow, and what is wrong underlined. Until the
 * editor is loaded, and where it cannot be, it is a plain text area.
 */
import type { VNode } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { CodeEditor } from "../editor/codeEditor.ts";
import { Echoes } from "../editor/echoes.ts";
import type { QueryWords } from "../editor/offers.ts";
import type { PlacedProblem } from "./queryProblem.ts";
import { positionText } from "./queryProblem.ts";

interface QueryEditorProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** Of this very text, as it was run. */
  readonly problems: readonly PlacedProblem[];
  /** Of this very text, while it is written: underlined, and not called out. */
  readonly draftProblems: readonly PlacedProblem[];
  readonly onSelect: (selected: string) => void;
  readonly onRun: () => void;
  /** When it goes up, the editor takes the focus, with its text selected. */
  readonly newCount: number;
  readonly words: QueryWords | undefined;
}

const ROWS_MIN = 4;
const ROWS_MAX = 14;

export function QueryEditor(props: QueryEditorProps): VNode {
  const { value, onInput, problems, draftProblems, onSelect } = props;
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const { host, isOpen } = useCodeEditor(props, field);
  const rows = Math.min(ROWS_MAX, Math.max(ROWS_MIN, value.split("\n").length));
  const isWrong = problems.length > 0 || draftProblems.length > 0;
  return (
    <div class="queryEditor">
      <div class="editorStack">
        <div ref={host} />
        {isOpen ? null : (
          <textarea
            ref={field}
            class="editorText mono"
            aria-label="Query"
            rows={rows}
            value={value}
            spellcheck={false}
            autocapitalize="off"
            aria-invalid={isWrong ? "true" : undefined}
            onInput={(event) => onInput(event.currentTarget.value)}
            onSelect={(event) => {
              const { selectionStart, selectionEnd } = event.currentTarget;
              onSelect(value.slice(selectionStart, selectionEnd));
            }}
          />
        )}
      </div>
      <p class="small editorHint">
        <kbd>Ctrl Space</kbd> offers what may follow, <kbd>Esc</kbd> closes the offers,{" "}
        <kbd>Tab</kbd> leaves the editor.
      </p>
      {problems.length === 0 ? null : (
        <div id={`${id}p`} role="alert">
          {problems.map(({ message, start, end }) => (
            <p key={`${start} ${message}`} class="problem">
              {start === undefined ? null : (
                <>
                  <strong>{positionText(value, start)}</strong>{" "}
                  <code>{shortened(value.slice(start, end))}</code>{" "}
                </>
              )}
              {message}
            </p>
          ))}
        </div>
      )}
    </div>
  );
}

const SHOWN_MAX = 40;

/** What is wrong may be the whole text, which stands above. */
function shortened(text: string): string {
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`;
}

interface OpenedEditor {
  readonly host: { current: HTMLDivElement | null };
  readonly isOpen: boolean;
}

function useCodeEditor(
  props: QueryEditorProps,
  field: { readonly current: HTMLTextAreaElement | null },
): OpenedEditor {
  const { value, problems, draftProblems } = props;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor | undefined>(undefined);
  const echoes = useRef(new Echoes(value));
  const latest = useRef(props);
  latest.current = props;
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    let isGone = false;
    const open = async (): Promise<void> => {
      const { openCodeEditor } = await import("../editor/codeEditor.ts");
      if (isGone || host.current === null) return;
      const text = field.current?.value ?? latest.current.value;
      echoes.current = new Echoes(latest.current.value, text);
      editor.current = openCodeEditor(host.current, {
        text,
        label: "Query",
        words: () => latest.current.words,
        onText: (changed) => {
          echoes.current.type(changed);
          latest.current.onInput(changed);
        },
        onSelect: (selected) => latest.current.onSelect(selected),
        onRun: () => latest.current.onRun(),
      });
      // Whoever is typing goes on in the editor.
      if (field.current !== null && document.activeElement === field.current) {
        editor.current.focus(field.current.selectionStart, field.current.selectionEnd);
      }
      setOpen(true);
    };
    // Without the editor the text area stays, which does everything but offer and colour.
    void open().catch(() => undefined);
    return () => {
      isGone = true;
      editor.current?.close();
    };
  }, []);
  useEffect(() => {
    if (echoes.current.isNews(value)) editor.current?.setText(value);
  }, [value, isOpen]);
  useEffect(() => {
    if (props.newCount === 0) return;
    if (editor.current !== undefined) editor.current.focus(0, latest.current.value.length);
    else field.current?.select();
  }, [props.newCount]);
  // Of a text that was run and refused, the draft would say the same once more.
  const places = problems.length > 0 ? problems : draftProblems;
  const told = JSON.stringify(places);
  useEffect(() => editor.current?.setProblems(places), [told, isOpen]);
  return { host, isOpen };
}
