/** Lets somebody in: shows the page to who has a session, and asks others for an account key. */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useObserved, usePage } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { Failed } from "../parts/states.tsx";
import type { EntranceStanding } from "../session/entrance.ts";
import { LiveRegions } from "./liveRegions.tsx";
import { Shell } from "./shell.tsx";

export function Door(): VNode {
  const { entrance } = usePage();
  const standing = useObserved(entrance.standing);
  useEffect(() => void entrance.open(), [entrance]);
  return (
    <>
      {standing.kind === "in" || standing.kind === "ended" ? (
        // Out of sight it keeps what somebody was typing when the session ended.
        <div hidden={standing.kind === "ended"}>
          <Shell />
        </div>
      ) : (
        <Threshold standing={standing} />
      )}
      {standing.kind === "ended" ? <Ended /> : null}
      <LiveRegions />
    </>
  );
}

/** Dialogs of the page may be open, so it is one, too: only the last of them has the focus. */
function Ended(): VNode {
  const { entrance } = usePage();
  const leave = (): void => void entrance.signOut();
  return (
    <Dialog
      title="The session has ended"
      onClose={() => undefined}
      foot={<Button onPress={leave}>Leave the page</Button>}
    >
      <div class="threshold inDialog">
        <p>What you were doing is kept, and goes on where it was.</p>
        <KeyForm hasFocus />
      </div>
    </Dialog>
  );
}

interface ThresholdProps {
  readonly standing: Exclude<EntranceStanding, { readonly kind: "in" | "ended" }>;
}

function Threshold({ standing }: ThresholdProps): VNode {
  const { entrance } = usePage();
  const open = (): void => void entrance.open();
  if (standing.kind === "opening") return <main class="threshold" aria-busy="true" />;
  return (
    <main class="threshold">
      <div class="panel">
        <h1>Orrery</h1>
        {standing.kind === "failed" ? (
          <Failed failure={standing.failure} onRetry={open} />
        ) : standing.isKeyNeeded ? (
          <KeyForm />
        ) : (
          <>
            <p>You are signed out.</p>
            <Button kind="primary" onPress={open}>
              Open the page again
            </Button>
          </>
        )}
      </div>
    </main>
  );
}

interface KeyFormProps {
  /** True where somebody is in the middle of something, and only the key is missing. */
  readonly hasFocus?: boolean;
}

function KeyForm({ hasFocus = false }: KeyFormProps): VNode {
  const { entrance } = usePage();
  const [key, setKey] = useState("");
  const field = useRef<HTMLInputElement | null>(null);
  // After the dialog has been opened, which puts the focus on its first button.
  useEffect(() => {
    if (hasFocus) field.current?.focus();
  }, [hasFocus]);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const isEmpty = key.trim() === "";
    setProblem(isEmpty ? "Type or paste an account key." : await entrance.openWith(key.trim()));
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <p>
        This account has a key of its own. Show it once: the page keeps a session of twelve hours
        instead of it. A read-only key opens a page that only reads.
      </p>
      <TextField
        label="Account key"
        type="password"
        value={key}
        onInput={setKey}
        problem={problem}
        isMono
        inputRef={(element) => {
          field.current = element;
        }}
        help={
          <>
            The server prints it when it starts; <code>orrery keys</code> shows it, too.
          </>
        }
      />
      <Button kind="primary" type="submit" onPress={() => undefined}>
        Open the page
      </Button>
    </form>
  );
}
