/**
 * Go to anything by typing a few letters of it: pages, containers, actions of the page on show. A
 * text field with a list below it: arrows move in the list, Enter does what is picked.
 */
import type { VNode } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Command } from "../control/commands.ts";
import { useObserved, usePage } from "../control/page.ts";
import { ranked } from "../control/rank.ts";
import { Dialog } from "../parts/dialog.tsx";

const SHOWN_COUNT_MAX = 50;

export function Palette({ onClose }: { readonly onClose: () => void }): VNode {
  const all = useObserved(usePage().commands.all);
  const [typed, setTyped] = useState("");
  const [picked, setPicked] = useState(0);
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  const found = ranked(typed, all, ({ title }) => title).slice(0, SHOWN_COUNT_MAX);
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    // Closed first: what the command does may want the focus.
    onClose();
    command.run();
  };
  useEffect(() => {
    document.getElementById(`${listId}-${picked}`)?.scrollIntoView({ block: "nearest" });
  }, [picked, typed]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const last = found.length - 1;
    if (event.key === "Enter") run(found[picked]);
    else if (event.key === "ArrowDown") setPicked(picked >= last ? 0 : picked + 1);
    else if (event.key === "ArrowUp") setPicked(picked <= 0 ? last : picked - 1);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose} isTitleHidden>
      <input
        ref={input}
        class="input paletteInput"
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={found.length === 0 ? undefined : `${listId}-${picked}`}
        aria-label="Go to a page, a container or an action"
        placeholder="Go to a page, a container or an action"
        autoComplete="off"
        spellcheck={false}
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setPicked(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div class="paletteList" role="listbox" id={listId} aria-label="What was found">
        {found.map((command, index) => (
          <PaletteRow
            key={command.id}
            id={`${listId}-${index}`}
            command={command}
            isPicked={index === picked}
            onRun={() => run(command)}
          />
        ))}
      </div>
      {found.length === 0 ? <p class="state">Nothing here is called like that.</p> : null}
    </Dialog>
  );
}

interface PaletteRowProps {
  readonly id: string;
  readonly command: Command;
  readonly isPicked: boolean;
  readonly onRun: () => void;
}

function PaletteRow({ id, command, isPicked, onRun }: PaletteRowProps): VNode {
  const { title, group, keys } = command;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field does the same.
    // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus.
    <div role="option" id={id} aria-selected={isPicked} class="paletteRow" onClick={onRun}>
      <span>{title}</span>
      <span class="tiny">{group}</span>
      {keys === undefined ? null : <kbd>{keys}</kbd>}
    </div>
  );
}
