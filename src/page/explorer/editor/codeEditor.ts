/**
 * The editor of queries. It weighs more than the rest of the page together, so it is loaded when
 * somebody looks at a container, and only `queryEditor.tsx` knows it.
 *
 * It lives in a shadow root: there CodeMirror hands its styles over as objects, where a document
 * would get a style element, which the content security policy forbids.
 */
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { Annotation, type Extension, Prec, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { type PlacedProblem, underlined } from "../query/queryProblem.ts";
import { queryTokens } from "../query/queryTokens.ts";
import { offersAt, type QueryWords } from "./offers.ts";

export interface CodeEditor {
  readonly text: string;
  setText(text: string): void;
  setProblems(problems: readonly PlacedProblem[]): void;
  focus(from: number, to: number): void;
  close(): void;
}

interface CodeEditorSetting {
  readonly text: string;
  readonly label: string;
  words(): QueryWords | undefined;
  onText(text: string): void;
  onSelect(selected: string): void;
  onRun(): void;
}

export function openCodeEditor(host: HTMLElement, setting: CodeEditorSetting): CodeEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const view = new EditorView({
    doc: setting.text,
    parent: root,
    root,
    extensions: extensionsFor(setting),
  });
  return {
    get text() {
      return view.state.doc.toString();
    },
    setText: (insert) => {
      if (insert === view.state.doc.toString()) return;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert },
        annotations: fromOutside.of(true),
      });
    },
    setProblems: (problems) => view.dispatch({ effects: problemsTold.of(problems) }),
    focus: (anchor, head) => {
      view.focus();
      view.dispatch({ selection: { anchor, head } });
    },
    close: () => view.destroy(),
  };
}

function extensionsFor(setting: CodeEditorSetting): Extension[] {
  const run = (): boolean => {
    setting.onRun();
    return true;
  };
  const complete = (context: CompletionContext): CompletionResult | null => {
    const text = context.state.doc.toString();
    const found = offersAt(text, context.pos, setting.words(), context.explicit);
    if (found === undefined || found.offers.length === 0) return null;
    const options = found.offers.map(({ label, kind, detail }) => ({
      label,
      type: kind,
      // The list is sorted by letter, and would begin with what the server wrote itself.
      ...(kind === "property" && label.startsWith("_") && { boost: -1 }),
      ...(detail !== undefined && { detail }),
    }));
    return { from: found.from, options, validFor: /^@?\w*$/ };
  };
  return [
    // The page has these keys, too; here they are acted on once.
    Prec.highest(
      keymap.of(
        ["Mod-Enter", "Shift-Enter", "F5"].map((key) => ({ key, run, stopPropagation: true })),
      ),
    ),
    overSelection,
    history(),
    keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
    autocompletion({ override: [complete], icons: false }),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": setting.label, spellcheck: "false" }),
    coloured,
    wrong,
    THEME,
    EditorView.updateListener.of((update) => {
      const isOutside = update.transactions.some((each) => each.annotation(fromOutside));
      if (update.docChanged && !isOutside) setting.onText(update.state.doc.toString());
      const { from, to } = update.state.selection.main;
      if (update.selectionSet || update.docChanged)
        setting.onSelect(update.state.sliceDoc(from, to));
    }),
  ];
}

/**
 * What is typed over a selection. Left to itself, the browser keeps the look of what was selected
 * in a style attribute, which the content security policy forbids.
 */
const overSelection = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { inputType, data, isComposing } = event;
    const isTyped = inputType === "insertText" && data !== null && !isComposing;
    if (!isTyped || view.state.selection.main.empty) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(data), {
      userEvent: "input.type",
      scrollIntoView: true,
    });
    return true;
  },
});

/** Whoever set the text knows it. */
const fromOutside = Annotation.define<boolean>();

const coloured = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = coloursOf(view);
    }

    update(update: ViewUpdate): void {
      if (update.docChanged) this.decorations = coloursOf(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function coloursOf({ state }: EditorView): DecorationSet {
  const marks = queryTokens(state.doc.toString())
    .filter(({ kind, from, to }) => kind !== "text" && from < to)
    .map(({ kind, from, to }) => Decoration.mark({ class: `q-${kind}` }).range(from, to));
  return Decoration.set(marks, true);
}

const problemsTold = StateEffect.define<readonly PlacedProblem[]>();

const wrong = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, transaction) => {
    const told = transaction.effects.find((effect) => effect.is(problemsTold));
    if (told === undefined) return marks.map(transaction.changes);
    const problems = told.value as readonly PlacedProblem[];
    const places = underlined(problems, transaction.newDoc.length).map(({ from, to }) =>
      Decoration.mark({ class: "q-wrong" }).range(from, to),
    );
    return Decoration.set(places, true);
  },
  provide: (field) => [
    EditorView.decorations.from(field),
    EditorView.contentAttributes.from(field, (marks) =>
      marks.size === 0 ? {} : { "aria-invalid": "true" },
    ),
  ],
});

/** Custom properties reach into the shadow root; all colours are those of the page. */
const THEME = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    font: "400 var(--t-text) / 1.6 var(--mono)",
    maxHeight: "22rem",
    minHeight: "6.4em",
    overflow: "auto",
  },
  ".cm-content": { padding: "var(--s3) 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 var(--s3)" },
  ".cm-content ::selection": {
    backgroundColor: "color-mix(in srgb, var(--accent) 30%, transparent)",
  },
  ".q-keyword": { color: "var(--accent)", fontWeight: "600" },
  ".q-function": { color: "var(--accent)" },
  ".q-string, .q-number": { color: "var(--good)" },
  ".q-parameter": { color: "var(--warn)" },
  ".q-comment": { color: "var(--soft)" },
  ".q-wrong": {
    textDecoration: "underline wavy var(--bad)",
    textUnderlineOffset: "3px",
  },
  ".cm-tooltip": {
    border: "1px solid var(--edge)",
    borderRadius: "var(--r)",
    backgroundColor: "var(--panel)",
    color: "var(--ink)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    font: "400 var(--t-small) / 1.6 var(--mono)",
    maxWidth: "min(26rem, 90vw)",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--accent)",
    color: "var(--on-accent)",
  },
  ".cm-completionDetail": { fontStyle: "normal", color: "inherit", paddingLeft: "var(--s2)" },
});
