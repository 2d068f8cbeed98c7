// The text of a value before it is sealed. Lists of names shrink to a fifth.
import type { Json } from "../../base";

const PLAIN = "p";
const DEFLATED = "d";
/** Shorter texts do not get smaller. */
const DEFLATED_FROM = 256;

export function packed(value: Json): string {
  const text = JSON.stringify(value);
  if (text.length < DEFLATED_FROM) return PLAIN + text;
  return DEFLATED + Buffer.from(Bun.deflateSync(Buffer.from(text))).toString("base64");
}

/** Throws for a text that `packed` did not write. */
export function unpacked(text: string): Json {
  const body = text.slice(1);
  if (text.startsWith(PLAIN)) return JSON.parse(body);
  return JSON.parse(Buffer.from(Bun.inflateSync(Buffer.from(body, "base64"))).toString());
}
