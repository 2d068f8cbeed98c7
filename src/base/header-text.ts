// Values of headers with text beyond ASCII.
const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** Header values are decoded as Latin-1. Valid UTF-8 is decoded again, so that a user id is the same as in a body. */
export function headerText(value: string): string {
  if (!/[\x80-\xFF]/.test(value)) return value;
  try {
    return UTF_8.decode(Buffer.from(value, "latin1"));
  } catch {
    return value;
  }
}
