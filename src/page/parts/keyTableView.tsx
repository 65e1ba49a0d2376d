/** The table of keys, drawn. */
import type { VNode } from "preact";
import { keyGroups } from "../control/keyTable.ts";

export function KeyTable(): VNode {
  return (
    <div class="keyTable">
      {keyGroups().map(([where, rows]) => (
        <section key={where}>
          <h3>{where}</h3>
          <dl>
            {rows.map(({ keys, does }) => (
              <div key={does}>
                <dt>
                  {keys.map((each, index) => (
                    <span key={each}>
                      {index === 0 ? "" : " or "}
                      <Keys text={each} />
                    </span>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}

/** Keys that follow each other, or that are pressed together. */
function Keys({ text }: { readonly text: string }): VNode {
  const shown = text.split(" ").map((key) => key.replace("Mod+", "Ctrl/⌘ "));
  return (
    <>
      {shown.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </>
  );
}
