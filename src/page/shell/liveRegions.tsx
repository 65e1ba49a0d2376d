/** Where announcements are put so that screen readers read them out. */
import type { VNode } from "preact";
import { useObserved, usePage } from "../control/page.ts";

export function LiveRegions(): VNode {
  const { announcer } = usePage();
  const polite = useObserved(announcer.polite);
  const urgent = useObserved(announcer.urgent);
  return (
    <>
      <div class="unseen" role="status">
        <span key={polite.count}>{polite.text}</span>
      </div>
      <div class="unseen" role="alert">
        <span key={urgent.count}>{urgent.text}</span>
      </div>
    </>
  );
}
