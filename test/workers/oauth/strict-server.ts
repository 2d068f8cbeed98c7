// An authorization server that checks every request to the letter, and the tokens that it has given. What it refuses is kept,
// so that a test sees why a consent failed.
import { createHash } from "node:crypto";
import { METADATA, metadataOf, type StandIn, standIn } from "./stand-in";

export interface IssuedToken {
  subject: string;
  client: string;
  resource: string | undefined;
  scopes: string[];
  isRefresh: boolean;
  active: boolean;
}

interface Client {
  secret: string | undefined;
  redirectUris: string[];
  method: string;
}

interface Code {
  subject: string;
  client: string;
  redirectUri: string;
  challenge: string;
  resource: string | undefined;
  scopes: string[];
}

export interface StrictOptions {
  /** More of the metadata; `undefined` removes a member. */
  metadata?: object;
  /** Seconds. */
  expiresIn?: number;
  /** The resource that requests must name; null: they must name none. Default: the worker. */
  resource?: string | null;
  issuerPath?: string;
}

export class StrictServer implements Disposable {
  readonly at: StandIn;
  readonly clients = new Map<string, Client>();
  readonly tokens = new Map<string, IssuedToken>();
  readonly refusals: string[] = [];
  /** Bodies of registrations. */
  readonly registrations: Record<string, unknown>[] = [];
  /** Forms of token requests. */
  readonly tokenRequests: Record<string, string>[] = [];
  /** Scopes that are never granted. */
  readonly withheld = new Set<string>();
  /** The answer to registrations in place of a client. */
  refusesRegistration: Response | undefined;
  /** The answer to token requests in place of tokens. */
  tokenAnswer: (() => Response) | undefined;
  readonly #codes = new Map<string, Code>();
  readonly #options: StrictOptions;
  #made = 0;

  constructor(options: StrictOptions = {}) {
    this.#options = options;
    this.at = standIn(options.issuerPath);
    const metadata = metadataOf(this.at.issuer, {
      revocation_endpoint: `${new URL(this.at.issuer).origin}/revoke`,
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
      ...options.metadata,
    });
    this.at.server.set(METADATA + (options.issuerPath ?? ""), metadata);
    this.at.server.set("/register", (request) => this.#register(request));
    this.at.server.set("/token", (request) => this.#token(request));
    this.at.server.set("/revoke", (request) => this.#revoke(request));
  }

  /** A client that an administrator has created in the console. */
  addClient(
    id: string,
    secret: string | undefined,
    redirectUri: string,
    method = "client_secret_basic",
  ): void {
    this.clients.set(id, {
      secret,
      redirectUris: [redirectUri],
      method: secret === undefined ? "none" : method,
    });
  }

  /** The person agrees: the parameters of the callback besides the state. Throws for a request that is not right. */
  approve(location: URL, subject: string): Record<string, string> {
    const get = (name: string): string => location.searchParams.get(name) ?? "";
    const client = this.clients.get(get("client_id"));
    const scopes = get("scope")
      .split(" ")
      .filter((scope) => scope !== "" && !this.withheld.has(scope));
    const faults = [
      ...(client === undefined ? ["unknown client"] : []),
      ...(client?.redirectUris.includes(get("redirect_uri")) === true ? [] : ["unknown redirect address"]),
      ...(get("response_type") === "code" ? [] : ["response_type"]),
      ...(get("code_challenge_method") === "S256" ? [] : ["no S256"]),
      ...this.#resourceFaults(location.searchParams.getAll("resource")),
    ];
    if (faults.length > 0) throw new Error(`the authorization request is refused: ${faults.join(", ")}`);
    const code = `code-${++this.#made}`;
    this.#codes.set(code, {
      subject,
      client: get("client_id"),
      redirectUri: get("redirect_uri"),
      challenge: get("code_challenge"),
      resource: location.searchParams.get("resource") ?? undefined,
      scopes,
    });
    return { code, iss: this.at.issuer };
  }

  /** The token of a request, if it is one of an access token that is valid. */
  tokenOf(request: Request): IssuedToken | undefined {
    const token = this.tokens.get((request.headers.get("authorization") ?? "").replace(/^Bearer /, ""));
    return token?.active === true && !token.isRefresh ? token : undefined;
  }

  /** Ends all access tokens of a subject; refresh tokens stay. */
  expire(subject: string): void {
    for (const token of this.tokens.values())
      if (token.subject === subject && !token.isRefresh) token.active = false;
  }

  [Symbol.dispose](): void {
    this.at[Symbol.dispose]();
  }

  #resourceFaults(resources: readonly string[]): string[] {
    const { resource = this.at.uri } = this.#options;
    const expected = resource === null ? [] : [resource];
    return JSON.stringify(resources) === JSON.stringify(expected) ? [] : [`resource ${resources.join(" ")}`];
  }

  async #register(request: Request): Promise<Response> {
    const body: unknown = await request.json();
    const given = Object(body) as Record<string, unknown>;
    this.registrations.push(given);
    if (this.refusesRegistration !== undefined) return this.refusesRegistration.clone() as Response;
    const id = `client-${++this.#made}`;
    const method = String(given["token_endpoint_auth_method"]);
    const secret = method === "none" ? undefined : `secret-of-${id}`;
    this.clients.set(id, { secret, redirectUris: given["redirect_uris"] as string[], method });
    return Response.json(
      {
        ...given,
        client_id: id,
        ...(secret === undefined ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
        registration_access_token: `registration-token-of-${id}`,
        registration_client_uri: `${this.at.issuer}/register/${id}`,
      },
      { status: 201 },
    );
  }

  async #token(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    this.tokenRequests.push(Object.fromEntries(form));
    if (this.tokenAnswer !== undefined) return this.tokenAnswer();
    const client = this.#clientOf(request, form);
    if (client === undefined) return this.#refuse("invalid_client");
    const resource = this.#resourceFaults(form.getAll("resource"));
    if (resource.length > 0) return this.#refuse("invalid_target", resource.join());
    return form.get("grant_type") === "refresh_token"
      ? this.#refreshed(client, form)
      : this.#exchanged(client, form);
  }

  #clientOf(request: Request, form: URLSearchParams): string | undefined {
    const header = request.headers.get("authorization");
    const [name = "", password = ""] =
      header === null
        ? [form.get("client_id") ?? "", form.get("client_secret") ?? ""]
        : Buffer.from(header.replace(/^Basic /, ""), "base64")
            .toString()
            .split(":")
            .map(decodeURIComponent);
    const client = this.clients.get(name);
    if (client === undefined || (client.secret ?? "") !== password) return undefined;
    const isBasic = header !== null;
    const used =
      client.secret === undefined ? "none" : isBasic ? "client_secret_basic" : "client_secret_post";
    return used === client.method ? name : undefined;
  }

  #exchanged(client: string, form: URLSearchParams): Response {
    const code = this.#codes.get(form.get("code") ?? "");
    this.#codes.delete(form.get("code") ?? "");
    const verifier = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (
      code?.client !== client ||
      code.redirectUri !== form.get("redirect_uri") ||
      code.challenge !== verifier
    )
      return this.#refuse("invalid_grant", "code");
    return this.#issue({ ...code, client });
  }

  #refreshed(client: string, form: URLSearchParams): Response {
    const token = this.tokens.get(form.get("refresh_token") ?? "");
    if (token?.active !== true || !token.isRefresh || token.client !== client)
      return this.#refuse("invalid_grant", "refresh token");
    token.active = false;
    return this.#issue(token);
  }

  #issue({
    subject,
    client,
    resource,
    scopes,
  }: Pick<IssuedToken, "subject" | "client" | "resource" | "scopes">): Response {
    const number = ++this.#made;
    const [access, refresh] = [`access-${number}-of-${subject}`, `refresh-${number}-of-${subject}`];
    const common = { subject, client, resource, scopes, active: true };
    this.tokens.set(access, { ...common, isRefresh: false });
    this.tokens.set(refresh, { ...common, isRefresh: true });
    return Response.json({
      access_token: access,
      refresh_token: refresh,
      token_type: "Bearer",
      expires_in: this.#options.expiresIn ?? 3600,
      scope: scopes.join(" "),
    });
  }

  async #revoke(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const token = this.tokens.get(form.get("token") ?? "");
    if (token !== undefined) {
      for (const other of this.tokens.values())
        if (other.subject === token.subject && other.client === token.client) other.active = false;
    }
    return new Response(null, { status: 200 });
  }

  #refuse(error: string, why = ""): Response {
    this.refusals.push(`${error} ${why}`.trim());
    return Response.json(
      { error, error_description: "the description must not be repeated" },
      { status: 400 },
    );
  }
}
