/**
 * Puts the chosen appearance on the document before anything is drawn, so that no page flashes in
 * the wrong theme. A script of its own, because the policy of the page allows none in the document.
 */
import { readAppearance, showAppearance } from "../control/appearance.ts";

showAppearance(document.documentElement, readAppearance(localStorage));
