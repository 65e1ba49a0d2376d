/** The items that could not be copied, each with its reason and the item as it is now. */
import type { VNode } from "preact";
import type { CopyJobEntry, SetAsideAnswer } from "../../../model/copyJob.ts";
import { useAdmin } from "../../control/page.ts";
import { CodeBox } from "../../parts/codeBox.tsx";
import { Disclosure } from "../../parts/disclosure.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Answered } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { jobRoute } from "../job/places.ts";

const SET_ASIDE_SECONDS = 10;

export function SetAsidePanel({ job }: { readonly job: CopyJobEntry }): VNode {
  const answer = useAdmin<SetAsideAnswer>(jobRoute(job.id, "setAside"), SET_ASIDE_SECONDS);
  const { count, max } = job.setAside;
  return (
    <Panel
      title="Set aside"
      isBare
      beside={<Tag tone="warn" word={`${count} of at most ${max}`} />}
    >
      <p class="panelText">
        These items have no copy. Mend them in the source: a changed item is tried again.
      </p>
      <Answered of={answer} loading="Reading what was set aside.">
        {({ items }) => (
          <div class="scroll">
            <table>
              <caption class="unseen">Items that could not be copied</caption>
              <thead>
                <tr>
                  <th scope="col">Item</th>
                  <th scope="col">Key</th>
                  <th scope="col">Why</th>
                </tr>
              </thead>
              <tbody>
                {items.map(({ id, key, reason, lsn, document }) => (
                  <tr key={`${id} ${lsn}`}>
                    <th scope="row">
                      <code>{id}</code>
                    </th>
                    <td>
                      <code>{JSON.stringify(key)}</code>
                    </td>
                    <td>
                      {reason}
                      {document === undefined ? null : (
                        <Disclosure summary="The item now">
                          <CodeBox code={JSON.stringify(document, undefined, 2)} />
                        </Disclosure>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Answered>
    </Panel>
  );
}
