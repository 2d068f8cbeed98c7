// The names of a worker's tools, next to those that read resources and prompts.
import { uniqueNames } from "../foreign";

export const READ_RESOURCE = "ReadResource";
export const GET_PROMPT = "GetPrompt";
export const COMPLETE = "Complete";

/** The name of each tool, by the name that the server gives it. `reserved`: names that none of them gets. */
export function namesOf(
  upstream: readonly string[],
  reserved: readonly string[],
): ReadonlyMap<string, string> {
  const names = new Map(uniqueNames(upstream));
  const taken = new Set([...names.values()].map((name) => name.toLowerCase()));
  for (const [given, name] of names) {
    if (!reserved.some((other) => other.toLowerCase() === name.toLowerCase())) continue;
    const digest = new Bun.CryptoHasher("sha256").update(given).digest("hex");
    let length = 4;
    while (taken.has(`${name}_${digest.slice(0, length)}`.toLowerCase()) && length < digest.length) length++;
    names.set(given, `${name}_${digest.slice(0, length)}`);
  }
  return names;
}
