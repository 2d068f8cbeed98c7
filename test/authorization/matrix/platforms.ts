// Both platforms of the matrix on one loopback address: single-use refresh tokens, and tokens that bear their owner's
// name. Every call names its owner as well (in a message, in a spreadsheet's id): the two must be one.
import { isObject } from "../../../src/base";
import { RotatingGrants, type TokenRequest, tokens } from "../../support/token-endpoint";
import { clientOf, type Owner, OWNERS, type ProviderId } from "./owners";

export interface PlatformCall {
  readonly what: string;
  /** The owner that the call speaks of. */
  readonly named: string;
  /** The owner whose token it bears; "nobody" without a token. */
  readonly bearer: string;
}

export interface Platforms extends AsyncDisposable {
  readonly url: string;
  /** Calls of the platforms; refreshes and revocations, too. */
  readonly calls: readonly PlatformCall[];
  readonly refreshes: number;
  /** The owner consents at the provider's own page; the code that the browser brings back. */
  consent(owner: Owner): string;
  /** The owner's connection is about to be deleted: his grant, and nobody else's, may be revoked. */
  mayRevoke(owner: Owner): void;
  /** All access tokens of the owner that were given out so far stop working. */
  expire(owner: Owner): void;
}

export function startPlatforms(): Platforms {
  const grants = new RotatingGrants();
  const codes = new Map<string, Owner>();
  const expired = new Map<string, number>();
  const revocable = new Set<string>();
  const calls: PlatformCall[] = [];
  let issued = 0;
  let refreshes = 0;

  const token = (provider: ProviderId, request: TokenRequest, clientId: string): Response => {
    const { code = "", grant_type, refresh_token = "" } = request.params;
    if (grant_type === "refresh_token") {
      refreshes++;
      calls.push({ what: "refresh", named: clientOfToken(refresh_token), bearer: clientId });
      const { status = 200, body } = grants.answer(request);
      issued++;
      return Response.json(isObject(body) ? { ok: status === 200, ...body } : body, { status });
    }
    const owner = codes.get(code);
    codes.delete(code);
    if (owner === undefined || clientOf(owner) !== clientId || owner.provider !== provider)
      return Response.json({ ok: false, error: "invalid_grant" }, { status: 400 });
    issued++;
    return Response.json(grantOf(owner, tokens(grants.issue(owner.name), 3600), request.params));
  };

  const api = async (request: Request, path: string): Promise<Response> => {
    const bearer = bearerOf(request.headers.get("authorization"));
    const call = await callOf(request, path);
    calls.push({ ...call, bearer: bearer?.name ?? "nobody" });
    const works = bearer !== undefined && bearer.number > (expired.get(bearer.name) ?? 0);
    return works ? answerOf(path, bearer.name) : refusalOf(path);
  };

  const revoke = (token: string): Response => {
    const [, name = "an unknown token", number] = /^(?:access|refresh)-of-(.+)-(\d+)$/.exec(token) ?? [];
    calls.push({
      what: "revoke",
      named: revocable.has(name) ? name : "nobody who was deleted",
      bearer: name,
    });
    expired.set(name, Math.max(expired.get(name) ?? 0, Number(number)));
    return Response.json({ ok: true });
  };

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/api/auth.revoke")
        return revoke((request.headers.get("authorization") ?? "").replace("Bearer ", ""));
      if (pathname === "/revoke") return revoke(new URLSearchParams(await request.text()).get("token") ?? "");
      const provider = /^\/token\/(slack|google)$/.exec(pathname)?.[1];
      if (provider !== "slack" && provider !== "google") return api(request, pathname);
      const params = Object.fromEntries(new URLSearchParams(await request.text()));
      const client = params["client_id"] ?? basicClient(request.headers.get("authorization"));
      const { method, headers } = request;
      return token(provider, { method, address: pathname, headers, body: "", params }, client);
    },
  });

  return {
    url: `http://127.0.0.1:${server.port}`,
    calls,
    get refreshes() {
      return refreshes;
    },
    consent: (owner) => {
      const code = `code-${owner.name}-${codes.size}-${issued}-${crypto.randomUUID()}`;
      codes.set(code, owner);
      return code;
    },
    mayRevoke: ({ name }) => void revocable.add(name),
    // Numbers of tokens only grow, and no more of them were given out than this.
    expire: ({ name }) => void expired.set(name, issued),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** What the owner is called at the chat platform: told with the grant. */
export function accountOf({ name }: Pick<Owner, "name">): string {
  return `U-${name}`;
}

function grantOf(owner: Owner, pair: object, params: TokenRequest["params"]): object {
  const account = accountOf(owner);
  if (owner.provider === "slack") {
    return { ok: true, team: { id: "T", name: "Team" }, authed_user: { id: account, ...pair } };
  }
  const claims = Buffer.from(
    JSON.stringify({ sub: account, aud: clientOf(owner), iat: 1, exp: 4_000_000_000 }),
  ).toString("base64url");
  const verified = params["code_verifier"] === undefined ? { error: "invalid_grant" } : pair;
  return { ...verified, id_token: `e30.${claims}.none` };
}

async function callOf(request: Request, path: string): Promise<Omit<PlatformCall, "bearer">> {
  if (path.startsWith("/v4/spreadsheets/")) {
    return { what: "spreadsheets.get", named: path.split("/")[3] ?? "" };
  }
  const form = new URLSearchParams(await request.text());
  const named = form.get("text") ?? form.get("user")?.replace(/^U-/, "") ?? path;
  return { what: path.replace("/api/", ""), named };
}

function answerOf(path: string, name: string): Response {
  if (path === "/api/users.info") {
    return Response.json({ ok: true, user: { id: `U-${name}`, name, team_id: "T", profile: {} } });
  }
  if (path === "/api/chat.postMessage") {
    return Response.json({
      ok: true,
      channel: "C1",
      ts: "1.000001",
      message: { text: "posted", user: name },
    });
  }
  return Response.json({ spreadsheetId: path.split("/")[3], properties: { title: name }, sheets: [] });
}

function refusalOf(path: string): Response {
  if (path.startsWith("/api/")) return Response.json({ ok: false, error: "token_expired" });
  return Response.json(
    { error: { code: 401, message: "expired", status: "UNAUTHENTICATED" } },
    { status: 401 },
  );
}

/** The owner whose name a token bears, and its number. Undefined for no token, and for one that is nobody's. */
function bearerOf(header: string | null): { name: string; number: number } | undefined {
  const [, name = "", number] = /^Bearer access-of-(.+)-(\d+)$/.exec(header ?? "") ?? [];
  if (name !== "") return { name, number: Number(number) };
  return header === null ? undefined : { name: "an unknown token", number: 0 };
}

/** The client to which the owner of a refresh token gave his consent. */
function clientOfToken(refresh: string): string {
  const name = /^refresh-of-(.+)-\d+$/.exec(refresh)?.[1];
  const owner = OWNERS.find((each) => each.name === name);
  return owner === undefined ? "an unknown token" : clientOf(owner);
}

function basicClient(header: string | null): string {
  const [id = ""] = Buffer.from((header ?? "").replace("Basic ", ""), "base64")
    .toString()
    .split(":");
  return decodeURIComponent(id);
}
