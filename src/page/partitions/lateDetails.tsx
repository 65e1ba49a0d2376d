/** A disclosure whose content is made when it is first opened: tables behind charts are long. */
import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";

interface LateDetailsProps {
  readonly summary: string;
  readonly children: () => ComponentChildren;
}

export function LateDetails({ summary, children }: LateDetailsProps): VNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="disclosure" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen ? children() : null}
    </details>
  );
}
