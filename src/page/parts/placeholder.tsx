/** A page that is not built yet says so, what it is for, and which command does it today. */
import type { ComponentChildren, VNode } from "preact";
import { usePlace } from "../control/page.ts";
import { containerIn } from "../session/place.ts";
import { CopyButton } from "./copyButton.tsx";
import { AnswerHead, Panel } from "./panel.tsx";

interface PlaceholderProps {
  readonly question: string;
  readonly children: ComponentChildren;
  /** Commands that do it today, with what each does. `CONTAINER` stands for the one looked at. */
  readonly commands: readonly (readonly [about: string, command: string])[];
}

export function Placeholder({ question, children, commands }: PlaceholderProps): VNode {
  const about = containerIn(usePlace());
  const name = about === undefined ? "shop/orders" : `${about.database}/${about.container}`;
  return (
    <>
      <AnswerHead
        question={question}
        answer="This page is not built yet; the command line does it."
      />
      <Panel title="What to use today">
        <p>{children}</p>
        {commands.map(([what, command]) => {
          const text = command.replace("CONTAINER", name);
          return (
            <div key={command} class="commandRow">
              <p>{what}</p>
              <pre>{text}</pre>
              <CopyButton text={text} what="the command" />
            </div>
          );
        })}
      </Panel>
    </>
  );
}
