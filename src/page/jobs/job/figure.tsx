/** A named figure of a job; several of them stand in a `dl` of the class `figures`. */
import type { ComponentChildren, VNode } from "preact";

interface FigureProps {
  readonly name: string;
  readonly children: ComponentChildren;
}

export function Figure({ name, children }: FigureProps): VNode {
  return (
    <div>
      <dt class="small">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
