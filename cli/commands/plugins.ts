// `runtime plugins`: where a webhook server is that decides about tool calls, and how to reach it.
import type { BindingType, Plugin, PluginTrial } from "../../src/hooks";
import { withClient } from "../client/client";
import {
  createPlugin,
  deletePlugin,
  getPlugin,
  listPlugins,
  testPlugin,
  updatePlugin,
} from "../client/hooks";
import { type Common, given, type Line, type Noun, verb } from "../command";
import { EXIT, UsageError } from "../errors";
import type { Io } from "../io";
import { printDeleted, printList, printRecord, type Shape } from "../output";
import { type PluginFields, pluginBody } from "../plugin-body";
import { printable } from "../printable";

export const BINDING = {
  flag: "--binding <binding>",
  meaning: "project (default), or tenant: the organization, on the data folder only",
};
const FIELDS = [
  { flag: "--access <url>", meaning: "asked which tools a user may see" },
  { flag: "--pre <url>", meaning: "asked before each call" },
  { flag: "--post <url>", meaning: "asked after each call" },
  { flag: "--health <url>", meaning: "asked every minute how it is; a path is one at the first webhook" },
  { flag: "--token-file <file>", meaning: "read the bearer token from a file, or - for standard input" },
  {
    flag: "--signing-secret-file <file>",
    meaning: "read the secret with which requests are signed (whsec_…), or - for standard input",
  },
  { flag: "--description <text>", meaning: "what it is for" },
  { flag: "--status <status>", meaning: "active or inactive; a new plugin is inactive until it is told" },
  { flag: "--file <file>", meaning: "the whole record as JSON, or - for standard input; flags win over it" },
];

export const plugins: Noun = {
  name: "plugins",
  summary: "webhook servers that decide about tool calls",
  verbs: [
    verb({
      usage: "list",
      summary: "List the plugins of the project, or of its organization.",
      examples: ["runtime plugins list", "runtime plugins list --binding tenant"],
      flags: [BINDING],
      read: (line) => ({ binding: bindingOf(line) }),
      run: list,
    }),
    verb({
      usage: "show <id>",
      summary: "Show one plugin.",
      examples: ["runtime plugins show pl_0123456789", "runtime plugins show pl_0123456789 -o json"],
      read: (line) => ({ id: line.word(0) }),
      run: show,
    }),
    verb({
      usage: "create [name]",
      summary: "Create a plugin, with a hook for each of its webhooks.",
      examples: [
        "runtime plugins create channels --pre https://policy.example.com/pre --token-file token --status active",
        "runtime plugins create audit --post http://127.0.0.1:4021/post --failure-mode fail_open",
        "runtime plugins create company --file plugin.json --binding tenant",
      ],
      flags: [
        ...FIELDS,
        { flag: "--failure-mode <mode>", meaning: "of its hooks: fail_closed (default) or fail_open" },
        { flag: "--phase <phase>", meaning: "of its hooks: before (default) or after those of projects" },
        { flag: "--priority <n>", meaning: "of its hooks: lower runs first (default: 0)" },
        BINDING,
      ],
      read: (line) => ({ fields: fieldsOf(line, line.optionalWord(0)), binding: bindingOf(line) }),
      run: create,
    }),
    verb({
      usage: "update <id>",
      summary: "Change what is given and leave the rest. What a failure means stands at the hooks.",
      examples: ["runtime plugins update pl_0123456789 --status inactive"],
      flags: [{ flag: "--name <name>", meaning: "another name" }, ...FIELDS],
      read: (line) => ({ id: line.word(0), fields: fieldsOf(line, line.text("name")) }),
      run: update,
    }),
    verb({
      usage: "delete <id>",
      summary: "Delete a plugin that no hook uses any more.",
      examples: ["runtime plugins delete pl_0123456789"],
      read: (line) => ({ id: line.word(0) }),
      run: remove,
    }),
    verb({
      usage: "test <id>",
      summary:
        "Ask each webhook of the plugin once, with a sample, and show what it answers and what that would mean. " +
        "No tool runs.",
      examples: ["runtime plugins test pl_0123456789", "runtime plugins test pl_0123456789 -o json"],
      read: (line) => ({ id: line.word(0) }),
      run: test,
    }),
  ],
};

const SHAPE: Shape<Plugin> = {
  name: ({ id }) => id,
  optional: ["description", "webhook_config", "created_by", "updated_by", "hooks"],
  columns: [
    { title: "id", value: ({ id }) => id },
    { title: "name", value: ({ name }) => name },
    { title: "status", value: ({ status }) => status },
    { title: "health", value: ({ health_status }) => health_status },
    { title: "webhooks", value: (plugin) => Object.keys(endpointsOf(plugin)).join(" ") },
    { title: "belongs to", value: ({ binding }) => `${binding.type} ${binding.id ?? ""}` },
  ],
};

export function bindingOf(line: Line): BindingType {
  return line.choice("binding", ["project", "tenant"]) ?? "project";
}

function fieldsOf(line: Line, name: string | undefined): PluginFields {
  return {
    name,
    description: line.text("description"),
    status: line.choice("status", ["active", "inactive"]),
    access: line.text("access"),
    pre: line.text("pre"),
    post: line.text("post"),
    health: line.text("health"),
    failureMode: line.choice("failure-mode", ["fail_closed", "fail_open"]) ?? "fail_closed",
    phase: line.choice("phase", ["before", "after"]) ?? "before",
    priority: line.integer("priority", 0),
    tokenFrom: line.text("token-file"),
    signingSecretFrom: line.text("signing-secret-file"),
    file: line.text("file"),
  };
}

function endpointsOf({ webhook_config }: Plugin) {
  return given(webhook_config?.endpoints ?? {});
}

async function list(io: Io, common: Common, { binding }: { binding: BindingType }): Promise<void> {
  await withClient(io, common, async (client) => {
    const items: Plugin[] = [];
    for (;;) {
      const page = await listPlugins(client, { limit: 100, offset: items.length, binding_type: binding });
      items.push(...page.items);
      if (page.items.length === 0 || items.length >= page.total_count) break;
    }
    printList(io, common, items, SHAPE, "There are no plugins yet. Make one: runtime plugins create --help");
  });
}

async function show(io: Io, common: Common, { id }: { id: string }): Promise<void> {
  await withClient(io, common, async (client) => printPlugin(io, common, await getPlugin(client, id)));
}

interface Create {
  fields: PluginFields;
  binding: BindingType;
}

async function create(io: Io, common: Common, { fields, binding }: Create): Promise<void> {
  const body = await pluginBody(io, fields, "create");
  if (body["name"] === undefined) throw new UsageError("Name the plugin: runtime plugins create NAME.");
  await withClient(io, common, async (client) => {
    const plugin = await createPlugin(client, body, binding);
    printPlugin(io, common, plugin);
    for (const hook of plugin.hooks) io.note(`${hook.hook_point}: hook ${hook.id}, ${hook.failure_mode}`);
    io.note(`Try it: runtime plugins test ${plugin.id}`);
    if (plugin.status === "inactive")
      io.note(`Then let it decide: runtime plugins update ${plugin.id} --status active`);
  });
}

async function update(
  io: Io,
  common: Common,
  { id, fields }: { id: string; fields: PluginFields },
): Promise<void> {
  const patch = await pluginBody(io, fields, "update");
  if (Object.keys(patch).length === 0) throw new UsageError("Nothing to change: give a flag, or --file.");
  await withClient(io, common, async (client) =>
    printPlugin(io, common, await updatePlugin(client, id, patch)),
  );
}

async function remove(io: Io, common: Common, { id }: { id: string }): Promise<void> {
  await withClient(io, common, async (client) => {
    await deletePlugin(client, id);
    printDeleted(io, common, id);
    io.note(`The plugin ${id} is deleted.`);
  });
}

type Result = PluginTrial["results"][number];

const RESULT: Shape<Result> = {
  name: ({ hook_point }) => hook_point,
  columns: [
    { title: "point", value: ({ hook_point }) => hook_point },
    { title: "decision", value: ({ decision }) => decision },
    { title: "ms", value: ({ duration_ms }) => String(duration_ms) },
    { title: "why", value: ({ reason }) => reason },
    { title: "answer", value: ({ answer }) => (answer === undefined ? undefined : JSON.stringify(answer)) },
    { title: "address", value: ({ url }) => url },
  ],
};

async function test(io: Io, common: Common, { id }: { id: string }): Promise<number> {
  return withClient(io, common, async (client) => {
    const trial = await testPlugin(client, id);
    if (common.output === "table" && common.fields === undefined) {
      printList(io, common, trial.results, RESULT, "");
      io.note(`The sample was a call of ${printable(trial.tool)}.`);
    } else printRecord(io, common, trial, { name: ({ plugin_id }) => plugin_id, columns: [] });
    return trial.ok ? EXIT.ok : EXIT.error;
  });
}

function printPlugin(io: Io, common: Common, plugin: Plugin): void {
  const own = SHAPE.columns.map(({ title, value }) => [title, value(plugin)] as const);
  const { auth, health_check_path, signing_secret } = plugin.webhook_config ?? {};
  const endpoints = Object.entries(endpointsOf(plugin));
  printRecord(io, common, plugin, SHAPE, [
    ...own,
    ...endpoints.map(([point, endpoint]) => [point, endpoint?.url] as const),
    ["health at", health_check_path],
    ["credential", auth?.type],
    ["signed", signing_secret === undefined ? "no" : "yes"],
    ["description", plugin.description],
    ["created", plugin.created_at],
    ["updated", plugin.updated_at],
  ]);
}
