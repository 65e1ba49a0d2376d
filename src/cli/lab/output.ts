/**
 * How the lab answers: text for people, JSON for programs, a page to keep. Answers go to standard
 * output; how far it is, where a page was written and what could not be read to standard error.
 */
import { writeFileSync } from "node:fs";
import type { Advice } from "../../lab/advise/advice.ts";
import type { GuideComparison } from "../../lab/report/guide.ts";
import { guideJson, guideText } from "../../lab/report/guide.ts";
import { adviceHtml } from "../../lab/report/html.ts";
import { adviceJson } from "../../lab/report/json.ts";
import { adviceText } from "../../lab/report/text.ts";
import type { Limits } from "../../model/limits.ts";
import { CommandFailure } from "../terminal/failure.ts";

interface AnswerForm {
  readonly isJson: boolean;
  readonly htmlFile: string | undefined;
  readonly top: number | undefined;
  /** The expression of the key in use. */
  readonly current: string | undefined;
  readonly limits: Limits;
  readonly guide?: GuideComparison | undefined;
}

export function writeAdvice(advice: Advice, form: AnswerForm): void {
  const { isJson, htmlFile, top, current, limits, guide } = form;
  if (htmlFile !== undefined) writePage(htmlFile, adviceHtml(advice, { limits, current, guide }));
  if (isJson) {
    writeJson({ ...adviceJson(advice), ...(guide && { guide: guideJson(guide) }) });
    return;
  }
  const width = terminalWidth();
  const shown = top === undefined ? {} : { top };
  process.stdout.write(adviceText(advice, { width, current, limits, ...shown }));
  if (guide !== undefined) process.stdout.write(`\n${guideText(guide, width)}`);
}

export function writeJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Undefined: a file or a pipe, where lines may be as long as they are. */
export function terminalWidth(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns || undefined : undefined;
}

/** Says where, for whoever looks at the text. */
export function writePage(file: string, page: string): void {
  try {
    writeFileSync(file, page);
  } catch (error) {
    throw new CommandFailure(`The page cannot be written: ${(error as Error).message}`);
  }
  process.stderr.write(`report: ${file}\n`);
}
