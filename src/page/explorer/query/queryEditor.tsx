/**
 * The text of a query: a text area with its colours drawn behind it, and what is wrong underlined.
 * It is the browser's own field, so that every aid for typing works in it.
 */
import type { VNode } from "preact";
import { useId, useRef } from "preact/hooks";
import type { PlacedProblem } from "./queryProblem.ts";
import { positionText } from "./queryProblem.ts";
import { piecesOf } from "./queryTokens.ts";

interface QueryEditorProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** Of this very text. */
  readonly problems: readonly PlacedProblem[];
  readonly onSelect: (selected: string) => void;
}

const ROWS_MIN = 4;
const ROWS_MAX = 14;

export function QueryEditor({ value, onInput, problems, onSelect }: QueryEditorProps): VNode {
  const id = useId();
  const behind = useRef<HTMLPreElement>(null);
  const rows = Math.min(ROWS_MAX, Math.max(ROWS_MIN, value.split("\n").length));
  const isWrong = problems.length > 0;
  return (
    <div class="queryEditor">
      <label class="unseen" for={id}>
        Query
      </label>
      <div class="editorStack">
        <pre ref={behind} class="editorColours" aria-hidden="true">
          {piecesOf(value, problems).map(({ text, kind, isWrong: isMarked }, index) => (
            <span key={index} class={`q-${kind} ${isMarked ? "q-wrong" : ""}`}>
              {text}
            </span>
          ))}
          {"\n"}
        </pre>
        <textarea
          id={id}
          class="editorText mono"
          rows={rows}
          value={value}
          spellcheck={false}
          autocapitalize="off"
          aria-invalid={isWrong ? "true" : undefined}
          aria-describedby={isWrong ? `${id}p` : undefined}
          onInput={(event) => onInput(event.currentTarget.value)}
          onSelect={(event) => {
            const { selectionStart, selectionEnd } = event.currentTarget;
            onSelect(value.slice(selectionStart, selectionEnd));
          }}
          onScroll={(event) => {
            const { scrollTop, scrollLeft } = event.currentTarget;
            behind.current?.scrollTo({ top: scrollTop, left: scrollLeft });
          }}
        />
      </div>
      {isWrong ? (
        <div id={`${id}p`} role="alert">
          {problems.map(({ message, start, end }) => (
            <p key={`${start} ${message}`} class="problem">
              {start === undefined ? null : (
                <>
                  <strong>{positionText(value, start)}</strong>{" "}
                  <code>{value.slice(start, end)}</code>{" "}
                </>
              )}
              {message}
            </p>
          ))}
        </div>
      ) : null}
    </div>
  );
}
