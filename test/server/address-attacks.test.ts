// Every place where an address comes from somebody else, against every spelling of an address that must not be called.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { whoAmI } from "../../catalogs/sheets/tools/who-am-i";
import { sheetsCatalog } from "../../catalogs/sheets";
import { LazyAbort, Redacted } from "../../src/base";
import type { Core } from "../../src/core";
import { OpenIdIssuer } from "../../src/identity";
import { ConnectionCaches } from "../../src/tools/cache";
import { toolContext } from "../../src/tools/context";
import { LITERALS } from "../egress/attacks";
import { type Site, startSite } from "../support/site";

let site: Site;
let connections = 0;
let listener: { port: number; stop(force?: boolean): void };

beforeAll(async () => {
  site = await startSite({ environment: { RUNTIME_EGRESS_ALLOW: "" } });
  // Whoever gets through to this machine arrives here.
  listener = Bun.listen({
    hostname: "::",
    port: 0,
    socket: { open: () => void connections++, data: () => undefined },
  });
});

afterAll(async () => {
  listener.stop(true);
  await site[Symbol.asyncDispose]();
});

const hostOf = (literal: string): string => `https://${literal}:${listener.port}`;

/** The services with one setting changed. */
function coreWith(settings: Record<string, string>): Core {
  return { ...site.runtime.core, settings: { ...site.runtime.core.settings, ...settings } };
}

async function operator() {
  return site.runtime.identity.operator("default");
}

describe.each(LITERALS)("%s", (literal) => {
  test("as a token endpoint: the exchange is refused", async () => {
    const { runtime } = site;
    const id = `p${Bun.hash(literal).toString(36)}`;
    const provider = await runtime.providers.create(await operator(), {
      id,
      oauth2: {
        client_id: "client",
        client_secret: "secret",
        authorize_request: { endpoint: "https://provider.example/authorize" },
        token_request: { endpoint: `${hostOf(literal)}/token` },
      },
    });
    const started = await runtime.authorization.authorize(await operator(), {
      auth_requirement: { id, oauth2: { scopes: ["read"] } },
      user_id: "alice",
    });
    const opened = await runtime.consent.open(started.url?.split("/").at(-1) ?? "", undefined);
    const [location, cookie] = opened.kind === "redirect" ? [opened.location, opened.cookie] : ["", ""];
    const state = new URL(location).searchParams.get("state") ?? "";
    const externalId = provider.oauth2?.redirect_uri.split("/").at(-2) ?? "";
    const query = new URLSearchParams({ code: "code", state });

    const outcome = await runtime.consent.callback(externalId, query, cookie);

    expect(outcome.kind).toBe("failed");
    expect("reason" in outcome ? outcome.reason : "").toContain("egress.allow");
  });

  test("as the issuer of user tokens: its metadata is not fetched", async () => {
    const issuer = new OpenIdIssuer(coreWith({ "auth.url": hostOf(literal) }));
    const error: unknown = await issuer.discover().catch((thrown: unknown) => thrown);
    expect(String(error)).toContain("egress.allow");
  });

  test("as the records platform's address: no tool runs", async () => {
    const { runtime } = site;
    const providers = await runtime.providers.list(await operator());
    if (!providers.items.some(({ id }) => id === "zoho")) {
      const oauth2 = { client_id: "client", client_secret: "secret" };
      await runtime.providers.create(await operator(), { id: "zoho", provider_id: "zoho", oauth2 });
      const provider = await runtime.providers.find("default", "zoho");
      if (provider === undefined) throw new Error("no provider");
      const grant = {
        accessToken: new Redacted("token"),
        refreshToken: undefined,
        expiresIn: undefined,
        scopes: ["ZohoCreator.dashboard.READ"],
        facts: {},
      };
      await runtime.connections.store("default", "alice", provider, grant, [], function* () {});
    }
    await runtime.secrets.upsert(await operator(), "VENDOR_SERVER_URL", { value: hostOf(literal) });

    const { success, output } = await runtime.tools.execute(await operator(), {
      tool_name: "VendorCreatorApi.GetApplicationMetaInfo",
      user_id: "alice",
    });

    expect([success, output?.error?.kind]).toEqual([false, "TOOL_RUNTIME_FATAL"]);
    expect(output?.error?.message).toContain("records.server_urls");
  });

  test("as the address of the user info: the tool gets nothing", async () => {
    const core = coreWith({ "userinfo.url": hostOf(literal), "drive.api_url": hostOf(literal) });
    const context = toolContext(core, {
      projectId: "default",
      call: {
        id: "te_test",
        executionId: "tc_test",
        projectId: "default",
        userId: "alice",
        actor: "key:key_test",
      },
      tool: {
        catalog: sheetsCatalog,
        definition: whoAmI,
        qualifiedName: "",
        fullyQualifiedName: "",
        newest: true,
        modelName: "",
      },
      provider: undefined,
      grant: { connectionId: "ac", version: 1, token: new Redacted("token"), scopes: [], facts: {} },
      renew: async () => undefined,
      progress: { requests: 0, hasEffect: false },
      secrets: {},
      userKeys: {},
      limit: { signal: new AbortController().signal, stop: new LazyAbort(), left: 5000 },
      deadline: core.clock.now() + 5000,
      cache: () => new ConnectionCaches(core.clock).none(),
      logs: [],
    });
    const error: unknown = await whoAmI.run({}, context).then(
      () => "it ran",
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(Error);
  });
});

test(`${LITERALS.length} attacks at four places: none came through`, () => {
  expect(LITERALS.length).toBeGreaterThanOrEqual(80);
  expect(connections).toBe(0);
});
