/**
 * The languages that prose can be in. A policy names one by its tag or by the number Windows knows
 * it by (its LCID), which is how some clients send it; a language is always the tag in here. The
 * letters of a tag may be small or capital, as with all such tags.
 */
export type Language = "en-US" | "de-DE" | "es-ES" | "fr-FR" | "it-IT" | "pt-BR" | "pt-PT";

/** Of paths that no policy says anything about. */
export const DEFAULT_LANGUAGE: Language = "en-US";

const NUMBERS: Readonly<Record<Language, string>> = {
  "en-US": "1033",
  "de-DE": "1031",
  "es-ES": "3082",
  "fr-FR": "1036",
  "it-IT": "1040",
  "pt-BR": "1046",
  "pt-PT": "2070",
};

export const LANGUAGES: readonly Language[] = Object.keys(NUMBERS) as Language[];

const BY_NAME: ReadonlyMap<string, Language> = new Map(
  LANGUAGES.flatMap((language) => [
    [language.toLowerCase(), language],
    [NUMBERS[language], language],
  ]),
);

/** Undefined when there is no such language. */
export function languageOf(name: string): Language | undefined {
  return BY_NAME.get(name.toLowerCase());
}
