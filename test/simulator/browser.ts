// A browser that goes through the authorization flow step by step: it may decline, repeat a request, and come back late.
import type { Runtime } from "../../src/runtime";
import type { Grant, SimulatedProvider } from "./provider";
import { PROVIDER } from "./simulated-catalog";

/** `decline`: at the provider, or on the page that asks whether this is the right account. */
export type Choice = "go" | "decline";

/** Where the browser is. */
type Place =
  | { at: "start" }
  | { at: "address"; token: string }
  | { at: "provider"; token: string; location: URL; answer?: URLSearchParams; grant?: Grant }
  | { at: "confirmation"; token: string; check: string; grant: Grant };

const PRINCIPAL = { kind: "operator", projectId: "default" } as const;
/** A consent has at most this many requests. */
const MAX_REQUESTS = 4;

export class Browser {
  readonly user: string;
  readonly #provider: SimulatedProvider;
  #cookie: string | undefined;
  #place: Place = { at: "start" };

  constructor(user: string, provider: SimulatedProvider) {
    this.user = user;
    this.#provider = provider;
  }

  /** A whole consent in one go. Throws if it does not end with a connection. */
  async consent(runtime: Runtime, scope: string, again: boolean): Promise<void> {
    for (let request = 0; request < MAX_REQUESTS; request++)
      if (await this.next(runtime, { scope, again, choice: "go" })) return;
    throw new Error("the consent did not end");
  }

  /**
   * Sends the next request. `scope`: what the consent asks for in addition to the scopes of the tools. Returns whether the
   * user is connected. Throws if the flow fails; a request that fails for another reason is repeated by the next call.
   */
  async next(runtime: Runtime, how: { scope: string; again: boolean; choice: Choice }): Promise<boolean> {
    const place = this.#place;
    if (place.at === "start") return this.#start(runtime, how.scope);
    if (place.at === "address") return this.#open(runtime, place);
    if (place.at === "provider") return this.#return(runtime, place, how);
    const { token, check, grant } = place;
    const agrees = how.choice === "go";
    return this.#arrive(await runtime.consent.confirm(token, check, agrees, this.#cookie), token, grant);
  }

  async #start(runtime: Runtime, scope: string): Promise<boolean> {
    const oauth2 = { scopes: ["a", "b", scope] };
    const { url } = await runtime.authorization.authorize(PRINCIPAL, {
      user_id: this.user,
      auth_requirement: { id: PROVIDER, oauth2 },
    });
    if (url !== undefined) this.#place = { at: "address", token: url.split("/").at(-1) ?? "" };
    return url === undefined;
  }

  async #open(runtime: Runtime, { token }: Place & { at: "address" }): Promise<boolean> {
    const outcome = await runtime.consent.open(token, this.#cookie);
    if (outcome.kind !== "redirect" || outcome.cookie === undefined)
      return this.#arrive(outcome, token, undefined);
    this.#cookie = outcome.cookie;
    this.#place = { at: "provider", token, location: new URL(outcome.location) };
    return false;
  }

  async #return(
    runtime: Runtime,
    place: Place & { at: "provider" },
    { again, choice }: { again: boolean; choice: Choice },
  ): Promise<boolean> {
    const { location, token } = place;
    if (place.answer === undefined) {
      const { answer, grant } = this.#answer(location, again, choice);
      Object.assign(place, { answer, grant });
    }
    const answer = place.answer ?? new URLSearchParams();
    const redirect = new URL(location.searchParams.get("redirect_uri") ?? "");
    const externalId = redirect.pathname.split("/").at(-2) ?? "";
    const outcome = await runtime.consent.callback(externalId, answer, this.#cookie);
    return this.#arrive(outcome, token, place.grant);
  }

  /** What the provider sends back with the browser. A repeated request has the same answer. */
  #answer(location: URL, again: boolean, choice: Choice): { answer: URLSearchParams; grant?: Grant } {
    const state = location.searchParams.get("state") ?? "";
    if (choice === "decline") return { answer: new URLSearchParams({ state, error: "access_denied" }) };
    const scopes = (location.searchParams.get("scope") ?? "").split(" ");
    const { code, grant } = this.#provider.code(this.user, scopes, again);
    return { answer: new URLSearchParams({ state, code }), grant };
  }

  #arrive(
    outcome: Awaited<ReturnType<Runtime["consent"]["open"]>>,
    token: string,
    grant: Grant | undefined,
  ): boolean {
    if (outcome.kind === "confirm" && grant !== undefined) {
      this.#place = { at: "confirmation", token, check: outcome.check, grant };
      return false;
    }
    this.#place = { at: "start" };
    if (outcome.kind !== "completed") throw new Error(`the consent failed: ${JSON.stringify(outcome)}`);
    if (grant !== undefined) {
      grant.isAcknowledged = true;
      this.#provider.supersede(grant);
    }
    return true;
  }
}
