/**
 * Where the browser is, as a place of the page, and how it goes elsewhere. The address bar is the
 * only home of this state.
 */
import { Observable } from "./observable.ts";
import { hrefOf, type PagePlace, placeOf } from "./place.ts";

/** What the router needs of a browser's window. */
interface Surroundings {
  readonly location: Pick<Location, "pathname" | "search">;
  readonly history: Pick<History, "pushState" | "replaceState">;
  addEventListener(type: "popstate", listener: () => void): void;
}

export class Router {
  readonly #window: Surroundings;
  readonly place: Observable<PagePlace>;

  constructor(window: Surroundings) {
    this.#window = window;
    this.place = new Observable(this.#here());
    window.addEventListener("popstate", () => this.place.set(this.#here()));
  }

  /** `isSameStep` changes the address without a step that the back button would go back by. */
  go(place: PagePlace, { isSameStep = false }: { readonly isSameStep?: boolean } = {}): void {
    const href = hrefOf(place);
    const { pathname, search } = this.#window.location;
    if (href === pathname + search) return;
    if (isSameStep) this.#window.history.replaceState(null, "", href);
    else this.#window.history.pushState(null, "", href);
    this.place.set(place);
  }

  #here(): PagePlace {
    const { pathname, search } = this.#window.location;
    return placeOf(pathname, search);
  }
}
