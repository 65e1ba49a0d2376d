/** Pages of the service's documentation: they lead out of the page, and say so. */
import type { VNode } from "preact";
import type { Alert } from "../../alerts/alertBoard.ts";

export function DocsLinks({ pages }: { readonly pages: Alert["docs"] }): VNode | null {
  if (pages.length === 0) return null;
  return (
    <section>
      <h3>The service's documentation</h3>
      <ul class="docsLinks">
        {pages.map(({ title, url }) => (
          <li key={url}>
            <a href={url} target="_blank" rel="noopener noreferrer">
              {title}
              <span class="unseen"> (opens elsewhere)</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
