// The OpenID provider at `auth_url`: its metadata (OpenID Connect Discovery), fetched once in a while, and its keys.
import * as oauth from "oauth4webapi";
import { isObject, isFresh } from "../base";
import type { Core } from "../core";
import { readJson } from "../egress";
import { configurationError } from "../errors";

const KEPT_MS = 10 * 60_000;
const MAX_BYTES = 1_000_000;

export class OpenIdIssuer {
  readonly #core: Core;
  readonly #source: string | undefined;
  #server: { value: Promise<oauth.AuthorizationServer>; at: number } | undefined;

  /** `source`: the issuer of a provider other than the deployment's own at `auth.url`. */
  constructor(core: Core, source?: string) {
    this.#core = core;
    this.#source = source;
  }

  /** Where the provider is; undefined when the deployment has none. */
  get place(): string | undefined {
    return this.#source ?? this.#core.settings["auth.url"];
  }

  /**
   * The metadata; whoever asks at the same time shares one request. Rejects when the provider cannot be reached or its
   * metadata is not valid. The library keeps keys on the object: a copy of it is what makes it ask for them again.
   */
  discover(): Promise<oauth.AuthorizationServer> {
    const now = this.#core.clock.now();
    if (this.#server !== undefined && isFresh(this.#server.at, KEPT_MS, now)) return this.#server.value;
    const server = { value: this.#discover(), at: now };
    this.#server = server;
    server.value.catch(() => {
      if (this.#server === server) this.#server = undefined;
    });
    return server.value;
  }

  /** The keys that the provider publishes now. Rejects when they cannot be had. */
  async keys(server: oauth.AuthorizationServer): Promise<oauth.JWKS> {
    const response = await this.#core.egress.fetch(server.jwks_uri ?? "", { maxBytes: MAX_BYTES });
    const body = await readJson(response);
    const keys = isObject(body) ? body["keys"] : undefined;
    if (response.status !== 200 || !Array.isArray(keys)) {
      throw new Error(`The provider's address of keys answered ${response.status} without a key set.`);
    }
    return { keys: keys.filter((key) => isObject(key)) };
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
          maxBytes: MAX_BYTES,
          ...(init.body instanceof URLSearchParams ? { body: init.body.toString() } : {}),
        }),
    } as const;
  }

  async #discover(): Promise<oauth.AuthorizationServer> {
    const { place } = this;
    const chosen = this.#source === undefined ? this.#core.settings["auth.issuer"] : undefined;
    if (place === undefined) throw configurationError("auth.url is not set.");
    const url = new URL(place);
    const response = await oauth.discoveryRequest(url, this.options());
    const metadata: unknown = await response
      .clone()
      .json()
      .catch(() => undefined);
    if (chosen !== undefined && isObject(metadata) && isTemplateOf(chosen, metadata["issuer"])) {
      const own = Response.json({ ...metadata, issuer: chosen });
      return oauth.processDiscoveryResponse(new URL(chosen), own);
    }
    return oauth.processDiscoveryResponse(expectedIssuer(new URL(chosen ?? place), metadata), response);
  }
}

// Providers with many tenants publish one document for all, whose issuer has a placeholder. No token bears that text,
// so the operator says which tenant counts. A placeholder stands for one whole segment of the path.
function isTemplateOf(issuer: string, template: unknown): boolean {
  if (typeof template !== "string" || !template.includes("{")) return false;
  const [holes, parts] = [template.split("/"), issuer.split("/")];
  const fits = (hole: string, at: number): boolean =>
    hole === parts[at] || (at > 2 && /^\{\w+\}$/.test(hole) && /^[\w.-]+$/.test(parts[at] ?? ""));
  return holes.length === parts.length && holes.every(fits);
}

// The issuer is compared to the letter (OpenID Connect Discovery, section 4.3), but for a slash at the end: whether
// `auth.url` was written with it says nothing about who is there.
function expectedIssuer(url: URL, metadata: unknown): URL {
  const issuer = isObject(metadata) ? metadata["issuer"] : undefined;
  const named = typeof issuer === "string" ? URL.parse(issuer) : null;
  return named !== null && withoutSlash(named) === withoutSlash(url) ? named : url;
}

function withoutSlash({ href }: URL): string {
  return href.replace(/\/$/, "");
}
