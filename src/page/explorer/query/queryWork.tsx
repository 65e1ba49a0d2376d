/** The work on one container: a query, its results, what it cost, and the items it leads to. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { OverviewRow } from "../../../protocol/admin.ts";
import { useCommands, useParameter } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/panel.tsx";
import { keyQuery } from "../../session/keyQuery.ts";
import { keyValues } from "../data/tableColumns.ts";
import { ImportDialog } from "../importDialog.tsx";
import { ItemDialog } from "../item/itemDialog.tsx";
import { StagedBar } from "../item/stagedBar.tsx";
import { itemName } from "../item/stagedItems.ts";
import { useStagedItems } from "../item/useStagedItems.ts";
import { QueryTabs } from "../tabs/queryTabStrip.tsx";
import { EstimateLine } from "./estimateLine.tsx";
import { HistoryView } from "./historyView.tsx";
import { QueryEditor } from "./queryEditor.tsx";
import { Results } from "./results.tsx";
import { RunBar } from "./runBar.tsx";
import { useQueryDraft } from "./useQueryDraft.ts";

interface QueryWorkProps {
  readonly row: OverviewRow;
  /** Items were written. */
  readonly onChanged: () => void;
}

export function QueryWork({ row, onChanged }: QueryWorkProps): VNode {
  const [item, setItem] = useParameter("item", "");
  const [isImporting, setImporting] = useState(false);
  const draft = useQueryDraft(row);
  const paths = row.partitionKeyPaths;
  const staged = useStagedItems(row, onChanged);
  const { run, next } = draft.query;
  return (
    <>
      <QueryTabs open={draft.open}>
        <Panel
          title={`${row.database}/${row.container}`}
          beside={
            <ItemTools
              onNew={() => setItem("new", { isStep: true })}
              onImport={() => setImporting(true)}
            />
          }
        >
          <QueryEditor {...draft.editor} />
          <RunBar {...draft.bar} />
          <EstimateLine estimated={draft.estimated} problems={draft.editor.draftProblems} />
        </Panel>
        <StagedBar
          staged={staged}
          onOpen={({ place }) => setItem(itemName(place), { isStep: true })}
        />
        <Results
          run={run}
          areProblemsShown={draft.editor.problems.length > 0}
          row={row}
          onNext={(isAll) => void next(isAll)}
          onOpen={(opened) => {
            const keys = keyValues(opened, paths);
            setItem(itemName({ keys, id: String(opened["id"]) }), { isStep: true });
          }}
          onSameKey={(item, level) =>
            draft.ask(keyQuery(paths, keyValues(item, paths.slice(0, level + 1))))
          }
          history={<HistoryView {...draft.history} />}
        />
      </QueryTabs>
      {item === "" ? null : (
        <ItemDialog
          row={row}
          named={item}
          staged={staged}
          onClose={() => setItem("")}
          onRenamed={(renamed) => setItem(renamed)}
          onChanged={onChanged}
        />
      )}
      {isImporting ? (
        <ImportDialog row={row} onClose={() => setImporting(false)} onChanged={onChanged} />
      ) : null}
    </>
  );
}

interface ItemToolsProps {
  readonly onNew: () => void;
  readonly onImport: () => void;
}

function ItemTools({ onNew, onImport }: ItemToolsProps): VNode {
  useCommands([
    { id: "newItem", title: "New item…", group: "Explorer", run: onNew },
    { id: "import", title: "Import a file…", group: "Explorer", run: onImport },
  ]);
  return (
    <div class="tools">
      <Button onPress={onNew}>New item…</Button>
      <Button onPress={onImport}>Import a file…</Button>
    </div>
  );
}
