// What the API can do, the terminal can do: a command for every operation, or a reason why there is none.
import { describe, expect, test } from "bun:test";
import { nouns } from "../../cli/nouns";
import { firstWord } from "../../cli/program";
import { operations } from "../../server/operations";

/** By id of the operation. */
const COMMANDS: Readonly<Record<string, string>> = {
  "auth-providers-list": "providers list",
  "auth-providers-create": "providers create",
  "auth-providers-get": "providers show",
  "auth-providers-update": "providers update",
  "auth-providers-delete": "providers delete",
  "initiate-authorization": "auth start",
  "confirm-user-auth-flow": "auth confirm-user",
  "test-authorization-flow": "auth test-verifier",
  "auth-status": "auth status",
  "users-list": "users list",
  "users-export": "users export",
  "users-erase": "users erase",
  "users-suspend": "users suspend",
  "users-resume": "users resume",
  "users-invite": "users invite",
  "users-update": "users update",
  "users-remove": "users remove",
  "sessions-list": "users sessions",
  "sessions-end": "users sign-out",
  "auth-connections-list": "connections list",
  "auth-connections-get": "connections show",
  "auth-connections-delete": "connections delete",
  "project-gateways-list": "gateways list",
  "project-gateways-create": "gateways create",
  "project-gateways-slug-info": "gateways slug",
  "project-gateways-get": "gateways show",
  "project-gateways-replace": "gateways update",
  "project-gateways-update": "gateways update",
  "project-gateways-delete": "gateways delete",
  "hooks-list": "hooks list",
  "hooks-create": "hooks create",
  "hooks-bulk-upsert": "hooks bulk",
  "hooks-get": "hooks show",
  "hooks-update": "hooks update",
  "hooks-delete": "hooks delete",
  "keys-list": "keys list",
  "keys-create": "keys create",
  "keys-get": "keys show",
  "keys-delete": "keys delete",
  "keys-rotate": "keys rotate",
  "clients-list": "clients list",
  "clients-revoke": "clients revoke",
  "workloads-list": "workloads list",
  "workloads-create": "workloads create",
  "workloads-get": "workloads show",
  "workloads-delete": "workloads delete",
  "data-key-rotate": "keys rotate-data",
  "llm-chat": "chat",
  "log-level": "log level",
  "access-log": "log access",
  "server-state": "status",
  "models-list": "chat",
  "manifest-get": "export",
  "manifest-apply": "apply",
  "model-entries-list": "models list",
  "model-entries-create": "models create",
  "model-entries-get": "models show",
  "model-entries-update": "models update",
  "model-entries-delete": "models delete",
  "runnable-tools-get": "models tools",
  "runnable-tools-update": "models tools",
  "plugins-list": "plugins list",
  "plugins-create": "plugins create",
  "plugins-get": "plugins show",
  "plugins-update": "plugins update",
  "plugins-delete": "plugins delete",
  "plugins-test": "plugins test",
  "caller-get": "login",
  "organizations-list": "orgs list",
  "projects-list": "projects list",
  "projects-get": "projects show",
  "projects-update": "projects update",
  "scheduled-tools-list": "scheduled list",
  "scheduled-tool-get": "scheduled show",
  "scheduled-tool-cancel": "scheduled cancel",
  "secrets-list": "secrets list",
  "secrets-upsert": "secrets set",
  "secrets-delete": "secrets delete",
  "service-health": "status",
  "session-verification-settings-get": "settings show",
  "session-verification-settings-update": "settings update",
  "tools-list": "tools list",
  "tool-get": "tools show",
  "tool-requirements": "tools list",
  "tool-authorize": "tools authorize",
  "tool-execute": "tools exec",
  "status-get": "status",
  "audit-list": "audit list",
  "executions-list": "executions list",
  "executions-get": "executions show",
  "provider-setup-get": "providers setup",
  "workers-list": "workers list",
  "identity-keys-rotate": "workers rotate-identity",
  "workers-create": "workers create",
  "workers-test": "workers test",
  "workers-preview": "workers create",
  "workers-get": "workers show",
  "workers-update": "workers update",
  "workers-delete": "workers delete",
  "workers-authorize": "workers authorize",
  "workers-health": "workers health",
  "workers-tools-list": "workers tools",
  "workers-refresh": "workers refresh",
  "workers-diff": "workers diff",
  "workers-accept": "workers accept",
};

/** Operations without a command of their own; `runtime api` sends any request. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "engine-config": "for clients that configure themselves",
  swagger: "the API description, for tools that read it",
  "tools-list-formatted": "for language models; tools show has the same facts",
  "tool-spec-formatted": "for language models; tools show has the same facts",
  "llm-responses": "for programs that speak this protocol; chat does the same with the other one",
  "llm-embeddings": "for programs: an embedding is a list of numbers",
  metrics: "for Prometheus; a person reads them with curl",
  "service-live": "for what starts servers again; status tells a person",
  "service-ready": "for balancers; status tells a person",
  "server-proof": "how commands recognize a server of their data folder",
};

test.each(operations.map(({ id }) => id))("the operation %s has a command or a reason", (id) => {
  expect([id, [COMMANDS[id], EXCEPTIONS[id]].filter((each) => each !== undefined).length]).toEqual([id, 1]);
});

test.each([...Object.keys(COMMANDS), ...Object.keys(EXCEPTIONS)])("the operation %s exists", (id) => {
  expect(operations.map((operation) => operation.id)).toContain(id);
});

describe("the command", () => {
  test.each([...new Set(Object.values(COMMANDS))])("%s exists", async (command) => {
    const [name = "", verb = name] = command.split(" ");
    const { verbs = [] } = (await nouns.find((noun) => noun.name === name)?.load()) ?? {};

    expect(verbs.map(({ usage }) => firstWord(usage))).toContain(verb);
  });
});

test("every noun that has a list has a show", async () => {
  const loaded = await Promise.all(
    nouns.map(async ({ name, load }) => ({
      name,
      words: (await load()).verbs.map(({ usage }) => firstWord(usage)),
    })),
  );
  const lacking = loaded.filter(({ words }) => words.includes("list") && !words.includes("show"));

  expect(lacking.map(({ name }) => name)).toEqual([]);
});
