/** Loads and shows the page that the address names, and keeps title and focus with it. */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { usePage, usePlace } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { Link } from "../parts/link.tsx";
import { AnswerHead } from "../parts/panel.tsx";
import { Empty, Loading } from "../parts/states.tsx";
import type { PageId } from "../session/place.ts";
import { placeAt } from "../session/place.ts";
import { PAGES } from "./pages.ts";

type Loaded =
  | { readonly page: PageId; readonly View: () => VNode }
  | { readonly page: PageId; readonly View: undefined };

export function PageView(): VNode {
  const { announcer } = usePage();
  const { page, segments } = usePlace();
  const [loaded, setLoaded] = useState<Loaded | undefined>(undefined);
  const [tryCount, setTryCount] = useState(0);
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    if (page === undefined) return;
    PAGES[page].load().then(
      (View) => setLoaded({ page, View }),
      () => setLoaded({ page, View: undefined }),
    );
  }, [page, tryCount]);
  const isFirst = useRef(true);
  const title = titleOf(page, segments);
  useEffect(() => {
    document.title = `${title} – Orrery`;
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    announcer.say(title);
    // What had the focus is gone with the page before.
    if (document.activeElement === document.body) main.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <main id="main" class="main" data-page={page} ref={main} tabIndex={-1} data-pane>
      {shownFor(page, loaded, () => setTryCount((count) => count + 1))}
    </main>
  );
}

function shownFor(
  page: PageId | undefined,
  loaded: Loaded | undefined,
  onRetry: () => void,
): VNode {
  if (page === undefined) return <Nowhere />;
  if (loaded?.page !== page) return <Loading what={`Loading ${PAGES[page].title}.`} />;
  if (loaded.View !== undefined) return <loaded.View key={page} />;
  return (
    <Empty
      title="This page could not be loaded."
      action={<Button onPress={onRetry}>Try again</Button>}
    >
      The server may have ended or been updated; reloading helps then.
    </Empty>
  );
}

function Nowhere(): VNode {
  return (
    <>
      <AnswerHead question="Nowhere" answer="There is no such page." />
      <p>
        <Link to={placeAt("overview")}>Go to Overview</Link>
      </p>
    </>
  );
}

function titleOf(page: PageId | undefined, segments: readonly string[]): string {
  const name = page === undefined ? "Nowhere" : PAGES[page].title;
  return segments.length === 0 ? name : `${name}: ${segments.join("/")}`;
}
