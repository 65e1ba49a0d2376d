/** The bar: which container, where to go, and what this browser session has spent. */
import type { VNode } from "preact";
import type { NamedContainer } from "../../model/copyJob.ts";
import { useObserved, usePage, usePlace } from "../control/page.ts";
import { Icon } from "../parts/icon.tsx";
import { Link } from "../parts/link.tsx";
import { Menu } from "../parts/menu.tsx";
import { chargeText } from "../parts/numbers.ts";
import { containerIn, placeAt } from "../session/place.ts";
import { PAGES } from "./pages.ts";

interface TopBarProps {
  readonly containers: readonly NamedContainer[];
  readonly onPalette: () => void;
}

export function TopBar({ containers, onPalette }: TopBarProps): VNode {
  return (
    <header class="top" data-pane tabIndex={-1}>
      <Link to={placeAt("overview")} class="brand" aria-label="Orrery, overview">
        <Mark />
      </Link>
      <ContainerSwitcher containers={containers} />
      <button
        type="button"
        class="button goTo"
        onClick={onPalette}
        aria-keyshortcuts="Control+K Meta+K"
      >
        <Icon name="search" />
        <span class="goToWords">Go to…</span> <kbd>{isMac() ? "⌘ K" : "Ctrl K"}</kbd>
      </button>
      <Spent />
    </header>
  );
}

function Mark(): VNode {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="16" cy="16" r="12.5" class="orbit" />
      <circle cx="16" cy="16" r="4.5" />
      <circle cx="25" cy="7.5" r="3.5" />
    </svg>
  );
}

function isMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}

const ALL = "";

function ContainerSwitcher({ containers }: Pick<TopBarProps, "containers">): VNode {
  const { router } = usePage();
  const place = usePlace();
  const about = containerIn(place);
  const textOf = ({ database, container }: NamedContainer): string => `${database} / ${container}`;
  const listed =
    about === undefined || containers.some((each) => textOf(each) === textOf(about))
      ? containers
      : [about, ...containers];
  const choose = (chosen: string): void => {
    const container = listed.find((each) => textOf(each) === chosen);
    const page = place.page ?? "overview";
    if (container === undefined) router.go(placeAt("overview"));
    else router.go(placeAt(PAGES[page].isAboutContainer === true ? page : "partitions", container));
  };
  return (
    <Menu
      label="Container"
      isLabelHidden
      choices={[
        { value: ALL, word: "All containers" },
        ...listed.map((each) => ({ value: textOf(each), word: textOf(each) })),
      ]}
      value={about === undefined ? ALL : textOf(about)}
      onChoose={choose}
    />
  );
}

/** The tool is a customer, too, and not an invisible one. */
function Spent(): VNode {
  const { tally } = usePage();
  const hundredths = useObserved(tally.hundredths);
  return (
    <p class="spent" title="RU that the requests of this browser tab were charged with">
      <span class="spentWords">this session spent</span>{" "}
      <strong>{chargeText(hundredths / 100)}</strong>
    </p>
  );
}
