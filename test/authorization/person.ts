// A person with a browser, at the border of the services: what the browser keeps, and the steps of a consent.
import type { Authorization, Outcome } from "../../src/authorization";
import type { Runtime } from "../../src/runtime";

/** Where the browser was sent. */
export interface AtProvider {
  readonly location: URL;
  readonly state: string;
  /** The last part of the redirect address that belongs to the provider's record. */
  readonly externalId: string;
}

export class Person {
  readonly #runtime: Runtime;
  /** The cookie that binds consents to this browser. */
  cookie: string | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Opens our address. */
  async open(address: string): Promise<Outcome> {
    const outcome = await this.#runtime.consent.open(tokenOf(address), this.cookie);
    if (outcome.kind === "redirect" && outcome.cookie !== undefined) this.cookie = outcome.cookie;
    return outcome;
  }

  /** Opens our address, which leads on to the provider. */
  async toProvider({ url }: Authorization): Promise<AtProvider> {
    const outcome = await this.open(url ?? "");
    if (outcome.kind !== "redirect") throw new Error(`no redirect but ${JSON.stringify(outcome)}`);
    const location = new URL(outcome.location);
    const redirect = new URL(location.searchParams.get("redirect_uri") ?? "");
    return {
      location,
      state: location.searchParams.get("state") ?? "",
      externalId: redirect.pathname.split("/")[4] ?? "",
    };
  }

  /** Comes back from the provider with these parameters besides the state. */
  comeBack({ state, externalId }: AtProvider, parameters: Record<string, string>): Promise<Outcome> {
    const query = new URLSearchParams({ ...parameters, state });
    return this.#runtime.consent.callback(externalId, query, this.cookie);
  }

  /** Presses a button of the page of the user check. */
  answer(page: Outcome, agrees = true): Promise<Outcome> {
    if (page.kind !== "confirm") throw new Error(`no page of the user check but ${JSON.stringify(page)}`);
    return this.#runtime.consent.confirm(tokenOf(page.action), page.check, agrees, this.cookie);
  }

  /** The whole consent; the provider gives `code`. */
  async consent(authorization: Authorization, code = "code"): Promise<Outcome> {
    const provider = await this.toProvider(authorization);
    return this.answer(await this.comeBack(provider, { code }));
  }
}

export function tokenOf(address: string): string {
  return address.split("/").at(-1) ?? "";
}
