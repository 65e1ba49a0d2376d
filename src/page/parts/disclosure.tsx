/** Something that is there for who wants it: closed until it is asked for. */
import type { ComponentChildren, VNode } from "preact";

interface DisclosureProps {
  readonly summary: string;
  readonly children: ComponentChildren;
}

export function Disclosure({ summary, children }: DisclosureProps): VNode {
  return (
    <details class="disclosure">
      <summary>{summary}</summary>
      {children}
    </details>
  );
}
