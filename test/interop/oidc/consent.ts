// A pending consent: started by an agent for a user, opened in a browser, granted at the chat platform by a person.
import { api, at } from "../../support/api";
import { Browser } from "../../support/browser";
import type { Site } from "../../support/site";

export interface Started {
  readonly id: string;
  readonly url: string;
}

/** An agent requests the permissions of `Chat.WhoAmI`. */
export async function startFor(site: Site, user_id: string, more: object = {}): Promise<Started> {
  const agent = api(site.url, await site.key("run"));
  const { body } = await agent.post("/v1/tools/authorize", { tool_name: "Chat.WhoAmI", user_id, ...more });
  return { id: String(at(body, "id")), url: String(at(body, "url")) };
}

/** The person's browser opens the address and grants everything at the platform; returns the answer of our callback. */
export async function allowed(browser: Browser, started: Started, person: string): Promise<Response> {
  return browser.open(await browser.toCallback(started.url, person));
}

/**
 * Where the browser signs in, from the answer of our callback: our page of the sign-in sends it to the provider. A browser that is
 * signed in stays here.
 */
export async function toSignIn(browser: Browser, answer: Response): Promise<string> {
  return signInFrom(browser, await target(answer));
}

/** The same, from the address that our page leads to. */
export async function signInFrom(browser: Browser, page: string): Promise<string> {
  return new URL(page).pathname === "/sign-in" ? target(await browser.open(page)) : page;
}

/** The end of a sign-in: our callback sends the browser back to the consent. */
export async function arrived(browser: Browser, callback: string): Promise<Response> {
  const answer = await browser.open(callback);
  const next = answer.headers.get("location");
  return next !== null && new URL(next).pathname.startsWith("/authorize/") ? browser.open(next) : answer;
}

/** The redirect address of an answer; throws with the page if there is none. */
export async function target(answer: Response): Promise<string> {
  const location = answer.headers.get("location");
  if (location === null) throw new Error(`no redirect but ${answer.status}: ${await titleOf(answer)}`);
  return location;
}

/** The heading of one of our pages. */
export async function titleOf(page: Response): Promise<string> {
  return /<h1>([^<]*)<\/h1>/.exec(await page.text())?.[1] ?? "";
}

/** The status of the flow for the agent, with the reason. */
export async function stateOf(site: Site, { id }: Started): Promise<unknown[]> {
  const agent = api(site.url, await site.key("run"));
  const { body } = await agent.get(`/v1/auth/status?id=${id}`);
  return [at(body, "status"), at(body, "status_reason")];
}

/** Users with a connection. */
export async function linkedUsers(site: Site): Promise<unknown[]> {
  const { body } = await api(site.url, await site.key("admin")).get("/v1/admin/user_connections?limit=100");
  const items = at(body, "items");
  return Array.isArray(items) ? items.map((item) => at(item, "user_id")) : [];
}
