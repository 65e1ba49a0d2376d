/** Rows of one page of results as a tree; branches open one by one, with the browser's own keys. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Empty } from "../../parts/states.tsx";
import { cellOf } from "../data/tableColumns.ts";
import type { FetchedPage } from "./queryRun.ts";
import { branchText, CHILDREN_MAX, childrenOf, rowName } from "./treeNodes.ts";

export function ResultTree({ page }: { readonly page: FetchedPage }): VNode {
  if (page.rows.length === 0) {
    return <Empty title="No rows.">Nothing in the container passes this query.</Empty>;
  }
  return (
    <ul class="resultTree" aria-label="Rows as a tree">
      {page.rows.map((row, index) => (
        <Branch key={index} name={rowName(row, index)} value={row} isOpen={index === 0} />
      ))}
    </ul>
  );
}

interface BranchProps {
  readonly name: string;
  readonly value: unknown;
  readonly isOpen?: boolean | undefined;
}

function Branch({ name, value, isOpen = false }: BranchProps): VNode {
  // What is closed is not drawn.
  const [isShown, setShown] = useState(isOpen);
  const children = childrenOf(value);
  if (children === undefined) {
    const { text, isFaint } = cellOf(value);
    return (
      <li>
        {name}: <span class={isFaint ? "faint" : undefined}>{text}</span>
      </li>
    );
  }
  return (
    <li>
      <details open={isShown} onToggle={(event) => setShown(event.currentTarget.open)}>
        <summary>
          {name} <span class="faint">{branchText(value)}</span>
        </summary>
        {isShown ? (
          <ul>
            {children.slice(0, CHILDREN_MAX).map((child) => (
              <Branch key={child.name} {...child} />
            ))}
            {children.length > CHILDREN_MAX ? (
              <li class="faint">{children.length - CHILDREN_MAX} more are in the JSON.</li>
            ) : null}
          </ul>
        ) : null}
      </details>
    </li>
  );
}
