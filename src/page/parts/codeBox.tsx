/** Text of a program: in a box that keys scroll, or in a row with what it is and what copies it. */
import type { ComponentChildren, VNode } from "preact";

export function CodeBox({ code }: { readonly code: string }): VNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll the box.
    <pre tabIndex={0}>{code}</pre>
  );
}

interface CodeRowProps {
  readonly about: ComponentChildren;
  /** The words are the name of the text, not a sentence. */
  readonly isLabel?: boolean | undefined;
  readonly code: string;
  /** Beside the text: what copies it. */
  readonly children: ComponentChildren;
}

export function CodeRow({ about, isLabel, code, children }: CodeRowProps): VNode {
  return (
    <div class="commandRow">
      <p class={isLabel === true ? "fieldLabel" : undefined}>{about}</p>
      <CodeBox code={code} />
      {children}
    </div>
  );
}
