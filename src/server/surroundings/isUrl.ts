/** Some options take a file or a URL: this tells them apart. */

export function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source);
}
