// What a provider record refuses: one row per rule, the field named, the value never repeated.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { api, at } from "../support/api";
import { type Scenario, scenarios } from "./scenario";
import { databaseOf, dump, type Stage, startStage } from "./stage";

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const BASE = "/v1/admin/auth_providers";
const AUTHORIZE = { endpoint: "https://idp.example/authorize" };
const TOKEN = { endpoint: "https://idp.example/token" };
const OAUTH2 = { client_id: "client", authorize_request: AUTHORIZE, token_request: TOKEN };
const CANARY = "s3cr3t canary";

const letters = (count: number): string => "x".repeat(count);
const oauth2 = (changes: object): object => ({ oauth2: { ...OAUTH2, ...changes } });
const token = (changes: object): object => oauth2({ token_request: { ...TOKEN, ...changes } });
const address = (length: number): string => {
  const start = "https://idp.example/";
  return start + letters(length - start.length);
};

let count = 0;
function creating(name: string, changes: object, outcome: Pick<Scenario, "status" | "contains">): Scenario {
  count += 1;
  const body = { id: `p${count}`, oauth2: OAUTH2, ...changes };
  return { name, method: "POST", path: BASE, as: "admin", body, lacks: ["s3cr3t"], ...outcome };
}

describe("a record within its limits is made", () => {
  const fine: [string, object][] = [
    ["an id of 100 characters", { id: letters(100) }],
    ["an id of every allowed character", { id: "Aa0._-" }],
    ["a description of 1,000 characters", { description: letters(1000) }],
    ["an empty description", { description: "" }],
    ["an external_id of 50 characters", { external_id: letters(50) }],
    ["a client_id of 1,000 characters", oauth2({ client_id: letters(1000) })],
    ["a client_secret of 1,000 characters", oauth2({ client_secret: letters(1000) })],
    ["an endpoint of 1,000 characters", token({ endpoint: address(1000) })],
    ["a header format of 200 characters", token({ auth_header_value_format: letters(200) })],
    ["http to this machine", token({ endpoint: "http://localhost:1/x" })],
    ["http to a loopback address", token({ endpoint: "http://[::1]:1/x" })],
    ["http to a private address", token({ endpoint: "http://10.1.2.3/x" })],
    ["http to a name without dots", token({ endpoint: "http://idp/x" })],
    ["an empty auth_method", token({ auth_method: "" })],
    ["placeholders with spaces", token({ params: { a: "{{ client_id }} {{scopes}}" } })],
    [
      "a well-known provider with another endpoint",
      { provider_id: "slack", oauth2: { client_id: "c", token_request: TOKEN } },
    ],
    ["an unknown well-known id with both requests", { provider_id: "nobody" }],
  ];
  scenarios(
    () => stage,
    fine.map(([name, changes]) => creating(name, changes, { status: 201 })),
  );
});

describe("a record that breaks a rule is 400 and names the field", () => {
  const broken: [string, object, string][] = [
    ["no id", { id: undefined }, "id is required"],
    ["an empty id", { id: "" }, "id must"],
    ["an id of 101 characters", { id: letters(101) }, "id must"],
    ["an id with a space", { id: CANARY }, "id must"],
    ["an id with a slash", { id: "a/b" }, "id must"],
    ["an id with a line end", { id: "a\n" }, "id must"],
    ["an id that no path can name", { id: ".." }, "id must"],
    ["another one", { id: "." }, "id must"],
    ["an id that is a number", { id: 5 }, "id must be string"],
    ["another type", { type: CANARY }, "type must"],
    ["another status", { status: CANARY }, "status must"],
    ["a description of 1,001 characters", { description: CANARY.repeat(100) }, "description must"],
    ["an external_id of 51 characters", { external_id: letters(51) }, "external_id must"],
    ["an external_id with a slash", { external_id: "a/b" }, "external_id must"],
    ["an external_id that leaves its place", { external_id: ".." }, "external_id must"],
    ["an empty external_id", { external_id: "" }, "external_id must"],
    ["no oauth2", { oauth2: undefined }, "oauth2 is required"],
    ["oauth2 as text", { oauth2: CANARY }, "oauth2 must be object"],
    ["oauth2 as a list", { oauth2: [CANARY] }, "oauth2 must be object"],
    ["no client_id", oauth2({ client_id: undefined }), "oauth2.client_id is required"],
    ["an empty client_id", oauth2({ client_id: "" }), "oauth2.client_id must"],
    ["a client_id of 1,001 characters", oauth2({ client_id: letters(1001) }), "oauth2.client_id must"],
    [
      "a client_secret of 1,001 characters",
      oauth2({ client_secret: CANARY + letters(1001) }),
      "oauth2.client_secret must",
    ],
    ["a client_secret in a list", oauth2({ client_secret: [CANARY] }), "oauth2.client_secret must be string"],
    [
      "a client_secret in an object",
      oauth2({ client_secret: { value: CANARY } }),
      "oauth2.client_secret must be string",
    ],
    ["another delimiter", oauth2({ scope_delimiter: CANARY }), "oauth2.scope_delimiter must"],
    ["pkce as text", oauth2({ pkce: CANARY }), "oauth2.pkce must be object"],
    ["pkce switched by text", oauth2({ pkce: { enabled: CANARY } }), "oauth2.pkce.enabled must be boolean"],
    [
      "the plain challenge",
      oauth2({ pkce: { code_challenge_method: "plain" } }),
      "code_challenge_method must",
    ],
    [
      "no authorize_request",
      oauth2({ authorize_request: undefined }),
      "oauth2.authorize_request is required",
    ],
    ["no token_request", oauth2({ token_request: undefined }), "oauth2.token_request is required"],
    ["a request as text", oauth2({ token_request: CANARY }), "oauth2.token_request must be object"],
    ["no endpoint", oauth2({ token_request: {} }), "oauth2.token_request.endpoint is required"],
    [
      "an endpoint of 1,001 characters",
      token({ endpoint: address(1001) }),
      "oauth2.token_request.endpoint must",
    ],
    [
      "a relative endpoint",
      token({ endpoint: `/${CANARY}` }),
      "oauth2.token_request.endpoint must be an absolute",
    ],
    [
      "an endpoint of another scheme",
      token({ endpoint: "ftp://idp.example/x" }),
      "oauth2.token_request.endpoint must",
    ],
    [
      "a script as endpoint",
      token({ endpoint: "javascript:alert(1)" }),
      "oauth2.token_request.endpoint must",
    ],
    [
      "an endpoint with a password",
      token({ endpoint: "https://a:s3cr3t@idp.example/" }),
      "user name or password",
    ],
    ["http to a public name", token({ endpoint: "http://idp.example/x" }), "must be https for a public host"],
    ["http to a public address", token({ endpoint: "http://8.8.8.8/x" }), "must be https for a public host"],
    [
      "http to a public IPv6 address",
      token({ endpoint: "http://[2606:4700::1]/x" }),
      "must be https for a public host",
    ],
    [
      "http to a name that begins like a private address",
      token({ endpoint: "http://10.example.com/" }),
      "must be https",
    ],
    ["another method", token({ method: "PUT" }), "oauth2.token_request.method must"],
    ["another auth_method", token({ auth_method: CANARY }), "oauth2.token_request.auth_method must"],
    ["another content type", token({ request_content_type: "text/plain" }), "request_content_type must"],
    [
      "a header format of 201 characters",
      token({ auth_header_value_format: letters(201) }),
      "auth_header_value_format must",
    ],
    ["params as text", token({ params: CANARY }), "oauth2.token_request.params must be object"],
    ["params as a list", token({ params: [CANARY] }), "oauth2.token_request.params must be object"],
    ["a parameter that is an object", token({ params: { a: { b: CANARY } } }), "params.a must be string"],
    ["a parameter that is a number", token({ params: { a: 5 } }), "params.a must be string"],
    ["a parameter of 4,001 characters", token({ params: { a: letters(4001) } }), "params.a must"],
    ["a parameter with a line end in its name", token({ params: { "a\nb": { c: CANARY } } }), "params"],
    ["a parameter with no name", token({ params: { "": { c: CANARY } } }), "params"],
    [
      "an unknown placeholder",
      token({ params: { a: `{{${CANARY}}}` } }),
      "params.a has an unknown placeholder",
    ],
    [
      "one in an endpoint",
      token({ endpoint: `https://idp.example/{{${CANARY}}}` }),
      "endpoint has an unknown placeholder",
    ],
    [
      "one in a header format",
      token({ auth_header_value_format: `{{${CANARY}}}` }),
      "auth_header_value_format has an unknown",
    ],
    [
      "an expression that does not parse",
      token({ response_map: { access_token: CANARY } }),
      "response_map.access_token",
    ],
    [
      "a call of another function",
      token({ response_map: { scope: `eval('${CANARY}')` } }),
      "response_map.scope",
    ],
    [
      "a call with too few arguments",
      token({ response_map: { scope: "join('$.a')" } }),
      "response_map.scope",
    ],
    [
      "user info without triggers",
      oauth2({ user_info_request: TOKEN }),
      "oauth2.user_info_request.triggers is required",
    ],
  ];
  scenarios(
    () => stage,
    broken.map(([name, changes, text]) => creating(name, changes, { status: 400, contains: [text] })),
  );

  test("in several fields names all of them, by field and rule", async () => {
    const body = { id: 5, status: "x", oauth2: { ...OAUTH2, client_id: "" } };
    const answer = await api(stage.site.url, stage.keys.admin).post(BASE, body);
    const errors = at(answer.body, "field_errors") as { field: string; rule: string; message: string }[];
    expect(errors.map(({ field }) => field).toSorted()).toEqual(["id", "oauth2.client_id", "status"]);
    for (const error of errors) expect(Object.keys(error).toSorted()).toEqual(["field", "message", "rule"]);
  });

  test("stores nothing, and no log line has what was sent", () => {
    const [state, log] = [JSON.stringify(dump(databaseOf(stage.site))), stage.site.logLines.join("\n")];
    expect(state).toContain("auth_providers");
    expect(log).toContain(`"path":"${BASE}"`);
    expect([state.includes("s3cr3t"), log.includes("s3cr3t")]).toEqual([false, false]);
  });
});
