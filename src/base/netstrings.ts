// Netstrings: the text of several fields, such that different fields never make the same text.

/** Each field as the decimal number of its UTF-8 bytes, a colon, the field, and a comma. */
export function netstrings(fields: readonly string[]): string {
  let text = "";
  for (const field of fields) text += `${Buffer.byteLength(field)}:${field},`;
  return text;
}
