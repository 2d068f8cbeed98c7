// A deployment with hooks: the test catalog, a user with a grant, a webhook server of the project and one of the
// organization, and the API over HTTP.
import { startServer } from "../../server";
import type { CreatePlugin } from "../../src/hooks";
import { api, at } from "../support/api";
import { deploy, type Deployment, type DeploymentOptions, operator } from "../tools/deployment";
import { type WebhookPeer, webhookPeer } from "./webhook-peer";

export interface Hooked extends AsyncDisposable {
  deployment: Deployment;
  url: string;
  /** The webhook servers of the project and of the organization. */
  project: WebhookPeer;
  organization: WebhookPeer;
  admin: ReturnType<typeof api>;
  agent: ReturnType<typeof api>;
  /** What happened on the platform since the previous call. */
  platformCalls(): number;
  /** Creates a plugin with an endpoint and an active hook for each of the points. */
  plugin(options?: PluginOptions): Promise<Made>;
}

export interface PluginOptions {
  peer?: WebhookPeer;
  binding?: "tenant" | "project";
  name?: string;
  points?: readonly Point[];
  failure_mode?: "fail_closed" | "fail_open";
  phase?: "before" | "after";
  priority?: number;
  timeout_ms?: number;
  /** Further fields of an endpoint. */
  endpoint?: object;
  /** Further fields of `webhook_config`. */
  webhook?: object;
  /** Further fields of the plugin. */
  more?: Partial<CreatePlugin>;
}

export type Point = "access" | "pre" | "post";

export interface Made {
  id: string;
  hooks: Partial<Record<Point, string>>;
}

export async function hooked(options: DeploymentOptions = {}): Promise<Hooked> {
  const deployment = await deploy({ ...options, environment: { RUNTIME_PORT: "0", ...options.environment } });
  const { runtime } = deployment;
  await deployment.addProvider();
  await deployment.give("alice");
  const server = await startServer(runtime);
  const project = await webhookPeer();
  const organization = await webhookPeer();
  const key = async (role: "admin" | "run"): Promise<string> => {
    const { key: made = "" } = await runtime.identity.createKey(operator(), { name: role, role });
    return made;
  };
  let seen = 0;
  return {
    deployment,
    url: server.address,
    project,
    organization,
    admin: api(server.address, await key("admin")),
    agent: api(server.address, await key("run")),
    platformCalls: () => {
      const count = deployment.platform.calls.length - seen;
      seen += count;
      return count;
    },
    plugin: (given = {}) => makePlugin(deployment, { peer: project, ...given }),
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      project[Symbol.dispose]();
      organization[Symbol.dispose]();
      await deployment[Symbol.asyncDispose]();
    },
  };
}

async function makePlugin(
  { runtime }: Deployment,
  options: PluginOptions & { peer: WebhookPeer },
): Promise<Made> {
  const { peer, binding = "project", points = ["access", "pre", "post"], priority } = options;
  const { failure_mode = "fail_closed", phase = "before", timeout_ms = 2000, endpoint, webhook } = options;
  const endpoints = Object.fromEntries(
    points.map((point) => [
      point,
      { url: `${peer.url}/${point}`, failure_mode, phase, timeout_ms, priority: priority ?? 0, ...endpoint },
    ]),
  );
  const name = options.name ?? `plugin ${crypto.randomUUID()}`;
  const request: CreatePlugin = {
    name,
    plugin_type: "webhook",
    status: "active",
    webhook_config: { endpoints, ...webhook },
    ...options.more,
  };
  const made = await runtime.plugins.create(operator(), request, binding);
  const hooks = made.hooks.map(({ hook_point, id }) => [hook_point.replace("tool.", ""), id]);
  return { id: made.id, hooks: Object.fromEntries(hooks) };
}

/** Runs the tool for alice over HTTP. */
export async function execute(hookedOne: Hooked, tool_name = "Test.Call", input: object = {}) {
  const answer = await hookedOne.agent.post("/v1/tools/execute", { tool_name, user_id: "alice", input });
  const error = at(answer.body, "output.error");
  return {
    answer,
    status: answer.status,
    success: at(answer.body, "success"),
    name: at(answer.body, "name"),
    kind: at(error, "kind"),
    message: String(at(error, "message")),
    canRetry: at(error, "can_retry"),
    value: at(answer.body, "output.value"),
  };
}
