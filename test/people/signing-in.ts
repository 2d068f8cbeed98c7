// People who sign in to a deployment with an OpenID provider, in browsers.
import { signInAs } from "../interop/oidc/sign-in";
import type { OpenIdSite } from "../interop/oidc/site";
import { Browser } from "../support/browser";

export const SESSION = "runtime_session_default";

/** The address at the provider to which our page sends a browser. */
export async function started(
  { site }: Pick<OpenIdSite, "site">,
  browser: Browser,
  query = "",
): Promise<string> {
  const answer = await browser.open(`${site.url}/sign-in${query}`);
  const location = answer.headers.get("location");
  if (location === null) throw new Error(`no redirect but ${answer.status}: ${await answer.text()}`);
  return location;
}

/** The whole sign-in; the answer of our callback. */
export async function signIn(
  deployment: OpenIdSite,
  browser: Browser,
  user: string,
  query = "",
): Promise<Response> {
  const address = await started(deployment, browser, query);
  return browser.open(await signInAs(deployment.provider.url, address, user));
}

/** Who is signed in with a browser, by its cookie. */
export async function personIn(
  { site }: Pick<OpenIdSite, "site">,
  browser: Browser,
  project = "default",
): Promise<string | undefined> {
  const cookie = browser.cookie(`runtime_session_${project}`);
  return (await site.runtime.people.signedIn(project, cookie === "" ? undefined : cookie))?.userId;
}

/** A form of the person in a browser. */
export async function send(
  { site }: Pick<OpenIdSite, "site">,
  browser: Browser,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = { origin: site.url },
): Promise<Response> {
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams(fields).toString();
  return browser.open(site.url + path, { method: "POST", headers: { ...type, ...headers }, body });
}

/** The token that forms of this browser must have. */
export async function formTokenOf({ site }: Pick<OpenIdSite, "site">, browser: Browser): Promise<string> {
  const person = await site.runtime.people.signedIn("default", browser.cookie(SESSION));
  return person?.formToken ?? "";
}
