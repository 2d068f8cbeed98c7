// Results of token requests.
import { describe, expect, test } from "bun:test";
import { startTokenEndpoint, type TokenAnswer } from "../support/token-endpoint";
import { operator } from "../tools/deployment";
import { exchange, failure, SECRET, VERIFIER, withProvider } from "./exchanging";

describe("an answer", () => {
  const grants: [string, TokenAnswer, object][] = [
    [
      "of JSON",
      { body: { access_token: "T", scope: "a b", expires_in: "60" } },
      { scopes: ["a", "b"], expiresIn: 60 },
    ],
    [
      "form-encoded [fault: form-encoded-token]",
      { body: "access_token=T&scope=a%2Cb&token_type=bearer", type: "application/x-www-form-urlencoded" },
      { scopes: ["a", "b"] },
    ],
    ["with a list of scopes", { body: { access_token: "T", scope: ["a", "b"] } }, { scopes: ["a", "b"] }],
    ["without scopes", { body: { access_token: "T" } }, { scopes: undefined }],
    ["without scopes granted", { body: { access_token: "T", scope: "" } }, { scopes: [] }],
    ["without a lifetime", { body: { access_token: "T" } }, { expiresIn: undefined }],
    ["with an absurd lifetime", { body: { access_token: "T", expires_in: 1e15 } }, { expiresIn: undefined }],
  ];
  test.each(grants)("%s is a grant", async (_name, answer, expected) => {
    await using deployment = await withProvider();
    deployment.idp.queue(answer);

    const { accessToken, scopes, expiresIn } = await exchange(deployment);
    expect(accessToken.reveal()).toBe("T");
    expect({ scopes, expiresIn }).toMatchObject(expected);
  });

  const failures: [string, TokenAnswer, { code: string | undefined; transient: boolean }][] = [
    [
      "200 with an error inside",
      { body: { ok: false, error: "invalid_code" } },
      { code: "invalid_code", transient: false },
    ],
    [
      "400 of the standard",
      { status: 400, body: { error: "invalid_grant" } },
      { code: "invalid_grant", transient: false },
    ],
    [
      "401 with a challenge",
      { status: 401, body: { error: "invalid_client" } },
      { code: "invalid_client", transient: false },
    ],
    ["200 without a token", { body: { ok: true } }, { code: "no_access_token", transient: false }],
    [
      "HTML of a gateway",
      { status: 502, body: "<html>502</html>", type: "text/html" },
      { code: undefined, transient: true },
    ],
    ["nothing", { body: "" }, { code: undefined, transient: true }],
    ["a reset", { resets: true }, { code: undefined, transient: true }],
    [
      "in trouble",
      { status: 400, body: { error: "server_error" } },
      { code: "server_error", transient: true },
    ],
  ];
  test.each(failures)("%s is an error", async (_name, answer, expected) => {
    await using deployment = await withProvider();
    deployment.idp.queue(answer);

    const { code, transient } = await failure(exchange(deployment));
    expect({ code, transient }).toEqual(expected);
  });

  test("that contains secrets or is long is not repeated in the error", async () => {
    await using deployment = await withProvider();
    const error = `bad ${SECRET} <script>`;
    deployment.idp.queue({ status: 400, body: { error, error_description: SECRET } });

    const { message } = await failure(exchange(deployment));
    expect(message).toBe("The provider refused the token request: an unreadable error.");
  });

  test("that is a redirect is not followed, so the secret is not sent on", async () => {
    await using elsewhere = startTokenEndpoint();
    await using deployment = await withProvider();
    deployment.idp.queue({ status: 307, headers: { location: elsewhere.url } });

    expect((await failure(exchange(deployment))).transient).toBe(true);
    expect(elsewhere.requests).toEqual([]);
  });
});

test("an endpoint whose address the policy refuses is a permanent error", async () => {
  await using deployment = await withProvider();
  await deployment.runtime.providers.update(operator(), "idp", {
    oauth2: { token_request: { endpoint: "http://10.1.2.3/token" }, client_secret: SECRET },
  });

  const { transient, message } = await failure(exchange(deployment));
  expect([transient, message]).toEqual([false, expect.stringContaining("RUNTIME_EGRESS_ALLOW")]);
});

test("no secret, code or token of these requests is in the log", async () => {
  await using deployment = await withProvider({ auth_method: "client_secret_basic" });
  deployment.idp.queue({ body: { access_token: "token-of-the-log", refresh_token: "refresh-of-the-log" } });
  await exchange(deployment, "code=code-of-the-log&state=S");

  const log = deployment.logLines.join("\n");
  expect(log).toContain("outbound request");
  for (const secret of [SECRET, VERIFIER, "-of-the-log"]) expect(log).not.toContain(secret);
});
