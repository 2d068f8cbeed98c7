/** A text without the slashes at its end. A pattern such as `/\/+$/` takes quadratic time on a text full of slashes. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === 0x2f) end--;
  return text.slice(0, end);
}
