// The checks of a callback.
import { describe, expect, test } from "bun:test";
import {
  expiryReason,
  checkIssuer,
  checkProvider,
  errorReason,
  changeReason,
  checkBrowser,
  parseCallback,
} from "../../../src/authorization/callback/checks";
import type { FlowRow } from "../../../src/authorization/repository";
import { hashOf } from "../../../src/crypto";
import type { Provider } from "../../../src/providers";

const NOW = 1_000_000;

const flow: FlowRow = {
  id: "ar_1",
  project_id: "default",
  user_id: "alice",
  provider_id: "idp",
  provider_version: 3,
  status: "pending",
  reason: null,
  needed: '["a"]',
  scopes: '["a"]',
  next_uri: null,
  connection_id: null,
  address_hash: null,
  sealed_address: null,
  browser_hash: hashOf("cookie"),
  state_hash: null,
  sealed_exchange: null,
  used_at: null,
  sealed_grant: null,
  check_hash: null,
  created_at: 0,
  expires_at: NOW + 1,
  finished_at: null,
};

const provider: Provider = {
  id: "idp",
  projectId: "default",
  providerId: undefined,
  type: "oauth2",
  description: undefined,
  active: true,
  version: 3,
  redirectUri: "https://runtime.example/callback",
  oauth2: {
    clientId: "client",
    scopeDelimiter: " ",
    pkce: true,
    authorize: { endpoint: "https://idp.example/authorize" },
    token: { endpoint: "https://idp.example/token" },
    refresh: undefined,
    userInfo: undefined,
    facts: {},
    account: [],
  },
  origins: ["https://idp.example"],
  originsId: "",
  sealedClientSecret: null,
  sealedPrivateKey: null,
};

describe("a callback is valid", () => {
  test.each([
    ["with a code", "code=C&state=S"],
    ["with an error", "error=access_denied&state=S"],
    ["with further parameters", "code=C&state=S&scope=a&session_state=x"],
    ["with a long code", `code=${"C".repeat(4096)}&state=S`],
  ])("%s", (_name, query) => {
    expect(parseCallback(new URLSearchParams(query))).toMatchObject({ state: "S" });
  });

  test.each([
    ["without anything", ""],
    ["with a code only", "code=C"],
    ["with an error only", "error=access_denied"],
    ["with a state only", "state=S"],
    ["with an empty state", "code=C&state="],
    ["with the state twice", "code=C&state=S&state=S"],
    ["with two different states", "code=C&state=S&state=T"],
    ["with the code twice", "code=C&code=D&state=S"],
    ["with another parameter twice", "code=C&state=S&x=1&x=2"],
    ["with a state of 8 kB", `code=C&state=${"S".repeat(8192)}`],
    ["with a NUL in the code", "code=C%00&state=S"],
  ])("not %s", (_name, query) => {
    expect(parseCallback(new URLSearchParams(query))).toMatchObject({ kind: "refused", status: 400 });
  });
});

describe("a state belongs to the redirect address", () => {
  test("of its own provider", () => {
    expect(checkProvider(flow, provider)).toBeUndefined();
  });

  test.each<[string, FlowRow | undefined, Provider | undefined]>([
    ["when the state is unknown", undefined, provider],
    ["when the address is unknown", flow, undefined],
    ["when it is another provider's", flow, { ...provider, id: "other" }],
    ["when it is the same id in another project", flow, { ...provider, projectId: "second" }],
    ["when the flow has no provider", { ...flow, provider_id: null }, provider],
  ])("not %s", (_name, row, known) => {
    expect(checkProvider(row, known)).toMatchObject({ kind: "refused", status: 400 });
  });
});

describe("the browser is the one that opened our address", () => {
  test("with its cookie", () => {
    expect(checkBrowser(flow, "cookie")).toBeUndefined();
  });

  test.each<[string, FlowRow, string | undefined]>([
    ["without a cookie", flow, undefined],
    ["with another cookie", flow, "other"],
    ["with an empty cookie", flow, ""],
    ["with the hash in place of the cookie", flow, hashOf("cookie")],
    ["before a browser has opened it", { ...flow, browser_hash: null }, "cookie"],
  ])("not %s", (_name, row, cookie) => {
    expect(checkBrowser(row, cookie)).toMatchObject({ kind: "refused", status: 400 });
  });
});

describe("a flow has not expired", () => {
  test.each<[string, Partial<FlowRow>, boolean]>([
    ["while it is pending", {}, true],
    ["not at the very end of its life", { expires_at: NOW }, false],
    ["not when it has failed", { status: "failed" }, false],
  ])("%s", (_name, change, expected) => {
    expect(expiryReason({ ...flow, ...change }, NOW) === undefined).toBe(expected);
  });
});

describe("the provider is the same as at the start of the consent", () => {
  test("if it is active and has the same version", () => {
    expect(changeReason(flow, provider)).toBeUndefined();
  });

  test.each<[string, Partial<Provider>, string]>([
    ["of a newer version", { version: 4 }, "changed"],
    ["of an older version, after it was created again", { version: 1 }, "changed"],
    ["that is inactive", { active: false }, "inactive"],
  ])("not one %s", (_name, change, word) => {
    expect(changeReason(flow, { ...provider, ...change })).toContain(word);
  });
});

describe("an error of the provider", () => {
  test("is undefined if there is a code", () => {
    expect(errorReason(new URLSearchParams("code=C"))).toBeUndefined();
  });

  test.each([
    ["access_denied", "the consent was declined at the provider"],
    ["server_error", "the provider answered server_error"],
    ["temporarily_unavailable", "the provider answered temporarily_unavailable"],
    ["<img src=x onerror=alert(1)>", "the provider answered with an error"],
    ["X".repeat(61), "the provider answered with an error"],
    ["", "the provider answered with an error"],
  ])("%s becomes a reason [fault: html-in-error]", (error, reason) => {
    const query = new URLSearchParams({ error, error_description: "<b>Ours</b>", error_uri: "https://evil" });

    expect(errorReason(query)).toBe(reason);
  });
});

describe("an error that names an issuer (RFC 9207)", () => {
  const ISSUER = "https://idp.example";
  const of = (oauth2: object) => ({ ...provider, oauth2: { ...provider.oauth2, ...oauth2 } });
  const check = (oauth2: object, query: string) => checkIssuer(of(oauth2), new URLSearchParams(query));

  test.each<[string, object, string]>([
    ["of the provider's own issuer", { issuer: ISSUER }, `error=access_denied&iss=${ISSUER}`],
    ["without a name, where none was promised", { issuer: ISSUER }, "error=access_denied"],
    ["of a provider whose issuer is unknown", {}, "error=access_denied&iss=https://other.example"],
    ["that is a code, which the exchange judges", { issuer: ISSUER }, "code=C&iss=https://other.example"],
  ])("is accepted: %s", (_what, oauth2, query) => {
    expect(check(oauth2, query)).toBeUndefined();
  });

  test.each<[string, object, string]>([
    ["another issuer", { issuer: ISSUER }, "error=access_denied&iss=https://other.example"],
    ["the issuer with a slash more", { issuer: ISSUER }, `error=access_denied&iss=${ISSUER}/`],
    [
      "no issuer, although the provider requires one",
      { issuer: ISSUER, requiresIssuer: true },
      "error=access_denied",
    ],
  ])("is refused and does not change the consent: %s", (_what, oauth2, query) => {
    expect(check(oauth2, query)).toMatchObject({ kind: "refused", status: 400 });
  });
});
