/** A drawing of `lab/drawing`: the same marks as in the report, in the colours of the page. */
import type { VNode } from "preact";
import { h } from "preact";
import type { DrawnMark } from "../../lab/drawing/mark.ts";
import type { Drawing } from "../../lab/drawing/plot.ts";

export function DrawnFigure({ of }: { readonly of: Drawing }): VNode {
  const { title, sentence, width, height, marks } = of;
  return (
    <figure class="drawn">
      <p class="drawnTitle">{title}</p>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${title}. ${sentence}`}>
        {marks.map(element)}
      </svg>
      <figcaption>{sentence}</figcaption>
    </figure>
  );
}

/** Classes get a name of their own here: the page's `bar` is not the drawing's. */
function element({ name, attributes, children }: DrawnMark, at: number): VNode {
  const { class: kinds = "", ...rest } = attributes;
  const named = kinds.split(" ").map((kind) => `d-${kind}`);
  const given: object = { ...rest, key: at, class: named.join(" ") };
  const inside = children.map((child, index) =>
    typeof child === "string" ? child : element(child, index),
  );
  return h<object>(name, given, inside) as VNode;
}

/** What is hatched in any of them. */
export function HatchPattern(): VNode {
  return (
    <svg class="unseen" width="0" height="0" aria-hidden="true">
      <defs>
        <pattern id="labHatch" width="4" height="4" patternUnits="userSpaceOnUse">
          <path d="M-1 1l2-2M0 4l4-4M3 5l2-2" />
        </pattern>
      </defs>
    </svg>
  );
}
