/** A text in which `words between backticks` are names from code. */
import type { VNode } from "preact";

export function Coded({ text }: { readonly text: string }): VNode {
  return (
    <>
      {text.split("`").map((piece, index) => {
        // The pieces differ by where they stand, and by nothing else.
        const key = `${index} ${piece}`;
        return index % 2 === 0 ? <span key={key}>{piece}</span> : <code key={key}>{piece}</code>;
      })}
    </>
  );
}
