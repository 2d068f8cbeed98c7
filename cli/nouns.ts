// All nouns of the command line, in the order of the help. What a noun does is loaded when it is named.
import type { Noun } from "./command";

export interface NounEntry {
  name: string;
  summary: string;
  /** The verb that takes options of a tool. */
  open?: string;
  load(): Promise<Noun>;
}

export const nouns: readonly NounEntry[] = [
  entry(
    "init",
    "set up this machine: the default user and API keys",
    async () => (await import("./commands/init")).init,
  ),
  entry("serve", "run the server", async () => (await import("./commands/serve")).serve),
  entry(
    "status",
    "where commands work, and how it stands there",
    async () => (await import("./commands/status")).status,
  ),
  entry(
    "doctor",
    "find what is wrong with this installation",
    async () => (await import("./commands/doctor")).doctor,
  ),
  entry("login", "work against a server from now on", async () => (await import("./commands/login")).login),
  entry(
    "logout",
    "forget a server; commands work on the data folder again",
    async () => (await import("./commands/login")).logout,
  ),
  entry(
    "config",
    "settings and where they come from",
    async () => (await import("./commands/config")).config,
  ),
  entry("orgs", "organizations", async () => (await import("./commands/orgs")).orgs),
  entry(
    "projects",
    "projects: each has its own providers, secrets, keys and grants",
    async () => (await import("./commands/projects")).projects,
  ),
  entry("keys", "API keys", async () => (await import("./commands/keys")).keys),
  entry(
    "providers",
    "auth providers: where users consent",
    async () => (await import("./commands/providers")).providers,
  ),
  entry(
    "plugins",
    "webhook servers that decide about tool calls",
    async () => (await import("./commands/plugins")).plugins,
  ),
  entry(
    "hooks",
    "when webhooks are asked about tool calls",
    async () => (await import("./commands/hooks")).hooks,
  ),
  entry("secrets", "values that tools need", async () => (await import("./commands/secrets")).secrets),
  entry(
    "connections",
    "what users have granted",
    async () => (await import("./commands/connections")).connections,
  ),
  entry("auth", "consents: start one, see how it stands", async () => (await import("./commands/auth")).auth),
  {
    ...entry("tools", "list, show, run", async () => (await import("./commands/tools")).tools),
    open: "exec",
  },
  entry(
    "gateways",
    "addresses at which MCP clients find a set of tools",
    async () => (await import("./commands/gateways")).gateways,
  ),
  entry(
    "mcp",
    "serve a gateway on standard input and output",
    async () => (await import("./commands/mcp")).mcp,
  ),
  entry("models", "servers of language models", async () => (await import("./commands/models")).models),
  entry(
    "chat",
    "talk to a language model that uses the tools for you",
    async () => (await import("./commands/chat")).chat,
  ),
  entry(
    "settings",
    "how consents are verified in the project",
    async () => (await import("./commands/settings")).settings,
  ),
  entry(
    "export",
    "write the project's configuration as one document",
    async () => (await import("./commands/manifest")).exportNoun,
  ),
  entry(
    "apply",
    "create and change what a document names",
    async () => (await import("./commands/manifest")).apply,
  ),
  entry(
    "executions",
    "which tools ran, for whom, and how it ended",
    async () => (await import("./commands/executions")).executions,
  ),
  entry("scheduled", "runs for a later time", async () => (await import("./commands/scheduled")).scheduled),
  entry("audit", "who changed what", async () => (await import("./commands/audit")).audit),
  entry("api", "send any request to the server", async () => (await import("./commands/api")).api),
  entry(
    "completion",
    "make the shell complete commands, tool names and parameters",
    async () => (await import("./commands/completion")).completion,
  ),
  entry(
    "help",
    "help of a command, or a page: exit-codes, environment, formatting, config",
    async () => (await import("./commands/help")).help,
  ),
  entry("version", "print the version", async () => (await import("./commands/version")).version),
];

function entry(name: string, summary: string, load: () => Promise<Noun>): NounEntry {
  return { name, summary, load };
}
