// All nouns of the command line, in the order of the help.
import type { Noun } from "./command";

export const nouns: readonly Noun[] = [
  noun("init", "set up this machine: the default user and API keys", () => import("./commands/init")),
  noun(
    "sandbox",
    "try everything on this machine, without accounts and without a network",
    () => import("./commands/sandbox"),
  ),
  noun("serve", "run the server", () => import("./commands/serve")),
  noun("log", "the log level of the running server", () => import("./commands/log")),
  noun("status", "show where commands run and whether it is healthy", () => import("./commands/status")),
  noun("doctor", "find problems of this installation", () => import("./commands/doctor")),
  noun("login", "run commands against a server from now on", () => import("./commands/login")),
  noun("logout", "forget a server; commands use the data folder again", () => import("./commands/logout")),
  noun("config", "settings and where they come from", () => import("./commands/config")),
  noun("orgs", "organizations", () => import("./commands/orgs")),
  noun(
    "projects",
    "projects: each has its own providers, secrets, keys and grants",
    () => import("./commands/projects"),
  ),
  noun("keys", "API keys", () => import("./commands/keys")),
  noun(
    "workloads",
    "jobs of other platforms, whose own tokens are accepted in place of a key",
    () => import("./commands/workloads"),
  ),
  noun("providers", "auth providers: where users consent", () => import("./commands/providers")),
  noun("plugins", "webhook servers that decide about tool calls", () => import("./commands/plugins")),
  noun("hooks", "when webhooks are called for tool calls", () => import("./commands/hooks")),
  noun("secrets", "values that tools need", () => import("./commands/secrets")),
  noun("connections", "what users have granted", () => import("./commands/connections")),
  noun(
    "users",
    "people and what is stored about them: invite, list, remove, export, erase",
    () => import("./commands/users"),
  ),
  noun("clients", "programs that people have allowed to act for them", () => import("./commands/clients")),
  noun("auth", "consents: start one, show its status", () => import("./commands/auth")),
  { ...noun("tools", "list, show and run tools", () => import("./commands/tools")), open: "exec" },
  noun("toolkits", "the groups that tools belong to", () => import("./commands/toolkits")),
  noun("workers", "MCP servers and HTTP workers that add tools", () => import("./commands/workers")),
  noun("gateways", "MCP addresses, each with a set of tools", () => import("./commands/gateways")),
  noun("mcp", "serve a gateway on standard input and output", () => import("./commands/mcp")),
  noun("models", "servers of language models", () => import("./commands/models")),
  noun("chat", "talk to a language model that can use the tools", () => import("./commands/chat")),
  noun("settings", "how consents are verified in the project", () => import("./commands/settings")),
  noun("export", "write the project's configuration as one document", () => import("./commands/export")),
  noun("apply", "create and change the records of a document", () => import("./commands/apply")),
  noun(
    "executions",
    "which tools ran, for which user, with which result",
    () => import("./commands/executions"),
  ),
  noun("scheduled", "scheduled runs", () => import("./commands/scheduled")),
  noun("backup", "back up the data folder, check and restore backups", () => import("./commands/backup")),
  noun(
    "database",
    "upgrade the databases of an older version, or move them to PostgreSQL",
    () => import("./commands/database"),
  ),
  noun("audit", "the record of administrative changes", () => import("./commands/audit")),
  noun("api", "send any request to the server", () => import("./commands/api")),
  noun(
    "completion",
    "make the shell complete commands, tool names and parameters",
    () => import("./commands/completion"),
  ),
  noun("help", "help for a command, and the pages of the documentation", () => import("./commands/help")),
  noun("version", "print the version", () => import("./commands/version")),
];

/** Lists over HTTP. */
function httpOf(name: string): string | undefined {
  const known: { readonly [noun: string]: string } = {
    audit: "/v1/admin/audit",
    clients: "/v1/admin/clients",
    connections: "/v1/admin/user_connections",
    executions: "/v1/admin/executions",
    hooks: "/v1/hooks",
    keys: "/v1/admin/keys",
    models: "/v1/admin/model_entries",
    orgs: "/v1/admin/organizations",
    plugins: "/v1/plugins",
    projects: "/v1/admin/projects",
    providers: "/v1/admin/auth_providers",
    scheduled: "/v1/scheduled_tools",
    secrets: "/v1/admin/secrets",
    settings: "/v1/admin/settings/session_verification",
    tools: "/v1/tools",
    workers: "/v1/workers",
    workloads: "/v1/admin/workloads",
  };
  return known[name];
}

function noun(name: string, summary: string, load: Noun["load"]): Noun {
  const http = httpOf(name);
  return { name, summary, load, ...(http === undefined ? {} : { http }) };
}
