/** The frame of everything on a page: a heading, what belongs beside it, and what it is about. */
import type { ComponentChildren, VNode } from "preact";
import { useId } from "preact/hooks";

interface PanelProps {
  readonly title: string;
  /** A legend, a tag, a button: what stands at the end of the heading. */
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
  /** True for a table that goes to the edges. */
  readonly isBare?: boolean | undefined;
  readonly class?: string | undefined;
}

export function Panel({ title, beside, children, isBare, class: name }: PanelProps): VNode {
  const id = useId();
  return (
    <section class={`panel ${isBare === true ? "bare" : ""} ${name ?? ""}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {beside}
      </header>
      {children}
    </section>
  );
}

interface AnswerHeadProps {
  /** The page and its one question: "Overview: is anything wrong, and where?" */
  readonly question: string;
  /** The answer, in one sentence with numbers. */
  readonly answer: ComponentChildren;
  readonly more?: ComponentChildren;
  /** Buttons and choices that are about the whole page. */
  readonly tools?: ComponentChildren;
}

/** A page opens with its answer. */
export function AnswerHead({ question, answer, more, tools }: AnswerHeadProps): VNode {
  return (
    <header class="answerHead">
      <div>
        <h1>{question}</h1>
        <p class="answer">{answer}</p>
        {more === undefined ? null : <p class="small">{more}</p>}
      </div>
      {tools === undefined ? null : <div class="tools">{tools}</div>}
    </header>
  );
}
