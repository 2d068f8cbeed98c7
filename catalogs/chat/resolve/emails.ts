// Finds people by e-mail address. The platform looks up one address at a time, and only active people.
import { badInput } from "../../../src/tools";
import type { ChatClient } from "../client";
import { type BasicUser, basicUser } from "../records/user";
import { codeOf } from "../upstream/failure";
import { MAX_SHOWN, shortened } from "./not-found";
import { objectIn } from "../../upstream/json";
import { rememberUser } from "./users";

const ADDRESS = /^[^\s@]+@(?:[^\s@.]+\.)+(?:\p{L}{2,}|xn--[a-z0-9-]+)$/iu;

/** Throws bad input that names the texts that are not addresses. Blank ones are ignored. */
export function requireAddresses(emails: readonly string[]): void {
  const wrong = [...emails.entries()].filter(
    ([, email]) => email.trim() !== "" && !ADDRESS.test(email.trim()),
  );
  if (wrong.length === 0) return;
  const rules = wrong
    .slice(0, MAX_SHOWN)
    .map(
      ([index, email]) => `emails.${index} must have the form local@domain.tld: ${shortened(email)} has not`,
    );
  throw badInput(`${rules.join("; ")}.`, {
    additionalPromptContent:
      "Correct `emails` and call again, or give these people in `usernames` or `user_ids`.",
  });
}

/** The person of an address; undefined if there is none. Throws all other failures. */
export async function findEmail(client: ChatClient, address: string): Promise<BasicUser | undefined> {
  const email = address.toLowerCase();
  try {
    const user = basicUser(objectIn(await client.call("users.lookupByEmail", { email }), "user"));
    if (user !== undefined) rememberUser(client, user);
    return user;
  } catch (error) {
    if (codeOf(error) === "users_not_found") return undefined;
    throw error;
  }
}
