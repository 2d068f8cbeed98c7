// A whole deployment whose worker wants tokens, with an administrator, agents and people.
import { api, at } from "../../support/api";
import { Browser } from "../../support/browser";
import { type Site, startSite } from "../../support/site";
import { type EchoWorker, echoWorker } from "./echo-worker";
import { type StrictOptions, StrictServer } from "./strict-server";

export class OAuthSite implements AsyncDisposable {
  readonly site: Site;
  readonly strict: StrictServer;
  readonly echo: EchoWorker;
  readonly admin: ReturnType<typeof api>;
  readonly agent: ReturnType<typeof api>;

  private constructor(
    site: Site,
    strict: StrictServer,
    echo: EchoWorker,
    keys: { admin: string; run: string },
  ) {
    this.site = site;
    this.strict = strict;
    this.echo = echo;
    this.admin = api(site.url, keys.admin);
    this.agent = api(site.url, keys.run);
  }

  static async start(
    options: StrictOptions & { sessions?: boolean; notes?: boolean } = {},
  ): Promise<OAuthSite> {
    const strict = new StrictServer(options);
    const echo = echoWorker(strict, { sessions: options.sessions ?? false, notes: options.notes ?? false });
    const site = await startSite();
    return new OAuthSite(site, strict, echo, { admin: await site.key("admin"), run: await site.key("run") });
  }

  /** null: without `oauth2`. */
  create(oauth2: object | null = { register: true }, id = "echo") {
    const { uri } = this.strict.at;
    const mcp = { uri, timeout: 10, retry: 0, ...(oauth2 === null ? {} : { oauth2 }) };
    return this.admin.post("/v1/workers", { id, mcp });
  }

  /** The worker with its catalog, as the subject `admin`. */
  async ready(): Promise<void> {
    await this.create();
    await this.consentAs("admin", await this.authorizeWorker());
    await this.authorizeWorker();
  }

  async authorizeWorker(): Promise<unknown> {
    const { body } = await this.admin.get("/v1/workers/echo/authorize");
    return at(body, "url");
  }

  run(tool: string, user_id: string) {
    return this.agent.post("/v1/tools/execute", { tool_name: `Echo.${tool}`, user_id, input: {} });
  }

  /** The address of the consent of a user for a tool. */
  async authorize(user_id: string, tool = "whoami"): Promise<unknown> {
    const { body } = await this.agent.post("/v1/tools/authorize", { tool_name: `Echo.${tool}`, user_id });
    return at(body, "url");
  }

  /** A browser opens our address, the person agrees at the authorization server and confirms to be the user. */
  async consentAs(subject: string, url: unknown): Promise<Response> {
    const browser = new Browser();
    const redirect = await browser.open(String(url));
    const location = redirect.headers.get("location");
    if (location === null) throw new Error(`no redirect: ${await redirect.text()}`);
    const state = new URL(location).searchParams.get("state") ?? "";
    const callback = new URL(new URL(location).searchParams.get("redirect_uri") ?? "");
    callback.search = new URLSearchParams({
      ...this.strict.approve(new URL(location), subject),
      state,
    }).toString();
    const page = await browser.open(callback.href);
    return browser.answer(page, this.site.url, "yes");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.site[Symbol.asyncDispose]();
    this.strict[Symbol.dispose]();
  }
}
