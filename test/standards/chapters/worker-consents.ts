// What this server does as a client of workers that want tokens: metadata of resources and issuers, registration, resource
// indicators.
import { expect } from "bun:test";
import { discover, type DiscoveryRequest } from "../../../src/workers/oauth/discovery";
import { register } from "../../../src/workers/oauth/registration";
import { egressWith } from "../../egress/peers";
import { OAuthSite } from "../../workers/oauth/site";
import { METADATA, metadataOf, OPENID, RESOURCE, type StandIn, standIn } from "../../workers/oauth/stand-in";
import { StrictServer } from "../../workers/oauth/strict-server";
import { type Chapter, must, mustNot, type Proof, type Row, should } from "../ledger";

const core = { egress: egressWith() };

function found(at: StandIn, more: Partial<DiscoveryRequest> = {}) {
  return discover(core, { projectId: "default", uri: at.uri, ...more });
}

/** Discovery after `prepare` finds the issuer, or fails for this reason. */
function discovery(
  prepare: (at: StandIn) => Partial<DiscoveryRequest> | void,
  reason?: string,
  path = "",
): Proof {
  return async () => {
    using at = standIn(path);
    const more = prepare(at) ?? {};
    const outcome = found(at, more).then(
      ({ issuer }) => issuer,
      ({ reason: why }) => why,
    );
    expect(await outcome).toBe(reason ?? at.issuer);
  };
}

const resource = (at: StandIn, more: object): void =>
  void at.worker.set(`${RESOURCE}/mcp`, { resource: at.uri, authorization_servers: [at.issuer], ...more });

const issuer = (at: StandIn, more: object): void => void at.server.set(METADATA, metadataOf(at.issuer, more));

const rfc9728: Row[] = [
  must(
    "3.1",
    "as a client: the well-known part is between host and path of the resource",
    discovery(() => {}),
  ),
  must(
    "3.3",
    "as a client: metadata whose resource is not the one that was asked is not used",
    discovery((at) => resource(at, { resource: "https://other.example/mcp" }), "other_resource"),
  ),
  must(
    "3.3",
    "as a client: the resource in the metadata is identical to the one that was asked",
    discovery((at) => resource(at, { resource: at.origin })),
    "A prefix of whole path segments at the same origin is accepted, as the authorization specification of MCP has it: one metadata document serves all paths of a server.",
  ),
  must(
    "5.1",
    "as a client: the address in the challenge is used",
    discovery((at) => {
      at.worker.set("/m", { resource: at.uri, authorization_servers: [at.issuer] });
      at.worker.delete(`${RESOURCE}/mcp`);
      return { challenge: `Bearer resource_metadata="${at.origin}/m"` };
    }),
  ),
  mustNot(
    "7.7",
    "as a client: requests for metadata reach internal addresses",
    discovery(
      () => ({ challenge: 'Bearer resource_metadata="http://169.254.169.254/latest"' }),
      "unreachable",
    ),
  ),
];

const rfc8414: Row[] = [
  must(
    "3.1",
    "for workers: the document of OAuth between host and path is read first",
    discovery(() => {}, undefined, "/tenant"),
  ),
  should(
    "5",
    "for workers: OpenID documents are read where it is missing",
    discovery(
      (at) => {
        at.server.clear();
        at.server.set(`/tenant${OPENID}`, metadataOf(at.issuer));
      },
      undefined,
      "/tenant",
    ),
  ),
  must(
    "3.3",
    "for workers: metadata of another issuer is not used",
    discovery((at) => issuer(at, { issuer: "https://other.example" }), "other_issuer"),
  ),
  must(
    "2",
    "for workers: a list of code challenge methods without S256 is refused",
    discovery((at) => issuer(at, { code_challenge_methods_supported: ["plain"] }), "no_s256"),
  ),
  must(
    "2",
    "for workers: endpoints are absolute addresses of the web",
    discovery((at) => issuer(at, { token_endpoint: "javascript:0" }), "invalid_metadata"),
  ),
];

const resourceIn = (pick: (form: Record<string, string>) => boolean): Proof => {
  return async () => {
    await using made = await OAuthSite.start();
    await made.ready();
    await made.consentAs("alice", await made.authorize("alice"));
    made.strict.expire("alice");
    await made.run("whoami", "alice");
    const forms = made.strict.tokenRequests.filter(pick);
    expect(forms.length).toBeGreaterThan(0);
    expect(forms.every((form) => form["resource"] === made.strict.at.uri)).toBe(true);
  };
};

const rfc8707: Row[] = [
  should(
    "2.1",
    "as a client: the authorization request names the worker",
    resourceIn(() => true),
  ),
  should(
    "2.2",
    "as a client: the token request names the worker",
    resourceIn(({ grant_type }) => grant_type === "authorization_code"),
  ),
  should(
    "2.2",
    "as a client: the refresh request names the worker",
    resourceIn(({ grant_type }) => grant_type === "refresh_token"),
  ),
];

async function registered(look: (server: StrictServer, work: Promise<unknown>) => unknown): Promise<void> {
  using server = new StrictServer();
  const discovered = await found(server.at);
  const request = { projectId: "default", redirectUri: "https://runtime.example/callback", discovered };
  await look(server, register(core, request));
}

const refusedWith = (answer: Response): Proof => {
  return async () => {
    using server = new StrictServer();
    server.refusesRegistration = answer as never;
    const discovered = await found(server.at);
    const request = { projectId: "default", redirectUri: "https://runtime.example/callback", discovered };
    const outcome = register(core, request).catch(({ reason }: { reason: string }) => reason);
    expect(await outcome).toBe("registration_refused");
  };
};

export const rfc7591: Chapter = {
  id: "RFC 7591",
  title: "OAuth 2.0 Dynamic Client Registration Protocol",
  url: "https://www.rfc-editor.org/rfc/rfc7591",
  rows: [
    must("2", "a client with redirect addresses registers them", () =>
      registered(async (server, work) => {
        await work;
        expect(server.registrations[0]?.["redirect_uris"]).toEqual(["https://runtime.example/callback"]);
      }),
    ),
    must("2.1", "grant types and response types agree", () =>
      registered(async (server, work) => {
        await work;
        expect(server.registrations[0]).toMatchObject({
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"],
        });
      }),
    ),
    must("3.1", "the request is a POST of JSON", () =>
      registered(async (server, work) => {
        await work;
        expect(server.at.asked).toContain("server /register");
        expect(server.registrations).toHaveLength(1);
      }),
    ),
    must("3.2.1", "the values that the server returns are used", () =>
      registered(async (_server, work) => {
        expect(await work).toMatchObject({ clientId: "client-1", clientSecret: "secret-of-client-1" });
      }),
    ),
    must(
      "3.2.1",
      "a client that the server has given other redirect addresses is not used",
      refusedWith(
        Response.json(
          { client_id: "c", client_secret: "s", redirect_uris: ["https://other.example"] },
          { status: 201 },
        ),
      ),
    ),
    must(
      "3.2.2",
      "an error is an error",
      refusedWith(Response.json({ error: "invalid_redirect_uri" }, { status: 400 })),
    ),
  ],
};

/** The chapter with what this server does as a client of workers. */
export function asClient(chapter: Chapter): Chapter {
  const rows = { "RFC 9728": rfc9728, "RFC 8414": rfc8414, "RFC 8707": rfc8707 }[chapter.id] ?? [];
  return { ...chapter, rows: [...chapter.rows, ...rows] };
}
