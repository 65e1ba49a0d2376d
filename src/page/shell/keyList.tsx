/** The one table of keys, as `?` shows it and as Settings has it. */
import type { VNode } from "preact";
import { Dialog } from "../parts/dialog.tsx";
import { KeyTable } from "../parts/keyTableView.tsx";

export function KeyList({ onClose }: { readonly onClose: () => void }): VNode {
  return (
    <Dialog title="Keys" onClose={onClose} size="large">
      <KeyTable />
    </Dialog>
  );
}
