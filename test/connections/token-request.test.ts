// Token requests over HTTP: client authentication, and the encoding of parameters.
import { describe, expect, test } from "bun:test";
import { operator } from "../tools/deployment";
import { exchange, failure, providerOf, refresh, SECRET, VERIFIER, withProvider } from "./exchanging";

function basic(header: string | null): string {
  return Buffer.from((header ?? "").replace(/^Basic /, ""), "base64").toString("utf8");
}

describe("the client's secret", () => {
  test("is sent in the body by default, and nowhere else", async () => {
    await using deployment = await withProvider();
    await exchange(deployment);

    const [request] = deployment.idp.requests;
    expect(request?.params).toMatchObject({ client_id: "client", client_secret: SECRET });
    expect(request?.headers.get("authorization")).toBeNull();
  });

  test("is sent form-encoded in the header with client_secret_basic, and not in the body [fault: secret-encoding]", async () => {
    await using deployment = await withProvider({ auth_method: "client_secret_basic" }, { id: "cl:ient" });
    await exchange(deployment);

    const [request] = deployment.idp.requests;
    const [id = "", secret = ""] = basic(request?.headers.get("authorization") ?? null).split(":");
    const decoded = new URLSearchParams(`id=${id}&secret=${secret}`);
    expect([decoded.get("id"), decoded.get("secret")]).toEqual(["cl:ient", SECRET]);
    expect(request?.body).not.toContain("secret");
  });

  test("is not encoded where the encoding leaves letters plain: servers that do not decode accept it", async () => {
    const id = "3f1c-a_b.c*d";
    await using deployment = await withProvider({ auth_method: "client_secret_basic" }, { id });
    await exchange(deployment);

    const [request] = deployment.idp.requests;
    expect(basic(request?.headers.get("authorization") ?? null).split(":")[0]).toBe(id);
  });

  test("is sent unencoded in the header with client_secret_basic_raw, and not in the body [fault: secret-encoding]", async () => {
    await using deployment = await withProvider({ auth_method: "client_secret_basic_raw" });
    await exchange(deployment);

    const [request] = deployment.idp.requests;
    expect(basic(request?.headers.get("authorization") ?? null)).toBe(`client:${SECRET}`);
    expect(request?.body).not.toContain("secret");
  });

  test("is not sent with auth_method none", async () => {
    await using deployment = await withProvider({ auth_method: "none" });
    await exchange(deployment);

    const [request] = deployment.idp.requests;
    expect(request?.params).toMatchObject({ client_id: "client" });
    expect([request?.params["client_secret"], request?.headers.get("authorization")]).toEqual([
      undefined,
      null,
    ]);
  });

  test("that does not exist is not sent as an empty text", async () => {
    await using deployment = await withProvider(
      { params: { grant_type: "authorization_code", client_secret: "{{client_secret}}" } },
      { secret: null },
    );
    await exchange(deployment);

    expect(deployment.idp.requests[0]?.params).toEqual({
      grant_type: "authorization_code",
      code: "C",
      code_verifier: VERIFIER,
      redirect_uri: (await providerOf(deployment)).redirectUri,
      client_id: "client",
    });
  });

  test("is sent under the name of a template, and under no other", async () => {
    await using deployment = await withProvider({ params: { app_secret: "{{client_secret}}" } });
    await exchange(deployment);

    const [request] = deployment.idp.requests;
    expect(request?.params).toMatchObject({ app_secret: SECRET });
    expect(request?.params).not.toHaveProperty("client_secret");
  });

  test.each(["client_secret_basic", "client_secret_basic_raw"])(
    "in the header (%s) is not repeated by a template",
    async (auth_method) => {
      await using deployment = await withProvider({
        auth_method,
        params: { client_secret: "{{client_secret}}", app: "x{{client_secret}}x", kept: "{{client_id}}" },
      });
      await exchange(deployment);

      const [request] = deployment.idp.requests;
      expect(request?.params).toMatchObject({ kept: "client" });
      expect([request?.params["client_secret"], request?.params["app"]]).toEqual([undefined, undefined]);
    },
  );
});

describe("a code exchange", () => {
  test("sends the standard parameters as a form, and accepts JSON [fault: form-encoded-token]", async () => {
    await using deployment = await withProvider();
    await exchange(deployment);

    const [request] = deployment.idp.requests;
    expect(request?.method).toBe("POST");
    expect(request?.params).toEqual({
      grant_type: "authorization_code",
      code: "C",
      redirect_uri: (await providerOf(deployment)).redirectUri,
      code_verifier: VERIFIER,
      client_id: "client",
      client_secret: SECRET,
    });
    expect(request?.headers.get("accept")).toBe("application/json");
    expect(request?.headers.get("content-type")).toContain("application/x-www-form-urlencoded");
  });

  test("sends a template's additional parameters without empty ones", async () => {
    const params = { audience: "api", app: "{{client_id}}", nothing: "{{refresh_token}}" };
    await using deployment = await withProvider({ params });
    await exchange(deployment);

    const [request] = deployment.idp.requests;
    expect(request?.params).toMatchObject({
      audience: "api",
      app: "client",
      grant_type: "authorization_code",
    });
    expect(request?.params).not.toHaveProperty("nothing");
  });

  test("is sent as JSON if the record sets it", async () => {
    await using deployment = await withProvider({ request_content_type: "application/json" });
    await exchange(deployment);

    const [request] = deployment.idp.requests;
    expect(request?.headers.get("content-type")).toBe("application/json");
    expect(JSON.parse(request?.body ?? "")).toMatchObject({ grant_type: "authorization_code", code: "C" });
  });

  test("is sent as a query for the method GET, and keeps the existing query", async () => {
    await using deployment = await withProvider({});
    const { url } = deployment.idp;
    await deployment.runtime.providers.update(operator(), "idp", {
      oauth2: { token_request: { endpoint: `${url}/token?version=2`, method: "GET" } },
    });
    await exchange(deployment);

    const [request] = deployment.idp.requests;
    expect([request?.method, request?.body]).toEqual(["GET", ""]);
    expect(request?.params).toMatchObject({ version: "2", code: "C", grant_type: "authorization_code" });
  });

  test("ignores an issuer in the callback if the record has none (RFC 9207)", async () => {
    await using deployment = await withProvider();

    const grant = await exchange(deployment, "code=C&state=S&iss=https%3A%2F%2Fidp.example%2Frealm");
    expect(grant.accessToken.reveal()).toBe("T");
  });

  test.each([
    ["of another state", "code=C&state=other"],
    ["with an error in it", "code=C&state=S&error=access_denied"],
    ["with a token in it", "code=C&state=S&token=T"],
  ])("of a callback %s is not sent", async (_name, query) => {
    await using deployment = await withProvider();

    expect((await failure(exchange(deployment, query))).transient).toBe(false);
    expect(deployment.idp.requests).toEqual([]);
  });
});

describe("a refresh", () => {
  test("sends the refresh token and no scopes", async () => {
    await using deployment = await withProvider({ params: { grant_type: "refresh_token" } });
    await refresh(deployment);

    expect(deployment.idp.requests[0]?.params).toEqual({
      grant_type: "refresh_token",
      refresh_token: "R",
      client_id: "client",
      client_secret: SECRET,
    });
  });
});
