// The records tools in a whole deployment: consent, execution, refresh, and what is missing.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { at } from "../../support/api";
import { found } from "../../support/canaries";
import { runProcess } from "../../cli/support/processes";
import type { Fault, RecordsSandbox } from "../../sandbox/records";
import { Deployment } from "./deployment";
import { rowOf } from "./rows";

const HOUR = 3_600_000;
const LIST = rowOf("FetchVendorRecords");
const SCHEMA_MODE = { mode: "get_request_schema" };

describe("before anything is set up", () => {
  test("a request schema is returned, and an execution names what is missing without any call", async () => {
    await using deployment = await Deployment.start();
    const told = await deployment.execute("UpdateVendorRecord", "alice", SCHEMA_MODE);
    expect(at(told.body, "output.value.request_body_schema.type")).toBe("object");
    const unconfigured = await deployment.execute(LIST.tool, "alice", LIST.input);
    expect(unconfigured.status).toBe(400);
    expect(at(unconfigured.body, "message")).toContain("zoho");
    await deployment.addProvider(deployment.sandbox.us);
    const withoutSecret = await deployment.execute(LIST.tool, "alice", LIST.input);
    expect(withoutSecret.status).toBe(400);
    expect(at(withoutSecret.body, "message")).toContain("VENDOR_SERVER_URL");
    await deployment.setServerUrl(deployment.sandbox.us.apiUrl);
    const withoutConsent = await deployment.execute(LIST.tool, "alice", LIST.input);
    expect(withoutConsent.status).toBe(403);
    expect(at(withoutConsent.body, "message")).toContain("ZohoCreator.report.READ");
    expect(deployment.sandbox.calls()).toBe(0);
  });
});

describe("a user of the second data center", () => {
  test("consents and executes there; the other hosts get no request", async () => {
    await using deployment = await Deployment.start();
    const { eu } = deployment.sandbox;
    await deployment.addProvider(eu);
    await deployment.setServerUrl(eu.apiUrl);
    expect(await deployment.consent(LIST.tool, "carla", "carla")).toMatchObject({ status: "completed" });
    const input = { ...LIST.input, account_owner_identifier: "europa" };
    const { body } = await deployment.execute(LIST.tool, "carla", input);
    expect(at(body, "output.value.response_json.data.0.Name")).toBe("Lamp");
    deployment.move(2 * HOUR);
    expect(at((await deployment.execute(LIST.tool, "carla", input)).body, "success")).toBe(true);
    const places = deployment.sandbox.requests.map(
      ({ location, host, route }) => `${location} ${host} ${route}`,
    );
    expect(places).toEqual([
      "eu accounts authorize",
      "eu accounts decide",
      "eu accounts token",
      "eu api data.list",
      "eu accounts refresh",
      "eu api data.list",
    ]);
  });

  test("consents through a provider of the first one; code and refresh token go to its own data center", async () => {
    const hosts = (sandbox: RecordsSandbox) => ({ RUNTIME_RECORDS_ACCOUNTS_HOSTS: sandbox.eu.accountsUrl });
    await using deployment = await Deployment.start({ clientSecret: "one-secret-for-all" }, hosts);
    const { us, eu } = deployment.sandbox;
    await deployment.addProvider(us);
    await deployment.setServerUrl(eu.apiUrl);
    expect(await deployment.consent(LIST.tool, "carla", "carla")).toMatchObject({ status: "completed" });
    const input = { ...LIST.input, account_owner_identifier: "europa" };
    expect(at((await deployment.execute(LIST.tool, "carla", input)).body, "success")).toBe(true);
    deployment.move(2 * HOUR);
    expect(at((await deployment.execute(LIST.tool, "carla", input)).body, "success")).toBe(true);
    const secrets = deployment.sandbox.requests.filter(
      ({ route }) => route === "token" || route === "refresh",
    );
    expect(secrets.map(({ location }) => location)).toEqual(["eu", "eu"]);
  });

  test("with an unknown accounts server gets no request, and the authorization fails", async () => {
    await using deployment = await Deployment.start({ clientSecret: "one-secret-for-all" });
    await deployment.addProvider(deployment.sandbox.us);
    expect(await deployment.consent(LIST.tool, "carla", "carla")).toMatchObject({ status: "failed" });
    expect(deployment.sandbox.calls("token")).toBe(0);
  });
});

describe("a user who has consented", () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await Deployment.start();
    const { us } = deployment.sandbox;
    await deployment.addProvider(us);
    await deployment.setServerUrl(`${us.apiUrl}/`);
    await deployment.consent(LIST.tool, "alice", "alice");
    await deployment.consent("FetchVendorFormMetaInformation", "alice", "alice");
  });
  beforeEach(() => {
    // An hour and more: every test begins with a token that has expired, and with refreshes to spare.
    deployment.move(2 * HOUR);
    deployment.sandbox.clearFaults();
    deployment.sandbox.clearRequests();
  });
  afterAll(() => deployment[Symbol.asyncDispose]());

  const list = () => deployment.execute(LIST.tool, "alice", LIST.input);
  const routes = (): string[] => deployment.sandbox.requests.map(({ route }) => route);

  test("the authorization request has exactly these parameters, the second time with both scopes", async () => {
    const fresh = await Deployment.start();
    const { us } = fresh.sandbox;
    await fresh.addProvider(us);
    await fresh.consent(LIST.tool, "alice", "alice");
    await fresh.consent("FetchVendorFormMetaInformation", "alice", "alice");
    const asked = fresh.sandbox.requests.filter(({ route }) => route === "authorize");
    expect(asked.map(({ query }) => Object.fromEntries(query))).toEqual(
      ["ZohoCreator.report.READ", "ZohoCreator.report.READ,ZohoCreator.meta.application.READ"].map(
        (scope) => ({
          response_type: "code",
          client_id: fresh.sandbox.clientId,
          redirect_uri: expect.stringContaining("/api/v1/oauth/"),
          scope,
          state: expect.any(String),
          access_type: "offline",
          prompt: "consent",
        }),
      ),
    );
    const exchanges = fresh.sandbox.requests.filter(({ route }) => route === "token");
    for (const { headers, body, query } of exchanges) {
      expect(headers).not.toHaveProperty("authorization");
      expect(query).toEqual([]);
      expect(Object.fromEntries(new URLSearchParams(body))).toMatchObject({
        grant_type: "authorization_code",
        client_id: fresh.sandbox.clientId,
        client_secret: us.clientSecret,
        redirect_uri: expect.stringContaining("/api/v1/oauth/"),
      });
    }
    await fresh[Symbol.asyncDispose]();
  });

  test("an expired token is refreshed before the call, and then used for its hour", async () => {
    await list();
    await list();
    deployment.move(HOUR / 2);
    await list();
    expect(routes()).toEqual(["refresh", "data.list", "data.list", "data.list"]);
  });

  test("fifty calls at once share one refresh", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, list));
    expect(answers.every(({ body }) => at(body, "success") === true)).toBe(true);
    expect(deployment.sandbox.calls("refresh")).toBe(1);
    expect(deployment.sandbox.calls("data.list")).toBe(50);
  });

  test("a token that the platform refuses is refreshed once, and the call is made once more", async () => {
    await list();
    deployment.sandbox.move(2 * HOUR);
    deployment.sandbox.clearRequests();
    expect(at((await list()).body, "success")).toBe(true);
    expect(routes()).toEqual(["data.list", "refresh", "data.list"]);
  });

  test("a token endpoint that is down does not end the grant", async () => {
    deployment.sandbox.fail("refresh", { kind: "server_error" });
    const { body } = await list();
    expect(at(body, "success")).toBe(false);
    expect(at(body, "output.error.kind")).toBe("UPSTREAM_RUNTIME_SERVER_ERROR");
    expect(at((await list()).body, "success")).toBe(true);
  });

  test("a token endpoint that refuses further requests for a while is left alone until then", async () => {
    const refused = { kind: "oauth_error", error: "Access Denied" } as const;
    deployment.sandbox.fail("refresh", refused);
    const [first, ...others] = await Promise.all(Array.from({ length: 20 }, list));
    const later = [await list(), await list()];
    for (const answer of [first, ...others, ...later]) {
      expect(at(answer?.body, "output.error")).toMatchObject({
        kind: "UPSTREAM_RUNTIME_SERVER_ERROR",
        can_retry: true,
        message: expect.stringContaining("Try again in about 10 minutes. The grant remains valid."),
      });
      expect(at(answer?.body, "output.authorization")).toBeUndefined();
      const wait = Number(at(answer?.body, "output.error.retry_after_ms"));
      expect(wait > 9 * 60_000 && wait <= 10 * 60_000).toBe(true);
    }
    expect(routes()).toEqual(["refresh"]);
    deployment.move(9 * 60_000);
    expect(at((await list()).body, "output.error.message")).toContain("Try again in about a minute");
    expect(routes()).toEqual(["refresh"]);
    deployment.move(61_000);
    expect(at((await list()).body, "success")).toBe(true);
    expect(routes()).toEqual(["refresh", "refresh", "data.list"]);
  });

  test("a live token is used on while its refresh has to wait", async () => {
    await list();
    deployment.move(HOUR - 60_000);
    deployment.sandbox.fail("refresh", { kind: "oauth_error", error: "Access Denied" });
    deployment.sandbox.clearRequests();
    const succeeds = async () => expect(at((await list()).body, "success")).toBe(true);
    while (deployment.sandbox.calls("refresh") === 0) await succeeds();
    for (let turn = 0; turn < 5; turn++) await succeeds();
    expect(deployment.sandbox.calls("refresh")).toBe(1);
  });

  test("more than ten consents in ten minutes are not called the user's refusal alone", async () => {
    deployment.move(HOUR);
    const ends: unknown[] = [];
    for (let turn = 0; turn < 11; turn++)
      ends.push(await deployment.consent(LIST.tool, `user ${turn}`, "bob"));
    expect(ends.slice(0, 10).every((end) => at(end, "status") === "completed")).toBe(true);
    expect(ends[10]).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("ten minutes later"),
    });
  });

  test.each<[string, Fault]>([
    ["HTTP 200 with an error", { kind: "oauth_error", error: "invalid_code" }],
    ["HTTP 200 without a token", { kind: "answer", body: '{"api_domain":"https://www.zohoapis.com"}' }],
  ])("a code exchange that fails by %s keeps the earlier grant", async (_, fault) => {
    deployment.sandbox.fail("token", fault);
    const ended = await deployment.consent("FetchVendorFormFieldsMetadata", "alice", "alice");
    expect(ended).toMatchObject({
      status: "failed",
      reason: expect.stringMatching(/invalid_code|no_access_token/),
    });
    expect(at((await list()).body, "success")).toBe(true);
  });

  test("19 digits come through the API and the terminal", async () => {
    const [record] = deployment.sandbox.records("us", "Products");
    const row = rowOf("FetchVendorRecordDetail");
    const input = { ...row.input, record_id: record?.id };
    const { text } = await deployment.execute(row.tool, "alice", input);
    expect(text).toContain(`"ID":"${record?.id}"`);
    const argv = ["tools", "exec", "VendorCreatorApi.FetchVendorRecords", "--user", "alice", "-o", "json"];
    const flags = Object.entries(LIST.input).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const { stdout } = await runProcess([...argv, ...flags], { env: deployment.site.environment });
    expect(stdout).toContain(`"ID": "${record?.id}"`);
  });

  test("a private link needs the provider but no grant", async () => {
    const { products } = deployment.sandbox.privateLinks("us");
    const row = rowOf("FetchVendorReportRecords");
    const { body } = await deployment.execute(row.tool, "somebody else", {
      ...row.input,
      vendor_private_link: products,
    });
    expect(at(body, "output.value.response_json.code")).toBe(3000);
    expect(routes()).toEqual(["publish.list"]);
    expect(deployment.sandbox.requests[0]?.headers).not.toHaveProperty("authorization");
  });

  test("a secret with the path in it is a configuration error", async () => {
    await deployment.setServerUrl(`${deployment.sandbox.us.apiUrl}/creator/v2`);
    const { body } = await list();
    expect(at(body, "output.error.kind")).toBe("TOOL_RUNTIME_FATAL");
    expect(at(body, "output.error.message")).toContain("VENDOR_SERVER_URL");
    expect(deployment.sandbox.calls("data.list")).toBe(0);
    await deployment.setServerUrl(deployment.sandbox.us.apiUrl);
  });

  test("no token, client secret or private link is in the log", async () => {
    const { products, productForm } = deployment.sandbox.privateLinks("us");
    await list();
    const { headers, body } = deployment.sandbox.requests.find(({ route }) => route === "data.list") ?? {};
    const refresh = deployment.sandbox.requests.find(({ route }) => route === "refresh");
    const canaries = {
      access: String(headers?.["authorization"]).replace("Zoho-oauthtoken ", ""),
      refresh: new URLSearchParams(refresh?.body).get("refresh_token") ?? "",
      client: deployment.sandbox.us.clientSecret,
      products,
      productForm,
    };
    expect(body).toBe("");
    expect(Object.values(canaries).every((text) => text.length > 10)).toBe(true);
    expect(found(canaries, deployment.site.logLines.join("\n"))).toEqual([]);
  });

  test("a base of another data center is the operator's error, without a refresh and a consent", async () => {
    await deployment.setServerUrl(deployment.sandbox.eu.apiUrl);
    const { body } = await list();
    expect(at(body, "output.error.kind")).toBe("TOOL_RUNTIME_FATAL");
    expect(at(body, "output.error.message")).toContain("VENDOR_SERVER_URL");
    expect(at(body, "output.error.message")).toContain(deployment.sandbox.us.apiUrl);
    expect(at(body, "output.authorization")).toBeUndefined();
    expect(routes()).toEqual([]);
    await deployment.setServerUrl(deployment.sandbox.us.apiUrl);
    expect(at((await list()).body, "success")).toBe(true);
  });
});
