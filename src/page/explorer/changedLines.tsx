/** What a change of a text comes to, line by line: what goes, what comes, and what stays. */
import type { VNode } from "preact";
import { type LineChange, lineChanges } from "./lineChanges.ts";
import { ScrolledText } from "./scrolledText.tsx";

interface ChangedLinesProps {
  /** Such as "The item before and after". */
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

export function ChangedLines({ label, before, after }: ChangedLinesProps): VNode {
  return (
    <ScrolledText label={label}>
      {lineChanges(before, after).map((line, index) => (
        <Line key={index} line={line} />
      ))}
    </ScrolledText>
  );
}

function Line({ line: { kind, text } }: { readonly line: LineChange }): VNode {
  switch (kind) {
    case "same":
      return <span>{`  ${text}\n`}</span>;
    case "gone":
      return <del>{`− ${text}\n`}</del>;
    case "new":
      return <ins>{`+ ${text}\n`}</ins>;
  }
}
