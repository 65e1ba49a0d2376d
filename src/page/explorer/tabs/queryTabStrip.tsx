/** The queries that are open beside each other, as tabs; what the picked one has is below them. */
import type { ComponentChildren, VNode } from "preact";
import { Button } from "../../parts/button.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { type QueryTab, tabTitle } from "./queryTabs.ts";
import type { OpenQueries } from "./useAddressedQuery.ts";

interface QueryTabsProps {
  readonly open: OpenQueries;
  readonly children: ComponentChildren;
}

export function QueryTabs({ open, children }: QueryTabsProps): VNode {
  const { tabs, picked, begin, show, close } = open;
  return (
    <Tabs
      label="Queries"
      tabs={tabs.map((tab) => ({ id: tab.id, title: titleOf(tab, open) }))}
      picked={picked}
      onPick={show}
      beside={
        <>
          {tabs.length === 1 ? null : (
            <Button kind="quiet" onPress={() => close(picked)}>
              Close this query
            </Button>
          )}
          <Button kind="quiet" onPress={begin}>
            New query
          </Button>
        </>
      }
    >
      <div class="stack">{children}</div>
    </Tabs>
  );
}

function titleOf({ id, text }: QueryTab, { isRunning }: OpenQueries): string {
  return `${id}: ${tabTitle(text)}${isRunning(id) ? ", running" : ""}`;
}
