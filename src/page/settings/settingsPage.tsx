/** Settings: how do I connect, and how should this look? */
import type { VNode } from "preact";
import type { Appearance } from "../control/appearance.ts";
import { DENSITIES, MOTIONS, THEMES, ZONES } from "../control/appearance.ts";
import { useObserved, usePage } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { KeyTable } from "../parts/keyTableView.tsx";
import { AnswerHead, Panel } from "../parts/panel.tsx";
import { Segmented } from "../parts/segmented.tsx";
import { ConnectionPanel } from "./connectionPanel.tsx";

export function SettingsPage(): VNode {
  const { entrance } = usePage();
  const { session } = entrance;
  return (
    <>
      <AnswerHead
        question="Settings: how do I connect, and how should this look?"
        answer={
          session?.isReadOnly === true
            ? "This session only reads: it was opened with a read-only key."
            : "This session reads and writes."
        }
        more="What is chosen here is kept in this browser only."
      />
      <div class="mainAndSide">
        <div class="stack">
          <ConnectionPanel />
          <Panel title="Keys">
            <KeyTable />
          </Panel>
        </div>
        <div class="stack">
          <AppearancePanel />
          <SessionPanel />
        </div>
      </div>
    </>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  system: "System",
  light: "Light",
  dark: "Dark",
  contrast: "Contrast",
  compact: "Compact",
  comfortable: "Comfortable",
  reduced: "Reduced",
  local: "Local",
  utc: "UTC",
};

function AppearancePanel(): VNode {
  const { appearance } = usePage();
  const chosen = useObserved(appearance);
  const choice = <K extends keyof Appearance>(
    name: K,
    label: string,
    values: readonly Appearance[K][],
  ): VNode => (
    <Segmented<Appearance[K]>
      label={label}
      isLabelShown
      choices={values.map((value) => ({ value, word: WORDS[value] ?? value }))}
      value={chosen[name]}
      onChoose={(value) => appearance.set({ ...chosen, [name]: value })}
    />
  );
  return (
    <Panel title="Appearance">
      <div class="stack tight">
        {choice("theme", "Theme", THEMES)}
        {choice("density", "Rows", DENSITIES)}
        {choice("motion", "Motion", MOTIONS)}
        {choice("zone", "Times", ZONES)}
      </div>
    </Panel>
  );
}

function SessionPanel(): VNode {
  const { entrance } = usePage();
  const { session } = entrance;
  const hours = Math.max(1, Math.round((session?.secondsLeft ?? 0) / 3600));
  return (
    <Panel title="Session">
      <p>
        Orrery {session?.version}.{" "}
        {session?.isFree === true
          ? "On this machine no key is asked for, because the account has the well-known one."
          : "The session was opened with an account key, which this browser does not keep."}{" "}
        It ends by itself within {hours} hours.
      </p>
      <p>
        <Button onPress={() => void entrance.signOut()}>Sign out</Button>
      </p>
    </Panel>
  );
}
