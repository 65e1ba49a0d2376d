/** The line at the bottom: which server, its limits, how fresh what is shown is. */
import type { VNode } from "preact";
import type { LimitsAnswer } from "../../protocol/admin.ts";
import { useAdmin, useObserved, usePage } from "../control/page.ts";
import { useTimes } from "../parts/times.ts";

export function StatusLine(): VNode {
  const { entrance, schedule, clock } = usePage();
  const standing = useObserved(entrance.standing);
  const isPaused = useObserved(schedule.isPaused);
  const limits = useAdmin<LimitsAnswer>("limits");
  const { zoneText } = useTimes();
  const changed = limits.value?.changed ?? [];
  return (
    <footer class="status" data-pane tabIndex={-1}>
      <span>{location.host}</span>
      {limits.value === undefined ? null : (
        <span>
          {changed.length === 0
            ? "Limits as in the service"
            : `Limits changed: ${changed.join(", ")}`}
        </span>
      )}
      <span>1 GB = 1,024 MB</span>
      <span>{isPaused ? "Updates are paused" : "Updates stop while this tab is hidden"}</span>
      {standing.kind === "in" && standing.session.isReadOnly ? (
        <span>This session only reads</span>
      ) : null}
      <span>Times in {zoneText(clock.wallNow())}</span>
    </footer>
  );
}
