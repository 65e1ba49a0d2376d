/** A value as the text of a YAML file, in the order of its members. */
import { stringify } from "yaml";

export function yamlText(value: object): string {
  return stringify(value, { lineWidth: 100 });
}
