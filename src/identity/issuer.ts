// The provider of users: its metadata, cached for some minutes, and its keys.
import * as oauth from "oauth4webapi";
import { isSameIssuer, loadMetadata } from "../authorization-server";
import { isObject, isFresh, Redacted } from "../base";
import type { Core } from "../core";
import { type EgressRequest, readJson } from "../egress";
import { configurationError } from "../errors";
import { originsOf } from "../origins";

const METADATA_TTL_MS = 10 * 60_000;
const MAX_BYTES = 1_000_000;

export class OpenIdIssuer {
  readonly #core: Core;
  readonly #source: string | undefined;
  /** The origins that the metadata named when it was first read: the client's secret and tokens are sent to no other. */
  #origins: readonly string[] | undefined;
  #name: string | undefined;
  #server: { value: Promise<oauth.AuthorizationServer>; at: number } | undefined;

  /** `source`: the issuer of another provider than the one at `auth.url`. */
  constructor(core: Core, source?: string) {
    this.#core = core;
    this.#source = source;
  }

  /** The address of the provider; undefined if none is configured. */
  get address(): string | undefined {
    return this.#source ?? this.#core.settings["auth.url"];
  }

  /**
   * The metadata. Concurrent callers share one request. Rejects if the provider cannot be reached or its metadata is not
   * valid. The library caches keys by this object; a copy of it makes the library load them again.
   */
  discover(): Promise<oauth.AuthorizationServer> {
    const now = this.#core.clock.now();
    if (this.#server !== undefined && isFresh(this.#server.at, METADATA_TTL_MS, now))
      return this.#server.value;
    const server = { value: this.#discover(), at: now };
    this.#server = server;
    server.value.catch(() => {
      if (this.#server === server) this.#server = undefined;
    });
    return server.value;
  }

  /** The issuer, to the letter: the last one that was read, if the provider cannot be reached. */
  async name(): Promise<string> {
    try {
      return (await this.discover()).issuer;
    } catch (error) {
      if (this.#name !== undefined) return this.#name;
      throw error;
    }
  }

  /** The keys that the provider currently publishes. Rejects if they cannot be loaded. */
  async keys(server: oauth.AuthorizationServer): Promise<oauth.JWKS> {
    const response = await this.#core.egress.fetch(server.jwks_uri ?? "", {
      group: "identity_provider",
      maxBytes: MAX_BYTES,
    });
    const body = await readJson(response);
    const keys = isObject(body) ? body["keys"] : undefined;
    if (response.status !== 200 || !Array.isArray(keys)) {
      throw new Error(`The jwks_uri of the provider answered ${response.status} without a key set.`);
    }
    return { keys: keys.filter((key) => isObject(key)) };
  }

  /** Options for the library: all its requests go through `egress`. `fence`: see `EgressRequest`. */
  options(fence?: EgressRequest["fence"]) {
    return {
      // `egress` applies the address policy, which decides about plain http.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: (
        url: string,
        init: { method: string; headers: Record<string, string>; body?: unknown },
      ) => {
        const { method, headers, body } = init;
        const isSecret = method === "POST" || Object.hasOwn(headers, "authorization");
        return this.#core.egress.fetch(url, {
          group: "identity_provider",
          method: method === "POST" ? "POST" : "GET",
          headers,
          maxBytes: MAX_BYTES,
          fence,
          ...(isSecret ? { secretsFor: this.#origins ?? [] } : {}),
          ...(body instanceof URLSearchParams ? { body: new Redacted(body.toString()) } : {}),
        });
      },
    } as const;
  }

  async #discover(): Promise<oauth.AuthorizationServer> {
    const server = await this.#metadata();
    this.#tellOfOtherSpelling(server.issuer);
    this.#name = server.issuer;
    const endpoints = [server.token_endpoint, server.userinfo_endpoint];
    const origins = originsOf(endpoints.filter((endpoint) => endpoint !== undefined));
    this.#origins ??= origins;
    const others = origins.filter((origin) => this.#origins?.includes(origin) === false);
    if (others.length > 0)
      this.#core.log.error(
        "the OpenID provider names another server, which gets no secrets; restart if this is right",
        { origins: others },
      );
    return server;
  }

  // Clients compare the issuer character by character (RFC 8414, section 3.3), and they get that of the metadata.
  #tellOfOtherSpelling(issuer: string): void {
    const { log, settings } = this.#core;
    const setting = this.#source ?? settings["auth.issuer"] ?? settings["auth.url"];
    if (this.#name === issuer || setting === undefined || setting === issuer) return;
    log.warn("the provider of users spells its issuer in another way, which is the one that clients get", {
      setting,
      issuer,
    });
  }

  async #metadata(): Promise<oauth.AuthorizationServer> {
    const { address } = this;
    const chosen = this.#source === undefined ? this.#core.settings["auth.issuer"] : undefined;
    if (address === undefined)
      throw configurationError("auth.url is not set. Set it to the address of the OpenID provider.");
    const get = (url: string) =>
      this.#core.egress.fetch(url, {
        group: "identity_provider",
        headers: { accept: "application/json" },
        maxBytes: MAX_BYTES,
      });
    const { metadata } = await loadMetadata(
      address,
      get,
      ({ issuer }) => isSameIssuer(issuer, chosen ?? address) || isTemplateOf(chosen, issuer),
    );
    return isTemplateOf(chosen, metadata.issuer) ? { ...metadata, issuer: chosen } : metadata;
  }
}

// Multi-tenant providers publish one document whose issuer contains a placeholder. Tokens contain the tenant instead, so
// the operator configures the issuer. A placeholder replaces one whole segment of the path.
function isTemplateOf(issuer: string | undefined, template: string): issuer is string {
  if (issuer === undefined || !template.includes("{")) return false;
  const [segments, actual] = [template.split("/"), issuer.split("/")];
  const matches = (segment: string, at: number): boolean =>
    segment === actual[at] || (at > 2 && /^\{\w+\}$/.test(segment) && /^[\w.-]+$/.test(actual[at] ?? ""));
  return segments.length === actual.length && segments.every(matches);
}
