/**
 * The frame around every page: bar, rail, status line, and the page that the address names. Keys
 * that work everywhere are bound here.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { NamedContainer } from "../../model/copyJob.ts";
import type { ContainersAnswer } from "../../protocol/admin.ts";
import type { Command } from "../control/commands.ts";
import { KEY_TABLE } from "../control/keyTable.ts";
import { useAdmin, useCommands, useKey, useObserved, usePage, usePlace } from "../control/page.ts";
import type { PageId } from "../session/place.ts";
import { containerIn, PAGE_IDS, placeAt } from "../session/place.ts";
import { KeyList } from "./keyList.tsx";
import { PAGES } from "./pages.ts";
import { PageView } from "./pageView.tsx";
import { Palette } from "./palette.tsx";
import { movePane } from "./panes.ts";
import { Rail } from "./rail.tsx";
import { StatusLine } from "./statusLine.tsx";
import { TopBar } from "./topBar.tsx";

const CONTAINERS_SECONDS = 15;

export function Shell(): VNode {
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [isKeyListOpen, setKeyListOpen] = useState(false);
  const { value } = useAdmin<ContainersAnswer>("containers", CONTAINERS_SECONDS);
  const containers = value?.containers ?? [];
  const onKeys = (): void => setKeyListOpen(true);
  useGlobalKeys({ onPalette: () => setPaletteOpen(true), onKeys });
  useGlobalCommands(containers, onKeys);
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <TopBar containers={containers} onPalette={() => setPaletteOpen(true)} />
      <Rail />
      <PageView />
      <StatusLine />
      {isPaletteOpen ? <Palette onClose={() => setPaletteOpen(false)} /> : null}
      {isKeyListOpen ? <KeyList onClose={() => setKeyListOpen(false)} /> : null}
    </div>
  );
}

/** The same page about the same container, if there is one. */
function useGoTo(): (page: PageId) => void {
  const { router } = usePage();
  return (page) => {
    const about =
      PAGES[page].isAboutContainer === true ? containerIn(router.place.value) : undefined;
    router.go(placeAt(page, about));
  };
}

interface KeyActions {
  readonly onKeys: () => void;
  readonly onPalette: () => void;
}

function useGlobalKeys(actions: KeyActions): void {
  const { keyboard, schedule, announcer } = usePage();
  const goTo = useGoTo();
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.defaultPrevented) return;
      if (keyboard.press(event, isTyping(event.composedPath()[0] ?? null))) event.preventDefault();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [keyboard]);
  useKey("palette", actions.onPalette);
  useKey("keyList", actions.onKeys);
  useKey("nextPane", () => movePane(1));
  useKey("formerPane", () => movePane(-1));
  useKey("pause", () => {
    schedule.isPaused.set(!schedule.isPaused.value);
    announcer.say(schedule.isPaused.value ? "Updates are paused." : "Updates go on.");
  });
  for (const page of PAGE_IDS) {
    const { key } = PAGES[page];
    // The pages are always the same, so the hooks are, too.
    if (key !== undefined) useKey(key, () => goTo(page));
  }
}

/** Letters belong to whoever types; in a dialog, to the dialog. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest("dialog") !== null) return true;
  const isText =
    target instanceof HTMLInputElement && !/^(radio|checkbox|range|button)$/.test(target.type);
  return isText || target.isContentEditable || target.matches("textarea, select");
}

function useGlobalCommands(containers: readonly NamedContainer[], onKeys: () => void): void {
  const { router, schedule, entrance } = usePage();
  const goTo = useGoTo();
  const place = usePlace();
  const isPaused = useObserved(schedule.isPaused);
  const about: PageId =
    place.page !== undefined && PAGES[place.page].isAboutContainer === true
      ? place.page
      : "partitions";
  const pages = PAGE_IDS.map((page): Command => {
    const { title, key } = PAGES[page];
    const keys = key === undefined ? undefined : KEY_TABLE[key].keys[0];
    return { id: `page ${page}`, title, group: "Pages", keys, run: () => goTo(page) };
  });
  const named = containers.map(({ database, container }): Command => {
    const title = `${database}/${container}`;
    const run = (): void => router.go(placeAt(about, { database, container }));
    return { id: `container ${title}`, title, group: `Containers, in ${PAGES[about].title}`, run };
  });
  const make = (what: string): Command => ({
    id: `shell new ${what}`,
    title: `New ${what}…`,
    group: "Explorer",
    run: () => router.go(placeAt("explorer", undefined, { new: what })),
  });
  useCommands([
    ...pages,
    ...named,
    // The explorer has these of its own, which keep the container that is looked at.
    ...(place.page === "explorer" ? [] : [make("container"), make("database")]),
    {
      id: "pause",
      title: isPaused ? "Resume updates" : "Pause updates",
      group: "Actions",
      keys: "p",
      run: () => schedule.isPaused.set(!schedule.isPaused.value),
    },
    { id: "keys", title: "Show the keys", group: "Actions", keys: "?", run: onKeys },
    { id: "signOut", title: "Sign out", group: "Actions", run: () => void entrance.signOut() },
  ]);
}
