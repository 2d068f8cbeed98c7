// Whose grant it is: told at consent and stored with the grant, else asked of the platform once.
import { type JsonObject, upstreamFailed } from "../../../src/tools";
import type { ChatClient } from "../client";
import { REMEMBER_MS } from "../limits";
import { textIn } from "../../upstream/json";

const AUTH_TEST = "auth.test";

/** The id of the user who granted; costs a call only when the grant does not tell it. */
export async function ownId(client: ChatClient): Promise<string> {
  const id = knownOwnId(client) ?? textIn(await authTest(client), "user_id");
  if (id === undefined) throw upstreamFailed("The platform did not say whose grant this is.");
  return id;
}

/** The id of the user who granted, if it is known without a call. */
export function knownOwnId(client: ChatClient): string | undefined {
  return fact(client, "user_id");
}

/**
 * The workspace, for calls that need it said: a grant for a whole organization sees many. Undefined for a grant in
 * one workspace, which must not say it.
 */
export async function teamOfOrganization(client: ChatClient): Promise<string | undefined> {
  if (client.context.grant?.facts["is_enterprise_install"] !== true) return undefined;
  return fact(client, "team_id") ?? textIn(await authTest(client), "team_id");
}

/** The workspace of the grant, as far as it is known without a call. */
export function knownTeam(client: ChatClient): { id: string | undefined; name: string | undefined } {
  const told = client.context.cache.get<JsonObject>(AUTH_TEST) ?? {};
  return {
    id: fact(client, "team_id") ?? textIn(told, "team_id"),
    name: fact(client, "team_name") ?? textIn(told, "team"),
  };
}

function fact(client: ChatClient, name: string): string | undefined {
  const value = client.context.grant?.facts[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

async function authTest(client: ChatClient): Promise<JsonObject> {
  const { cache } = client.context;
  const known = cache.get<JsonObject>(AUTH_TEST);
  if (known !== undefined) return known;
  const answer = await client.shared(AUTH_TEST, () => client.call(AUTH_TEST));
  cache.set(AUTH_TEST, answer, REMEMBER_MS);
  return answer;
}
