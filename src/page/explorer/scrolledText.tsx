/** A long text in a box that keys scroll. */
import type { ComponentChildren, VNode } from "preact";

interface ScrolledTextProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

export function ScrolledText({ label, children }: ScrolledTextProps): VNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll the box.
    <section class="jsonText" tabIndex={0} aria-label={label}>
      <pre>{children}</pre>
    </section>
  );
}
