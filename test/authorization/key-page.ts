// A deployment with an auth provider whose users enter keys of their own, and the service that knows good keys.
import type { ApiKeyConfig, AuthProvider } from "../../src/providers";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import type { Site } from "../support/site";

export interface KeyService extends AsyncDisposable {
  readonly url: string;
  /** Keys that it accepts. */
  readonly good: Set<string>;
  /** What it got: method, path with query, and headers. */
  readonly requests: { method: string; path: string; headers: Headers }[];
  /** The status of every answer; undefined: 200 for a good key, 401 otherwise. */
  status: number | undefined;
  stop(): Promise<void>;
}

/** Looks for a good key anywhere in the head of a request. */
export function startKeyService(): KeyService {
  const good = new Set<string>();
  const requests: KeyService["requests"] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      const { pathname, search } = new URL(request.url);
      requests.push({ method: request.method, path: pathname + search, headers: request.headers });
      const head = [decodeURIComponent(search), ...request.headers.values()].join("\n");
      const basic = Buffer.from(request.headers.get("authorization")?.slice(6) ?? "", "base64").toString();
      const isGood = [...good].some((key) => head.includes(key) || basic.includes(key));
      return new Response("{}", { status: service.status ?? (isGood ? 200 : 401) });
    },
  });
  const service: KeyService = {
    url: `http://127.0.0.1:${server.port}`,
    good,
    requests,
    status: undefined,
    stop: async () => server.stop(true),
    [Symbol.asyncDispose]: async () => server.stop(true),
  };
  return service;
}

export async function addKeyProvider(
  site: Site,
  api_key: ApiKeyConfig,
  { id = "tracker", project = "default" }: { id?: string; project?: string } = {},
): Promise<AuthProvider> {
  const operator = await site.runtime.identity.operator(project);
  return site.runtime.providers.create(operator, { id, type: "api_key", description: "Tracker", api_key });
}

export interface Started {
  id: string;
  url: string;
}

/** `POST /v1/auth/authorize` */
export async function authorizeKey(
  site: Site,
  user: string,
  { id = "tracker", next_uri, key }: { id?: string; next_uri?: string; key?: string } = {},
): Promise<Started> {
  const agent = api(site.url, key ?? (await site.key("run")));
  const answer = await agent.post("/v1/auth/authorize", {
    auth_requirement: { provider_id: id },
    user_id: user,
    ...(next_uri === undefined ? {} : { next_uri }),
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return { id: String(at(answer.body, "id")), url: String(at(answer.body, "url")) };
}

export interface Form {
  key?: string;
  check?: string;
  answer?: "yes" | "no";
  origin?: string;
  /** The address of another server than that of the page, behind the same public one. */
  to?: string;
}

/** Sends the form of a page that is open in this browser. */
export async function sendForm(browser: Browser, page: Response, form: Form = {}): Promise<Response> {
  const html = await page.clone().text();
  const action = /action="([^"]+)"/.exec(html)?.[1] ?? "";
  const check = form.check ?? /name="check" value="([^"]+)"/.exec(html)?.[1] ?? "";
  const origin = new URL(page.url).origin;
  return browser.open((form.to ?? origin) + action, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", origin: form.origin ?? origin },
    body: new URLSearchParams({ check, key: form.key ?? "", answer: form.answer ?? "yes" }).toString(),
  });
}

/** The person opens the address, enters a key, and follows where the answer leads. */
export async function enterKey(url: string, key: string, browser = new Browser()): Promise<Response> {
  const answer = await sendForm(browser, await browser.open(url), { key });
  const location = answer.headers.get("location");
  return location === null ? answer : browser.open(new URL(location, url).href);
}

/** Gives a user a key, as far as the service accepts it. */
export async function giveKey(site: Site, user: string, key: string, id = "tracker"): Promise<void> {
  const page = await enterKey((await authorizeKey(site, user, { id })).url, key);
  const text = await page.text();
  if (!text.includes("is stored")) throw new Error(`the key was not stored: ${text}`);
}

export async function statusOf(site: Site, id: string): Promise<unknown[]> {
  const { body } = await api(site.url, await site.key("run")).get(`/v1/auth/status?id=${id}`);
  return [at(body, "status"), at(body, "status_reason")];
}
