/** A state in a mark, a word and a colour, in that order of importance. */
import type { VNode } from "preact";

export type TagTone = "good" | "info" | "warn" | "bad" | "now" | "none";

const MARKS: Readonly<Record<TagTone, string>> = {
  good: "✓",
  info: "·",
  warn: "△",
  bad: "✕",
  now: "●",
  none: "–",
};

export function Tag({ tone, word }: { readonly tone: TagTone; readonly word: string }): VNode {
  return (
    <span class={`tag ${tone}`}>
      <span aria-hidden="true">{MARKS[tone]}</span> {word}
    </span>
  );
}
