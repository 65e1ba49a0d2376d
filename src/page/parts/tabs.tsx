/** Views of one thing, one at a time: the tabs pattern, arrows move between them. */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { nextIndex } from "./keyMoves.ts";

interface Tab<T extends string> {
  readonly id: T;
  readonly title: ComponentChildren;
}

interface TabsProps<T extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<T>[];
  readonly picked: T;
  readonly onPick: (id: T) => void;
  /** What else can be done with the tabs, to the right of them. */
  readonly beside?: ComponentChildren;
  /** What the picked tab shows. */
  readonly children: ComponentChildren;
}

export function Tabs<T extends string>({
  label,
  tabs,
  picked,
  onPick,
  beside,
  children,
}: TabsProps<T>): VNode {
  const name = useId();
  const list = useRef<HTMLDivElement>(null);
  // Where there is no room for all tabs, the picked one is in sight; the page itself stays put.
  useEffect(() => {
    const row = list.current;
    const tab = row?.querySelector("[aria-selected=true]")?.getBoundingClientRect();
    if (row === null || tab === undefined) return;
    const { left, right } = row.getBoundingClientRect();
    if (tab.left < left) row.scrollLeft -= left - tab.left;
    else if (tab.right > right) row.scrollLeft += tab.right - right;
  }, [picked, tabs.length]);
  const move = (event: KeyboardEvent): void => {
    const at = tabs.findIndex(({ id }) => id === picked);
    const next = nextIndex(event.key, at, tabs.length);
    if (next === undefined) return;
    event.preventDefault();
    onPick(tabs[next]!.id);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  return (
    <div class="tabs">
      <div class="tabRow">
        <div role="tablist" aria-label={label} ref={list} onKeyDown={move}>
          {tabs.map(({ id, title }) => (
            <button
              type="button"
              role="tab"
              key={id}
              id={`${name}-${id}`}
              aria-selected={id === picked}
              aria-controls={`${name}-shown`}
              tabIndex={id === picked ? 0 : -1}
              onClick={() => onPick(id)}
            >
              {title}
            </button>
          ))}
        </div>
        {beside}
      </div>
      <div role="tabpanel" id={`${name}-shown`} aria-labelledby={`${name}-${picked}`}>
        {children}
      </div>
    </div>
  );
}
