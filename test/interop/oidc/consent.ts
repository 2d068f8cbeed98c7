// A consent under way: started by an agent for a user, opened in a browser, given at the chat platform by a person.
import { api, at } from "../../support/api";
import { Browser } from "../../support/browser";
import type { Site } from "../../support/site";

export interface Started {
  readonly id: string;
  readonly url: string;
}

/** An agent asks for what `Chat.WhoAmI` needs. */
export async function startFor(site: Site, user_id: string, more: object = {}): Promise<Started> {
  const agent = api(site.url, await site.key("run"));
  const { body } = await agent.post("/v1/tools/authorize", { tool_name: "Chat.WhoAmI", user_id, ...more });
  return { id: String(at(body, "id")), url: String(at(body, "url")) };
}

/** The person's browser opens the address and allows it all at the platform; what our callback answers. */
export async function allowed(browser: Browser, started: Started, person: string): Promise<Response> {
  return browser.open(await browser.toCallback(started.url, person));
}

/** Where an answer sends the browser; throws with the page when it does not. */
export async function target(answer: Response): Promise<string> {
  const location = answer.headers.get("location");
  if (location === null) throw new Error(`no redirect but ${answer.status}: ${await titleOf(answer)}`);
  return location;
}

/** Heading of a page of ours. */
export async function titleOf(page: Response): Promise<string> {
  return /<h1>([^<]*)<\/h1>/.exec(await page.text())?.[1] ?? "";
}

/** How the flow stands for the agent: its state and the reason. */
export async function stateOf(site: Site, { id }: Started): Promise<unknown[]> {
  const agent = api(site.url, await site.key("run"));
  const { body } = await agent.get(`/v1/auth/status?id=${id}`);
  return [at(body, "status"), at(body, "status_reason")];
}

/** Users who have a connection. */
export async function linkedUsers(site: Site): Promise<unknown[]> {
  const { body } = await api(site.url, await site.key("admin")).get("/v1/admin/user_connections?limit=100");
  const items = at(body, "items");
  return Array.isArray(items) ? items.map((item) => at(item, "user_id")) : [];
}
