// Finds the authorization server of a worker, and refuses metadata that is not its own.
import { describe, expect, test } from "bun:test";
import { type Discovered, discover, type DiscoveryRequest } from "../../../src/workers/oauth/discovery";
import { OAuthFailure } from "../../../src/workers/oauth/failure";
import { egressWith } from "../../egress/peers";
import { challengeOf, METADATA, metadataOf, OPENID, RESOURCE, type StandIn, standIn } from "./stand-in";

const ALLOWED = { allow: ["loopback"] };

function discovered(
  at: StandIn,
  more: Partial<DiscoveryRequest> = {},
  options = ALLOWED,
): Promise<Discovered> {
  return discover({ egress: egressWith(options) }, { projectId: "default", uri: at.uri, ...more });
}

async function failure(work: Promise<unknown>): Promise<OAuthFailure> {
  const error = await work.then(
    () => new Error("it was accepted"),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof OAuthFailure)) throw error;
  return error;
}

describe("the metadata of the resource", () => {
  test("is at the address in the challenge first", async () => {
    using at = standIn();
    at.worker.set("/elsewhere", { resource: at.uri, authorization_servers: [at.issuer] });
    const challenge = challengeOf({ resource_metadata: `${at.origin}/elsewhere` });

    expect(await discovered(at, { challenge })).toMatchObject({ resource: at.uri, issuer: at.issuer });
    expect(at.asked).toEqual(["worker /elsewhere", `server ${METADATA}`]);
  });

  test("is then at the well-known address with the path, and without", async () => {
    using at = standIn();
    at.worker.delete(`${RESOURCE}/mcp`);
    at.worker.set(RESOURCE, { resource: at.origin, authorization_servers: [at.issuer] });
    const challenge = challengeOf({ resource_metadata: `${at.origin}/missing` });

    expect((await discovered(at, { challenge })).resource).toBe(at.origin);
    expect(at.asked.slice(0, 3)).toEqual(["worker /missing", `worker ${RESOURCE}/mcp`, `worker ${RESOURCE}`]);
  });

  test.each([
    ["the address itself", "/mcp", true],
    ["the address with a slash at the end", "/mcp/", true],
    ["the origin", "", true],
    ["the origin with a slash", "/", true],
    ["a prefix that ends within a segment", "/mc", false],
    ["a longer address", "/mcp/x", false],
    ["another path", "/other", false],
    ["an address with a fragment", "/mcp#x", false],
    ["an address with a query", "/mcp?tenant=other", false],
  ])("may be that of %s: %p", async (_name, path, accepted) => {
    using at = standIn();
    at.worker.set(`${RESOURCE}/mcp`, { resource: at.origin + path, authorization_servers: [at.issuer] });
    const outcome = discovered(at);

    if (accepted) expect((await outcome).resource).toBe(at.origin + path);
    else expect((await failure(outcome)).reason).toBe("other_resource");
  });

  test("of another origin is refused, and the error has both addresses", async () => {
    using at = standIn();
    at.worker.set(`${RESOURCE}/mcp`, {
      resource: "https://mcp.example/mcp",
      authorization_servers: [at.issuer],
    });
    const { reason, message } = await failure(discovered(at));

    expect(reason).toBe("other_resource");
    expect(message).toContain('"https://mcp.example/mcp"');
    expect(message).toContain(`"${at.uri}"`);
    expect(at.asked.some((asked) => asked.startsWith("server"))).toBe(false);
  });

  test.each([
    ["no resource", { authorization_servers: [] }],
    ["a resource that is not text", { resource: 1 }],
    ["servers that are not a list", { resource: "x", authorization_servers: "https://a.example" }],
  ])("with %s is refused", async (_name, document) => {
    using at = standIn();
    at.worker.set(`${RESOURCE}/mcp`, document);

    expect((await failure(discovered(at))).reason).toBe("invalid_metadata");
  });

  test("that cannot be read now does not lead to the way without metadata", async () => {
    using at = standIn();
    at.worker.set(`${RESOURCE}/mcp`, () => new Response("down", { status: 503 }));
    at.worker.set(METADATA, metadataOf(at.origin));

    expect((await failure(discovered(at))).reason).toBe("unreachable");
  });
});

describe("the metadata of the issuer", () => {
  test.each([
    ["of OAuth between host and path", METADATA, "/tenant", `${METADATA}/tenant`],
    ["of OpenID between host and path", OPENID, "/tenant", `${OPENID}/tenant`],
    ["of OpenID after the path", OPENID, "/tenant", `/tenant${OPENID}`],
    ["of OAuth without a path", METADATA, "", METADATA],
    ["of OpenID without a path", OPENID, "", OPENID],
  ])("is the document %s", async (_name, _kind, path, place) => {
    using at = standIn(path);
    at.server.clear();
    at.server.set(place, metadataOf(at.issuer));

    expect((await discovered(at)).issuer).toBe(at.issuer);
    const order = [`${METADATA}${path}`, `${OPENID}${path}`, `${path}${OPENID}`].map(
      (each) => `server ${each}`,
    );
    const asked = at.asked.filter((each) => each.startsWith("server"));
    expect(order.slice(0, asked.length)).toEqual(asked);
  });

  test("of another issuer is refused, and the error has both texts", async () => {
    using at = standIn();
    at.server.set(METADATA, metadataOf("https://auth.example/v2"));
    const { reason, message } = await failure(discovered(at));

    expect(reason).toBe("other_issuer");
    expect(message).toContain('"https://auth.example/v2"');
    expect(message).toContain(`"${at.issuer}"`);
    expect(message).toContain("mcp.oauth2.issuer");
  });

  test("of another issuer is taken if an administrator has named it", async () => {
    using at = standIn();
    at.server.set(METADATA, metadataOf("https://auth.example/v2"));

    expect((await discovered(at, { issuer: "https://auth.example/v2" })).issuer).toBe(
      "https://auth.example/v2",
    );
    expect((await failure(discovered(at, { issuer: "https://auth.example/v3" }))).reason).toBe(
      "other_issuer",
    );
  });

  test("is that of the issuer that an administrator has chosen among several", async () => {
    using at = standIn();
    using other = standIn();
    at.worker.set(`${RESOURCE}/mcp`, { resource: at.uri, authorization_servers: [at.issuer, other.issuer] });

    expect((await discovered(at)).issuer).toBe(at.issuer);
    expect((await discovered(at, { issuer: other.issuer })).issuer).toBe(other.issuer);
  });

  test("is read at the address that an administrator has set, whatever the worker says", async () => {
    using at = standIn();
    using other = standIn();

    expect((await discovered(at, { authorizationUrl: other.issuer })).issuer).toBe(other.issuer);
  });

  test("of an issuer whose address is too long for a key of the database is refused", async () => {
    using at = standIn(`/${"x".repeat(2000)}`);

    expect((await failure(discovered(at))).reason).toBe("invalid_metadata");
    expect(at.asked.some((asked) => asked.startsWith("server"))).toBe(false);
  });

  test("must list S256 if it lists code challenge methods", async () => {
    using at = standIn();
    at.server.set(METADATA, metadataOf(at.issuer, { code_challenge_methods_supported: ["plain"] }));

    expect((await failure(discovered(at))).reason).toBe("no_s256");
  });

  test("without code challenge methods is taken with a warning", async () => {
    using at = standIn();
    at.server.set(METADATA, metadataOf(at.issuer, { code_challenge_methods_supported: undefined }));

    expect((await discovered(at)).warnings).toEqual([expect.stringContaining("PKCE")]);
  });

  test.each([
    ["no token endpoint", { token_endpoint: undefined }],
    ["an endpoint of another scheme", { authorization_endpoint: "javascript:alert(1)" }],
    ["an endpoint with a template", { token_endpoint: "http://127.0.0.1/{{client_secret}}" }],
    ["an endpoint with a password", { token_endpoint: "http://a:b@127.0.0.1/" }],
  ])("with %s is refused", async (_name, more) => {
    using at = standIn();
    at.server.set(METADATA, metadataOf(at.issuer, more));

    expect((await failure(discovered(at))).reason).toBe("invalid_metadata");
  });

  test("may be missing at an issuer that the resource names: refused, without guessing endpoints", async () => {
    using at = standIn();
    at.server.clear();

    expect((await failure(discovered(at))).reason).toBe("no_metadata");
  });
});

describe("without metadata of the resource, as in 2025-03-26,", () => {
  test("the metadata at the origin of the worker is used", async () => {
    using at = standIn();
    at.worker.clear();
    at.worker.set(METADATA, metadataOf(at.origin, { token_endpoint: `${at.origin}/t` }));
    const { issuer, resource, server } = await discovered(at);

    expect([issuer, resource, server.token_endpoint]).toEqual([at.origin, at.uri, `${at.origin}/t`]);
  });

  test("the endpoints are at fixed paths if there is none either", async () => {
    using at = standIn();
    at.worker.clear();
    const { issuer, server } = await discovered(at);

    expect([
      issuer,
      server.authorization_endpoint,
      server.token_endpoint,
      server.registration_endpoint,
    ]).toEqual([at.origin, `${at.origin}/authorize`, `${at.origin}/token`, `${at.origin}/register`]);
  });

  test("metadata of another issuer at the origin is refused", async () => {
    using at = standIn();
    at.worker.clear();
    at.worker.set(METADATA, metadataOf("https://auth.example"));

    expect((await failure(discovered(at))).reason).toBe("other_issuer");
  });

  test("an origin that cannot be read is not one without metadata", async () => {
    using at = standIn();
    at.worker.clear();
    at.worker.set(METADATA, () => new Response("down", { status: 500 }));

    expect((await failure(discovered(at))).reason).toBe("unreachable");
  });
});

describe("scopes", () => {
  const scopes_supported = ["a", "b", "with space", 7, "a"];

  test.each([
    ["those of the challenge first", "x y", ["x", "y"], ["x", "y"]],
    ["those of the resource otherwise", undefined, [], ["a", "b"]],
  ])("are %s", async (_name, scope, needed, scopes) => {
    using at = standIn();
    at.worker.set(`${RESOURCE}/mcp`, {
      resource: at.uri,
      authorization_servers: [at.issuer],
      scopes_supported,
    });
    const challenge = scope === undefined ? undefined : challengeOf({ scope });

    expect(await discovered(at, { challenge })).toMatchObject({
      needed,
      scopes,
      supportedScopes: ["a", "b"],
    });
  });

  test("are none if none are named, and offline_access if the issuer lists it", async () => {
    using at = standIn();
    expect((await discovered(at)).scopes).toEqual([]);
    at.server.set(METADATA, metadataOf(at.issuer, { scopes_supported: ["email", "offline_access"] }));
    expect((await discovered(at)).scopes).toEqual(["offline_access"]);
  });
});

describe("addresses", () => {
  test("follow the address policy: loopback only where egress.allow lets it", async () => {
    using at = standIn();
    const { reason, message } = await failure(discovered(at, {}, { allow: [] }));

    expect(reason).toBe("unreachable");
    expect(message).toContain("RUNTIME_EGRESS_ALLOW");
    expect(at.asked).toEqual([]);
  });

  test.each([
    "http://169.254.169.254/latest/meta-data",
    "file:///etc/passwd",
    "//",
    "https://a:b@idp.example",
  ])("in a challenge, too: %s", async (resource_metadata) => {
    using at = standIn();
    const challenge = challengeOf({ resource_metadata });

    expect((await failure(discovered(at, { challenge }))).reason).toBe("unreachable");
    expect(at.asked).toEqual([]);
  });

  test.each(["http://169.254.169.254/", "gopher://127.0.0.1/", "https://user:secret@idp.example/"])(
    "of issuers, too: %s",
    async (issuer) => {
      using at = standIn();
      at.worker.set(`${RESOURCE}/mcp`, { resource: at.uri, authorization_servers: [issuer] });

      expect(["unreachable", "invalid_metadata"]).toContain((await failure(discovered(at))).reason);
    },
  );

  test("of redirects, too", async () => {
    using at = standIn();
    const headers = { location: "http://169.254.169.254/latest" };
    at.worker.set(`${RESOURCE}/mcp`, () => new Response(null, { status: 302, headers }));

    expect((await failure(discovered(at))).reason).toBe("unreachable");
  });
});

describe("an answer", () => {
  test("that is too large is not read", async () => {
    using at = standIn();
    at.worker.set(`${RESOURCE}/mcp`, { resource: at.uri, more: "x".repeat(600_000) });

    expect((await failure(discovered(at))).reason).toBe("unreachable");
  });

  test("that redirects in a circle is an error", async () => {
    using at = standIn();
    at.worker.set(
      `${RESOURCE}/mcp`,
      () => new Response(null, { status: 302, headers: { location: `${at.origin}${RESOURCE}/mcp` } }),
    );

    expect((await failure(discovered(at))).reason).toBe("unreachable");
  });

  test("that is a page for everything is not metadata", async () => {
    using at = standIn();
    const page = () => new Response("<html>", { headers: { "content-type": "text/html" } });
    at.worker.set(`${RESOURCE}/mcp`, page);
    at.worker.set(RESOURCE, { resource: at.origin, authorization_servers: [at.issuer] });

    expect((await discovered(at)).resource).toBe(at.origin);
  });

  test("with a NUL character is not metadata", async () => {
    using at = standIn();
    at.worker.set(`${RESOURCE}/mcp`, { resource: `${at.uri}\0`, authorization_servers: [at.issuer] });
    at.worker.set(RESOURCE, { resource: at.origin, authorization_servers: [at.issuer] });

    expect((await discovered(at)).resource).toBe(at.origin);
  });

  test("that does not come ends the step", async () => {
    using at = standIn();
    at.worker.set(`${RESOURCE}/mcp`, () => new Promise<Response>(() => undefined));
    const { reason, message } = await failure(discovered(at));

    expect(reason).toBe("unreachable");
    expect(message).toContain("5 s");
  }, 20_000);
});
