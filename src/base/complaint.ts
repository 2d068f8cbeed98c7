// What a program that prints a secret says about its failure.
import { visible } from "./visible";

const MOST_BYTES = 4096;
const MOST_SHOWN = 300;

/** The end of an error message: what the program wrote to standard error, without what could be a key or a password. */
export function complaintOf(stderr: Uint8Array): string {
  const text = new TextDecoder().decode(stderr.subarray(0, MOST_BYTES)).trim();
  if (text === "") return "";
  const safe = text.replaceAll(/[A-Za-z0-9+/_=-]{24,}/g, "[redacted]");
  return ` It wrote: ${visible(safe).slice(0, MOST_SHOWN)}`;
}
