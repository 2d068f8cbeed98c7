// Consents at a scripted OAuth provider. What several rows look at is done once.
import { at } from "../support/api";
import type { TokenAnswer } from "../support/token-endpoint";
import { recordOf } from "../authorization/providers/record";
import {
  type Flow,
  type ProviderSite,
  type Script,
  startProviderSite,
} from "../authorization/providers/site";

/** Our client at the provider. */
export const CLIENT = "cl:ient";
const GRANT = { access_token: "T", refresh_token: "R", expires_in: 3600, scope: "a b", token_type: "Bearer" };

export interface Consent {
  flow: Flow;
  /** `status` and `status_reason` of the consent. */
  status: unknown;
  reason: string;
  site: ProviderSite;
}

export class Provider implements AsyncDisposable {
  readonly site: ProviderSite;
  #standard: Promise<Consent> | undefined;
  #last = 0;

  private constructor(site: ProviderSite) {
    this.site = site;
  }

  static async start(): Promise<Provider> {
    return new Provider(await startProviderSite());
  }

  get url(): string {
    return this.site.deployment.idp.url;
  }

  /** A consent with a record that changes `changes`, at a provider that says `script`. */
  async consent(script: Script = {}, changes: Record<string, unknown> = {}): Promise<Consent> {
    const { site } = this;
    await site.admin.delete("/v1/admin/auth_providers/idp?force=true");
    const added = await site.addProvider(recordOf(this.url, { oauth2: changes }));
    if (added.status !== 201) throw new Error(added.text);
    site.deployment.idp.requests.length = 0;
    site.script({ token: { body: GRANT }, revoke: { body: {} }, ...script });
    const flow = await site.consent(`user-${++this.#last}`);
    const { body } = flow.state;
    return { flow, status: at(body, "status"), reason: String(at(body, "status_reason") ?? ""), site };
  }

  /** The consent that most rows look at. */
  standard(): Promise<Consent> {
    return (this.#standard ??= this.consent());
  }

  /** A consent whose token answer has these members besides the usual ones. */
  answers(more: object, changes: Record<string, unknown> = {}, rest: Script = {}): Promise<Consent> {
    const answer: TokenAnswer = { body: { ...GRANT, ...more } };
    return this.consent({ token: answer, ...rest }, changes);
  }

  get lastUser(): string {
    return `user-${this.#last}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.site[Symbol.asyncDispose]();
  }
}

/** An ID token of the provider, unsigned: it comes from the token endpoint. */
export function idToken(claims: Record<string, unknown> = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const all = { sub: "u", aud: CLIENT, iat: now, exp: now + 600, ...claims };
  return `${encoded({ alg: "ES256" })}.${encoded(all)}.s`;
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
