/** A link to a place of the page: a real address, followed without loading the page again. */
import type { ComponentChildren, VNode } from "preact";
import { usePage } from "../control/page.ts";
import { hrefOf, type PagePlace } from "../session/place.ts";

interface LinkProps {
  readonly to: PagePlace;
  readonly children: ComponentChildren;
  readonly class?: string | undefined;
  readonly "aria-label"?: string | undefined;
  readonly "aria-current"?: "page" | "step" | undefined;
}

export function Link({ to, children, ...rest }: LinkProps): VNode {
  const { router } = usePage();
  const follow = (event: MouseEvent): void => {
    // With a modifier or another button the browser opens it elsewhere.
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) {
      return;
    }
    event.preventDefault();
    router.go(to);
  };
  return (
    <a href={hrefOf(to)} onClick={follow} {...rest}>
      {children}
    </a>
  );
}
