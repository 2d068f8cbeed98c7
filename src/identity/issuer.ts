// The OpenID provider at `auth_url`: its metadata (OpenID Connect Discovery), fetched once in a while.
import * as oauth from "oauth4webapi";
import type { Core } from "../core";
import { configurationError } from "../errors";

const KEPT_MS = 10 * 60_000;

export class OpenIdIssuer {
  readonly #core: Core;
  #server: { value: oauth.AuthorizationServer; at: number } | undefined;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Rejects when the provider cannot be reached or its metadata is not valid. */
  async discover(): Promise<oauth.AuthorizationServer> {
    const issuer = this.#core.settings["auth.url"];
    if (issuer === undefined) throw configurationError("auth.url is not set.");
    const now = this.#core.clock.now();
    if (this.#server !== undefined && now - this.#server.at < KEPT_MS) return this.#server.value;
    const url = new URL(issuer);
    const response = await oauth.discoveryRequest(url, this.options());
    const value = await oauth.processDiscoveryResponse(url, response);
    this.#server = { value, at: now };
    return value;
  }

  /** The library keeps keys on the metadata object: a copy of it is what makes it ask for them again. */
  forgetKeys(): void {
    if (this.#server !== undefined) this.#server.value = { ...this.#server.value };
  }

  /** For every request of the library: it goes out through `egress`. */
  options() {
    return {
      // Whether plain http may be used is the address policy's decision, made at every call by `egress`.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: (
        url: string,
        init: { method: string; headers: Record<string, string>; body?: unknown },
      ) =>
        this.#core.egress.fetch(url, {
          method: init.method === "POST" ? "POST" : "GET",
          headers: init.headers,
          maxBytes: 1_000_000,
          ...(init.body instanceof URLSearchParams ? { body: init.body.toString() } : {}),
        }),
    } as const;
  }
}
