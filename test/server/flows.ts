// Consents of new users, as far as a test wants them, with the browser that is on its way.
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { databaseOf, dump, type Stage, startConsent } from "./stage";

let count = 0;

export interface Flow {
  id: string;
  url: string;
  browser: Browser;
}

function newUser(): string {
  count += 1;
  return `user${count}`;
}

/** The browser is at the provider; `state` is the parameter of its address. */
export async function atProvider(stage: Stage): Promise<Flow & { state: string }> {
  const browser = new Browser();
  const { id, url } = await startConsent(stage, { user_id: newUser() });
  const location = (await browser.open(url)).headers.get("location") ?? "";
  return { id, url, browser, state: new URL(location).searchParams.get("state") ?? "" };
}

/** The person has said yes there: `callback` is not called yet. */
export async function agreed(stage: Stage, body: object = {}, browser = new Browser()) {
  const { id, url } = await startConsent(stage, { user_id: newUser(), ...body });
  return { id, url, browser, callback: await browser.toCallback(url, "alice") };
}

/** Goes on from the callback to the end; the text of the last page. */
export async function finish(stage: Stage, flow: { browser: Browser; callback: string }): Promise<string> {
  const page = await flow.browser.open(flow.callback);
  return (await flow.browser.answer(page, stage.site.url, "yes")).text();
}

export async function statusOf({ site, keys }: Stage, id: string, wait = 0): Promise<unknown> {
  return (await api(site.url, keys.run).get(`/v1/auth/status?id=${id}&wait=${wait}`)).body;
}

/** The row of a consent, as another process reads it. */
export function flowRow({ site }: Stage, id: string): unknown {
  return dump(databaseOf(site))["authorizations"]?.find((row) => at(row, "id") === id);
}
