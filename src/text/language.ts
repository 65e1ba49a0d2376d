/**
 * The languages that prose can be in. A policy names a language by its tag or by its Windows number
 * (LCID), which some clients send; in the code a language is always the tag. Tags are accepted in
 * any case.
 */
export type Language = "en-US" | "de-DE" | "es-ES" | "fr-FR" | "it-IT" | "pt-BR" | "pt-PT";

/** The language of paths that no policy mentions. */
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

/** Returns undefined when there is no such language. */
export function languageOf(name: string): Language | undefined {
  return BY_NAME.get(name.toLowerCase());
}
