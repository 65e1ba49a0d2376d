/** The work on one container: a query, its results, what it cost, and the items it leads to. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { OverviewRow } from "../../../protocol/admin.ts";
import { useCommands, useParameter } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/panel.tsx";
import { keyValues } from "../data/tableColumns.ts";
import { ImportDialog } from "../importDialog.tsx";
import { ItemDialog } from "../itemDialog.tsx";
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
  const { run, next } = draft.query;
  const name = `${row.database}/${row.container}`;
  const newItem = (): void => setItem("new", { isStep: true });
  useCommands([
    { id: "newItem", title: "New item…", group: "Explorer", run: newItem },
    { id: "import", title: "Import a file…", group: "Explorer", run: () => setImporting(true) },
  ]);
  return (
    <div class="stack">
      <Panel
        title={name}
        beside={
          <div class="tools">
            <Button onPress={newItem}>New item…</Button>
            <Button onPress={() => setImporting(true)}>Import a file…</Button>
          </div>
        }
      >
        <QueryEditor {...draft.editor} />
        <RunBar {...draft.bar} />
        <EstimateLine estimated={draft.estimated} problems={draft.editor.draftProblems} />
      </Panel>
      <Results
        run={run}
        areProblemsShown={draft.editor.problems.length > 0}
        row={row}
        onNext={(isAll) => void next(isAll)}
        onOpen={(opened) => {
          const keys = keyValues(opened, row.partitionKeyPaths);
          setItem(JSON.stringify([keys, opened["id"]]), { isStep: true });
        }}
        history={<HistoryView {...draft.history} />}
      />
      {item === "" ? null : (
        <ItemDialog
          row={row}
          named={item}
          onClose={() => setItem("")}
          onRenamed={(renamed) => setItem(renamed)}
          onChanged={onChanged}
        />
      )}
      {isImporting ? (
        <ImportDialog row={row} onClose={() => setImporting(false)} onChanged={onChanged} />
      ) : null}
    </div>
  );
}
