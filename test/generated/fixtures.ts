// What the generator cannot know of an operation: where an id comes from that no operation makes, and what a body must
// name. An operation whose example works and whose ids are made by the operation above it needs no entry.
import { proofFor, type Purpose } from "../../src/proven";
import { announcedServers, announceServer } from "../../src/serving";
import { api, at } from "../support/api";
import { allowClient } from "../server/person";
import { type Project, USER, type World } from "./world";

export interface Fixture {
  /** Parameters of the path, by name. */
  path?(world: World, project: Project): Promise<Record<string, string>>;
  /** Parameters of the query that the operation cannot do without. */
  query?(world: World, project: Project): Promise<Record<string, string>>;
  /** Fields that take the place of those of the example. */
  body?(world: World, project: Project): Promise<object>;
}

const ownProject = (_world: World, { id }: Project) => Promise.resolve({ id });
const whoAmI = () => Promise.resolve({ name: "Chat.WhoAmI" });

export const FIXTURES: Readonly<Record<string, Fixture>> = {
  "secrets-upsert": { path: (world) => Promise.resolve({ secret_key: `KEY_${world.count()}` }) },
  "secrets-delete": { path: async (world, project) => ({ secret_id: await storeSecret(world, project) }) },
  "auth-connections-delete": { path: async (world, project) => ({ id: await world.connect(project) }) },
  "auth-status": { query: async (world, project) => ({ id: await startConsent(world, project) }) },
  "confirm-user-auth-flow": {
    body: async (world, project) => ({ flow_id: await verifierTest(world, project) }),
  },
  "workers-create": {
    body: (_world, { workers }) => Promise.resolve({ mcp: workers.mcp(workers.open.uri) }),
  },
  "workers-test": { body: (_world, { workers }) => Promise.resolve({ mcp: { uri: workers.open.uri } }) },
  "workers-preview": {
    body: (_world, { workers }) => Promise.resolve({ mcp: workers.mcp(workers.open.uri) }),
  },
  // Of the two kinds of servers one must be named.
  "model-entries-create": {
    body: () => Promise.resolve({ openai: { base_url: "https://models.example.com/v1", api_key: "a key" } }),
  },
  "projects-get": { path: ownProject },
  "projects-update": { path: ownProject },
  "provider-setup-get": { path: () => Promise.resolve({ provider: "slack" }) },
  // No hook may use it.
  "plugins-delete": {
    path: async (world, project) => ({ plugin_id: await pluginWithoutHooks(world, project) }),
  },
  "auth-connections-get": { path: async (world, project) => ({ id: await world.connect(project) }) },
  "executions-get": { path: async (world, project) => ({ id: await execution(world, project) }) },
  "scheduled-tool-cancel": { path: async (world, project) => ({ id: await schedule(world, project) }) },
  "scheduled-tool-get": { path: async (world, project) => ({ id: await schedule(world, project) }) },
  "workloads-create": {
    body: (world) =>
      Promise.resolve({ name: `machine ${world.count()}`, issuer: "https://tokens.example.com" }),
  },
  "clients-revoke": { body: async (world, project) => ({ id: await client(world, project) }) },
  "sessions-list": { query: () => Promise.resolve({ user_id: USER }) },
  "users-update": { body: async (world, project) => ({ user_id: await invite(world, project) }) },
  "users-remove": { body: async (world, project) => ({ user_id: await invite(world, project) }) },
  "server-proof": {
    query: async (world) => ({ server: await announced(world), challenge: "x".repeat(40) }),
  },
  "log-level": { body: async (world) => proven(world, "log level", { level: undefined, until: undefined }) },
  "server-state": { body: async (world) => proven(world, "server state", {}) },
  "access-log": {
    body: async (world) => proven(world, "access log", { access: undefined, until: undefined }),
  },
  "tool-get": { path: whoAmI },
  "tool-spec-formatted": { path: whoAmI },
};

/** Only a command that has the root key can make one. `absent`: fields of the example that would change something. */
async function proven(world: World, purpose: Purpose, absent: object): Promise<object> {
  const { core } = world.site.runtime;
  const request = { server: await announced(world), at: core.clock.now() };
  return { ...request, ...absent, proof: await proofFor(core, purpose, request) };
}

/** The id of an announcement of this server. */
async function announced({ site }: World): Promise<string> {
  const { core } = site.runtime;
  await announceServer(core, site.url);
  const [newest] = await announcedServers(core);
  return newest?.id ?? "";
}

async function pluginWithoutHooks(world: World, { admin, mark }: Project): Promise<string> {
  const client = api(world.site.url, admin);
  const priority = world.count() % 1000;
  const pre = {
    url: "https://policy.example.com/pre",
    phase: "before",
    failure_mode: "fail_closed",
    priority,
  };
  const made = await client.post("/v1/plugins", {
    name: `unused ${world.count()}`,
    plugin_type: "webhook",
    description: mark,
    webhook_config: { endpoints: { pre } },
  });
  await client.delete(`/v1/hooks/${String(at(made.body, "hooks.0.id"))}`);
  return String(at(made.body, "id"));
}

/** A run that is due long after every test. */
async function schedule(world: World, { admin }: Project): Promise<string> {
  const run = { tool_name: "Chat.WhoAmI", user_id: USER, run_at: "2999-01-01T00:00:00Z" };
  const { body } = await api(world.site.url, admin).post("/v1/tools/execute", run);
  return String(at(body, "id"));
}

/** The id of a run in the execution log, which is written after the response. */
async function execution(world: World, { admin }: Project): Promise<string> {
  const client = api(world.site.url, admin);
  const { body } = await client.post("/v1/tools/execute", { tool_name: "Chat.WhoAmI", user_id: USER });
  const id = String(at(body, "id"));
  for (let tries = 0; tries < 200; tries++) {
    if ((await client.get(`/v1/admin/executions/${id}`)).status === 200) return id;
    await Bun.sleep(10);
  }
  throw new Error(`${id} is not in the execution log`);
}

async function storeSecret(world: World, { admin, mark }: Project): Promise<string> {
  const secret = { value: "v", description: mark };
  const { body } = await api(world.site.url, admin).post(`/v1/admin/secrets/KEY_${world.count()}`, secret);
  return String(at(body, "id"));
}

async function startConsent(world: World, { admin }: Project): Promise<string> {
  const { body } = await api(world.site.url, admin).post("/v1/auth/authorize", {
    auth_requirement: { id: "slack", oauth2: { scopes: ["channels:history"] } },
    user_id: USER,
    // A consent of its own: the same wish would get the same one.
    next_uri: `https://application.example.com/${world.count()}`,
  });
  return String(at(body, "id"));
}

/** A flow that waits for the customer's verifier to say who came with it. */
async function verifierTest(world: World, { admin }: Project): Promise<string> {
  const test = { verifier_url: "https://application.example.com/verify", user_id: USER };
  const { body } = await api(world.site.url, admin).post("/v1/auth/validate_custom_verifier", test);
  return String(at(body, "flow_id"));
}

async function invite(world: World, { id }: Project): Promise<string> {
  const { identity, invitations } = world.site.runtime;
  const user_id = `person ${world.count()}`;
  await invitations.invite(await identity.operator(id), { user_id });
  return user_id;
}

/** A client that a person of the project has allowed something; there is one of each id for a whole deployment. */
async function client(world: World, { id: projectId, mark }: Project): Promise<string> {
  const clientId = `client ${world.count()} ${mark}`;
  await allowClient(world.site, { userId: USER, projectId, clientId, name: `Desk ${mark}` });
  return clientId;
}
