/** Something to know or to do, with its state and a way on. */
import type { ComponentChildren, VNode } from "preact";
import type { TagTone } from "./tag.tsx";
import { Tag } from "./tag.tsx";

interface NoticeProps {
  readonly tone: TagTone;
  /** The word of the tag. */
  readonly word: string;
  readonly title: string;
  /** Where and since when, at the end of the first line. */
  readonly beside?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function Notice({ tone, word, title, beside, children }: NoticeProps): VNode {
  return (
    <div class={`notice ${tone}`}>
      <div class="noticeHead">
        <Tag tone={tone} word={word} />
        {beside === undefined ? null : <span class="tiny">{beside}</span>}
      </div>
      <h3>{title}</h3>
      {children}
    </div>
  );
}
