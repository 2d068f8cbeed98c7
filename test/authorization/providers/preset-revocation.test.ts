// Where the grants of the well-known providers are ended: at the platform, or at the relay that a record goes through.
import { describe, expect, test } from "bun:test";
import { Redacted, reveal } from "../../../src/base";
import type { Egress, EgressRequest } from "../../../src/egress";
import { touch } from "../../../src/store";
import { api } from "../../support/api";
import { type Site, startSite } from "../../support/site";

interface Sent {
  readonly address: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

type Preset = "slack" | "google" | "zoho";

interface PresetSite extends AsyncDisposable {
  readonly site: Site;
  readonly sent: Sent[];
  /** Stores a grant of the user as a consent would; answers the id of the connection. */
  give(provider: string, user: string, facts?: { [name: string]: string }, project?: string): Promise<string>;
  remove(id: string): Promise<number>;
}

/** Outbound requests are recorded, and answered with `ok`. */
async function presetSite(preset: Preset, oauth2: object = {}, ok = true): Promise<PresetSite> {
  const sent: Sent[] = [];
  const egress: Egress = {
    fetch: async (url, request: EgressRequest = {}) => {
      const { authorization } = request.headers ?? {};
      sent.push({
        address: String(url),
        authorization: authorization === undefined ? undefined : reveal(authorization),
        body: request.body === undefined ? "" : reveal(request.body),
      });
      return Response.json({ ok });
    },
  };
  const site = await startSite({ parts: { egress } });
  const { runtime } = site;
  const operator = await runtime.identity.operator("default");
  await runtime.providers.create(operator, {
    id: preset,
    provider_id: preset,
    oauth2: { client_id: "client", client_secret: "client-secret", ...oauth2 },
  });
  const admin = api(site.url, await site.key("admin"));
  return {
    site,
    sent,
    give: async (id, user, facts = {}, project = "default") => {
      const provider = await runtime.providers.find(project, id);
      if (provider === undefined) throw new Error(`no provider ${id}`);
      const grant = {
        accessToken: new Redacted(`access-of-${user}`),
        refreshToken: new Redacted(`refresh-of-${user}`),
        expiresIn: 3600,
        scopes: ["s"],
        facts,
      };
      let connection = "";
      await runtime.connections.store(project, user, provider, grant, [], function* (stored) {
        connection = stored;
        yield* touch("connections");
      });
      return connection;
    },
    remove: async (id) => (await admin.delete(`/v1/admin/user_connections/${id}`)).status,
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  };
}

const BY_TOKEN = { authorization: undefined, body: "token=refresh-of-alice" };
const BY_BEARER = { authorization: "Bearer access-of-alice", body: "" };

function through(endpoint: string): object {
  return { token_request: { endpoint }, refresh_request: { endpoint } };
}

interface Row {
  readonly name: string;
  readonly preset: Preset;
  readonly oauth2?: object;
  readonly facts?: { [name: string]: string };
  readonly expected: Sent;
}

const ROWS: readonly Row[] = [
  {
    name: "slack at the platform",
    preset: "slack",
    facts: { team_id: "T1", user_id: "U1" },
    expected: { address: "https://slack.com/api/auth.revoke", ...BY_BEARER },
  },
  {
    name: "slack through a relay",
    preset: "slack",
    oauth2: through("https://relay.example/api/oauth.v2.access"),
    expected: { address: "https://relay.example/api/auth.revoke", ...BY_BEARER },
  },
  {
    name: "slack through a relay below a path",
    preset: "slack",
    oauth2: through("https://relay.example/teams/slack/api/oauth.v2.access"),
    expected: { address: "https://relay.example/teams/slack/api/auth.revoke", ...BY_BEARER },
  },
  {
    name: "google at the platform",
    preset: "google",
    facts: { user_id: "1" },
    expected: { address: "https://oauth2.googleapis.com/revoke", ...BY_TOKEN },
  },
  {
    name: "google through a relay below a path",
    preset: "google",
    oauth2: through("https://relay.example/google/token"),
    expected: { address: "https://relay.example/google/revoke", ...BY_TOKEN },
  },
  {
    name: "google where the record says",
    preset: "google",
    oauth2: {
      ...through("https://relay.example/google/token"),
      revoke_request: { endpoint: "https://relay.example/end", params: { token: "{{refresh_token}}" } },
    },
    expected: { address: "https://relay.example/end", ...BY_TOKEN },
  },
  {
    name: "zoho at the platform",
    preset: "zoho",
    facts: { api_domain: "https://www.zohoapis.com" },
    expected: { address: "https://accounts.zoho.com/oauth/v2/token/revoke", ...BY_TOKEN },
  },
  {
    name: "zoho in the data center of the grant",
    preset: "zoho",
    facts: { api_domain: "https://www.zohoapis.eu", accounts_server: "https://accounts.zoho.eu" },
    expected: { address: "https://accounts.zoho.eu/oauth/v2/token/revoke", ...BY_TOKEN },
  },
  {
    name: "zoho at a data center that is not known: not there",
    preset: "zoho",
    facts: { accounts_server: "https://accounts.attacker.example" },
    expected: { address: "https://accounts.zoho.com/oauth/v2/token/revoke", ...BY_TOKEN },
  },
  {
    name: "zoho through a relay",
    preset: "zoho",
    oauth2: through("https://relay.example/zoho/oauth/v2/token"),
    expected: { address: "https://relay.example/zoho/oauth/v2/token/revoke", ...BY_TOKEN },
  },
];

describe("the grant of a deleted connection is ended by", () => {
  test.each([...ROWS])("$name", async ({ preset, oauth2, facts, expected }) => {
    await using site = await presetSite(preset, oauth2);
    const id = await site.give(preset, "alice", facts);

    expect(await site.remove(id)).toBe(204);
    expect(site.sent).toEqual([expected]);
  });
});

describe("two users of one account", () => {
  test.each<[Preset, { [name: string]: string }]>([
    ["slack", { team_id: "T1", user_id: "U1" }],
    ["google", { user_id: "1" }],
  ])("of %s: the first deletion leaves the grant of the other alive", async (preset, facts) => {
    await using site = await presetSite(preset);
    const [alice, bob] = [await site.give(preset, "alice", facts), await site.give(preset, "bob", facts)];
    await site.remove(alice);
    expect(site.sent).toEqual([]);

    await site.remove(bob);
    expect(site.sent).toHaveLength(1);
  });

  test.each<[string, { [name: string]: string }, { [name: string]: string }]>([
    ["neither of which is known", {}, {}],
    ["of which the first is not known", {}, { user_id: "1" }],
    ["of which the second is not known", { user_id: "1" }, {}],
  ])("that may be one, %s: only the last deletion ends the grant", async (_what, first, second) => {
    await using site = await presetSite("google");
    const [alice, bob] = [
      await site.give("google", "alice", first),
      await site.give("google", "bob", second),
    ];
    await site.remove(alice);
    expect(site.sent).toEqual([]);
    expect(site.site.logLines.join("\n")).toContain("a grant was not revoked");

    await site.remove(bob);
    expect(site.sent).toHaveLength(1);
  });

  test("that may be one, in two projects: the deletion in one leaves the other alive", async () => {
    await using site = await presetSite("google");
    const { runtime } = site.site;
    const operator = await runtime.identity.operator("default");
    await runtime.identity.createProject(operator, "second", "Second");
    await runtime.providers.create(await runtime.identity.operator("second"), {
      id: "mail",
      provider_id: "google",
      oauth2: { client_id: "client", client_secret: "client-secret" },
    });
    const alice = await site.give("google", "alice");
    await site.give("mail", "bob", {}, "second");
    await site.remove(alice);

    expect(site.sent).toEqual([]);
  });

  test("of another client do not count", async () => {
    await using site = await presetSite("google");
    const operator = await site.site.runtime.identity.operator("default");
    await site.site.runtime.providers.create(operator, {
      id: "mail",
      provider_id: "google",
      oauth2: { client_id: "other", client_secret: "client-secret" },
    });
    const alice = await site.give("google", "alice");
    await site.give("mail", "bob");
    await site.remove(alice);

    expect(site.sent).toHaveLength(1);
  });

  test("that are only of the same data center of zoho: each token is ended by itself", async () => {
    await using site = await presetSite("zoho");
    const facts = { api_domain: "https://www.zohoapis.com" };
    const alice = await site.give("zoho", "alice", facts);
    await site.give("zoho", "bob", facts);
    await site.remove(alice);

    expect(site.sent).toEqual([{ address: "https://accounts.zoho.com/oauth/v2/token/revoke", ...BY_TOKEN }]);
  });

  test("of the same name at different platforms are different accounts", async () => {
    await using site = await presetSite("google");
    const operator = await site.site.runtime.identity.operator("default");
    await site.site.runtime.providers.create(operator, {
      id: "custom",
      oauth2: {
        client_id: "client",
        authorize_request: { endpoint: "https://idp.example/auth" },
        token_request: { endpoint: "https://idp.example/token" },
      },
    });
    const alice = await site.give("google", "alice", { user_id: "1" });
    await site.give("custom", "alice", { user_id: "1" });
    await site.remove(alice);

    expect(site.sent).toHaveLength(1);
  });
});

test("a platform that says no inside HTTP 200 is in the log, and the connection is gone", async () => {
  await using site = await presetSite("slack", {}, false);
  const id = await site.give("slack", "alice");

  expect(await site.remove(id)).toBe(204);
  expect(site.site.logLines.join("\n")).toContain("a grant was not revoked");
});
