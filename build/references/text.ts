// Texts of declarations as Markdown.

/** A meaning or a summary as a sentence: with a capital and a full stop. */
export function sentence(text: string): string {
  const first = /^[a-z]+(?:[A-Z]|[._])/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return escaped(/[.!?…]$/.test(first) ? first : `${first}.`);
}

/** Without characters that Markdown would read as markup. Code in backquotes stays. */
export function escaped(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, at) => (at % 2 === 1 ? part : part.replaceAll(/[*<>[\]]/g, "\\$&")))
    .join("");
}
