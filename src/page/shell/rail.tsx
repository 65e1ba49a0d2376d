/** The pages, with words; on a narrow screen a bar at the bottom. */
import type { VNode } from "preact";
import type { AlertsAnswer } from "../../protocol/admin.ts";
import { useAdmin, usePlace } from "../control/page.ts";
import { Icon } from "../parts/icon.tsx";
import { Link } from "../parts/link.tsx";
import { containerIn, PAGE_IDS, placeAt } from "../session/place.ts";
import { PAGES } from "./pages.ts";

const ALERTS_SECONDS = 10;

export function Rail(): VNode {
  const place = usePlace();
  const firingCount = useFiringCount();
  return (
    <nav class="rail" aria-label="Pages" data-pane tabIndex={-1}>
      <ul>
        {PAGE_IDS.map((id) => {
          const { title, icon, isAboutContainer } = PAGES[id];
          if (icon === undefined) return null;
          const about = isAboutContainer === true ? containerIn(place) : undefined;
          return (
            <li key={id} class={id}>
              <Link to={placeAt(id, about)} aria-current={place.page === id ? "page" : undefined}>
                <Icon name={icon} />
                {title}
                {id === "alerts" && firingCount > 0 ? (
                  <span class="count">
                    {firingCount}
                    <span class="unseen"> firing</span>
                  </span>
                ) : null}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function useFiringCount(): number {
  const { value } = useAdmin<AlertsAnswer>("alerts?only=active", ALERTS_SECONDS);
  return (
    value?.alerts.alerts.filter(({ state, severity }) => state === "firing" && severity !== "info")
      .length ?? 0
  );
}
