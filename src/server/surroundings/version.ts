/** The version of this build; `development` where the sources run without having been built. */

declare const ORRERY_VERSION: string;

export const VERSION: string =
  typeof ORRERY_VERSION === "undefined" ? "development" : ORRERY_VERSION;
