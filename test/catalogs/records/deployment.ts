// A whole deployment over the records stand-in: provider, secret, a user who has consented.
import { api, at, type ApiAnswer } from "../../support/api";
import { Browser } from "../../support/browser";
import { type Site, startSite } from "../../support/site";
import {
  type DataCenter,
  type RecordsSandbox,
  type RecordsSandboxOptions,
  startRecordsSandbox,
} from "../../sandbox/records";
import type { Input } from "./run";

/** Time that a test moves ahead, for deployment and platform alike. */
class MovedClock {
  #ahead = 0;

  now = (): number => Date.now() + this.#ahead;
  monotonic = (): number => performance.now() + this.#ahead;

  sleep = async (): Promise<void> => {
    await Bun.sleep(0);
  };

  move(ms: number): void {
    this.#ahead += ms;
  }
}

export class Deployment implements AsyncDisposable {
  readonly sandbox: RecordsSandbox;
  readonly site: Site;
  readonly #clock: MovedClock;
  readonly #keys: { admin: string; agent: string };

  private constructor(
    sandbox: RecordsSandbox,
    site: Site,
    clock: MovedClock,
    keys: { admin: string; agent: string },
  ) {
    this.sandbox = sandbox;
    this.site = site;
    this.#clock = clock;
    this.#keys = keys;
  }

  /** `environment`: more of `RUNTIME_…`, from what the stand-in's addresses are. */
  static async start(
    options: RecordsSandboxOptions = {},
    environment: (sandbox: RecordsSandbox) => Record<string, string> = () => ({}),
  ): Promise<Deployment> {
    const clock = new MovedClock();
    const sandbox = await startRecordsSandbox(options);
    const site = await startSite({
      parts: { clock },
      environment: {
        RUNTIME_RECORDS_SERVER_URLS: `${sandbox.us.apiUrl},${sandbox.eu.apiUrl}`,
        ...environment(sandbox),
      },
    });
    const keys = { admin: await site.key("admin"), agent: await site.key("run") };
    return new Deployment(sandbox, site, clock, keys);
  }

  /** The provider `zoho` at the accounts host of this data center. */
  async addProvider({ authorizeUrl, tokenUrl, clientSecret }: DataCenter): Promise<ApiAnswer> {
    return api(this.site.url, this.#keys.admin).post("/v1/admin/auth_providers", {
      id: "zoho",
      provider_id: "zoho",
      oauth2: {
        client_id: this.sandbox.clientId,
        client_secret: clientSecret,
        authorize_request: { endpoint: authorizeUrl },
        token_request: { endpoint: tokenUrl },
        refresh_request: { endpoint: tokenUrl },
      },
    });
  }

  async setServerUrl(value: string): Promise<void> {
    await api(this.site.url, this.#keys.admin).post("/v1/admin/secrets/VENDOR_SERVER_URL", { value });
  }

  /** The user `user` consents as `person` to what the tool needs; how the authorization ended. */
  async consent(tool: string, user: string, person: string): Promise<unknown> {
    const agent = api(this.site.url, this.#keys.agent);
    const started = await agent.post("/v1/tools/authorize", {
      tool_name: `VendorCreatorApi.${tool}`,
      user_id: user,
    });
    const url = String(at(started.body, "url"));
    const browser = new Browser();
    const page = await browser.open(await browser.toCallback(url, person));
    // A page without a question says why there is no grant.
    const asks = (await page.clone().text()).includes('name="check"');
    if (asks) await browser.answer(page, new URL(url).origin, "yes");
    const { body } = await agent.get(`/v1/auth/status?id=${String(at(started.body, "id"))}`);
    return { status: at(body, "status"), reason: at(body, "status_reason") };
  }

  execute(tool: string, user: string, input: Input = {}): Promise<ApiAnswer> {
    const request = { tool_name: `VendorCreatorApi.${tool}`, user_id: user, input };
    return api(this.site.url, this.#keys.agent).post("/v1/tools/execute", request);
  }

  /** For the deployment and the platform. */
  move(ms: number): void {
    this.#clock.move(ms);
    this.sandbox.move(ms);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.site[Symbol.asyncDispose]();
    await this.sandbox.stop();
  }
}
