// A deployment to which people sign in, a browser in which one is signed in, and a client that gets tokens.
import { createHash, randomBytes } from "node:crypto";
import type { CreateGateway } from "../../../src/gateways";
import type { Runtime } from "../../../src/runtime";
import { at } from "../../support/api";
import { type McpSite, startMcpSite } from "../../mcp/site";
import type { DeploymentOptions } from "../../tools/deployment";

export interface SignInSite extends McpSite {
  /** A gateway for people who sign in. Returns its address. */
  tokenGateway(slug: string, record?: Partial<CreateGateway>, project?: string): Promise<string>;
  /** A browser in which a person is signed in to a project; without a person, no one is. */
  browser(userId?: string, projectId?: string): Promise<Browser>;
}

export async function startSignInSite(options: DeploymentOptions = {}): Promise<SignInSite> {
  const site = await startMcpSite({
    ...options,
    environment: {
      RUNTIME_SIGN_IN: "passkey",
      ...options.environment,
    },
  });
  // With passkeys it is at localhost: they need a host name.
  const url = site.deployment.runtime.core.publicUrl();
  return {
    ...site,
    url,
    tokenGateway: async (slug, record = {}, project = "default") => {
      await site.gateway(slug, { auth_type: "arcade", ...record }, project);
      return `${url}/mcp/${slug}`;
    },
    browser: async (userId, projectId = "default") => {
      const browser = new Browser(url);
      if (userId !== undefined) await browser.signIn(site, userId, projectId);
      return browser;
    },
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  };
}

export interface Page {
  status: number;
  /** The address that it was loaded from, or the address of another host that it leads to. */
  url: string;
  text: string;
  headers: Headers;
}

/** Cookies, redirects and forms of a browser, at one server. */
export class Browser {
  readonly #origin: string;
  readonly cookies = new Map<string, string>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  signIn({ deployment: { runtime } }: McpSite, userId: string, projectId = "default"): Promise<void> {
    return signInBrowser(this, runtime, userId, projectId);
  }

  /** Loads a page, and follows redirects and refreshes as long as they stay at the server. */
  async open(address: string, form?: Record<string, string>): Promise<Page> {
    let url = new URL(address, this.#origin).href;
    let body = form === undefined ? undefined : new URLSearchParams(form).toString();
    for (let hops = 0; hops < 10; hops++) {
      const response = await fetch(url, {
        method: body === undefined ? "GET" : "POST",
        redirect: "manual",
        headers: {
          cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
          ...(body === undefined
            ? {}
            : { "content-type": "application/x-www-form-urlencoded", origin: this.#origin }),
        },
        ...(body === undefined ? {} : { body }),
      });
      this.#keep(response);
      const text = await response.text();
      const next =
        response.headers.get("location") ?? /url=(.*)$/.exec(response.headers.get("refresh") ?? "")?.[1];
      if (next === undefined || next === null)
        return { status: response.status, url, text, headers: response.headers };
      url = new URL(next, url).href;
      body = undefined;
      // The sign-in itself is tested elsewhere.
      if (!url.startsWith(this.#origin) || new URL(url).pathname.startsWith("/sign-in"))
        return { status: response.status, url, text, headers: response.headers };
    }
    throw new Error("too many redirects");
  }

  /** Sends the form of a page. */
  submit(page: Page, answer: "yes" | "no", changed: Record<string, string> = {}): Promise<Page> {
    const [, action = ""] = /<form method="post" action="([^"]*)">/.exec(page.text) ?? [];
    const form = /<form method="post"[^>]*>(.*?)<\/form>/s.exec(page.text)?.[1] ?? "";
    const fields = [...form.matchAll(/name="([^"]*)" value="([^"]*)"/g)].filter(
      ([, name]) => name !== "answer",
    );
    return this.open(action, {
      ...Object.fromEntries(fields.map(([, name = "", value = ""]) => [name, value])),
      answer,
      ...changed,
    });
  }

  #keep({ headers }: Response): void {
    for (const line of headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split(";");
      const [name = "", value = ""] = pair.split("=", 2);
      if (attributes.some((one) => one.trim() === "Max-Age=0")) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

/** Begins a session as a sign-in would. */
export async function signInBrowser(
  browser: Browser,
  runtime: Runtime,
  userId: string,
  projectId = "default",
): Promise<void> {
  const startedBy = randomBytes(16).toString("hex");
  await runtime.invitations.invite({ kind: "operator", projectId }, { user_id: userId });
  const cookie = await runtime.sessions.begin({ projectId, userId, method: "passkey", startedBy });
  if (cookie === undefined) throw new Error("no session");
  browser.cookies.set(`runtime_session_${projectId}`, cookie);
}

export interface Tokens {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
  token_type: string;
}

export const REDIRECT = "http://127.0.0.1:33418/callback";

/** A public client that registers itself. */
export class TestClient {
  readonly #origin: string;
  id: string;
  readonly verifier = randomBytes(32).toString("base64url");
  readonly state = randomBytes(8).toString("hex");

  constructor(origin: string, id: string) {
    this.#origin = origin;
    this.id = id;
  }

  static async register(origin: string, metadata: object = {}): Promise<TestClient> {
    const answer = await registration(origin, metadata);
    return new TestClient(origin, textAt(await answer.json(), "client_id"));
  }

  authorizeUrl(parameters: Record<string, string | undefined> = {}): string {
    const url = new URL(`${this.#origin}/oauth/authorize`);
    const all = {
      response_type: "code",
      client_id: this.id,
      redirect_uri: REDIRECT,
      state: this.state,
      code_challenge: createHash("sha256").update(this.verifier).digest("base64url"),
      code_challenge_method: "S256",
      ...parameters,
    };
    for (const [name, value] of Object.entries(all))
      if (value !== undefined) url.searchParams.set(name, value);
    return url.href;
  }

  token(parameters: Record<string, string>): Promise<Response> {
    return form(`${this.#origin}/oauth/token`, { client_id: this.id, ...parameters });
  }

  exchange(code: string, parameters: Record<string, string> = {}): Promise<Response> {
    return this.token({
      grant_type: "authorization_code",
      code,
      redirect_uri: REDIRECT,
      code_verifier: this.verifier,
      ...parameters,
    });
  }

  refresh(token: string, parameters: Record<string, string> = {}): Promise<Response> {
    return this.token({ grant_type: "refresh_token", refresh_token: token, ...parameters });
  }

  /** Signs in with a browser, whose person allows it. */
  async code(browser: Browser, resource: string | undefined): Promise<string> {
    let page = await browser.open(this.authorizeUrl({ resource }));
    if (page.text.includes('name="answer"')) page = await browser.submit(page, "yes");
    const code = new URL(page.url).searchParams.get("code");
    if (code === null) throw new Error(`no code: ${page.status} ${page.url} ${page.text}`);
    return code;
  }

  async tokens(browser: Browser, resource?: string): Promise<Tokens> {
    const answer = await this.exchange(await this.code(browser, resource));
    if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${await answer.text()}`);
    return tokensIn(await answer.json());
  }
}

/** A text of an answer, by its name. */
export function textAt(answer: unknown, name: string): string {
  const value = at(answer, name);
  return typeof value === "string" ? value : "";
}

export function tokensIn(answer: unknown): Tokens {
  return {
    access_token: textAt(answer, "access_token"),
    refresh_token: textAt(answer, "refresh_token"),
    expires_in: Number(at(answer, "expires_in")),
    scope: textAt(answer, "scope"),
    token_type: textAt(answer, "token_type"),
  };
}

export function registration(origin: string, metadata: object = {}): Promise<Response> {
  return fetch(`${origin}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_name: "Test client",
      redirect_uris: [REDIRECT],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...metadata,
    }),
  });
}

export function form(url: string, parameters: Record<string, string>, headers: Record<string, string> = {}) {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(parameters),
  });
}

/** The claims of a token; nothing is checked. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
}
