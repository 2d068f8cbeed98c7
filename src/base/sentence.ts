/** The text with a full stop, unless it ends like a sentence already: another sentence may follow it. */
export function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
