// `runtime plugins`: webhook servers that decide about tool calls, and how to reach them.
import type { BindingType, Plugin, PluginTrial } from "../../src/hooks";
import { CreatePluginResponse } from "../../src/hooks/schema";
import { clientVerb, withClient } from "../client/client";
import {
  createPlugin,
  deletePlugin,
  getPlugin,
  listPlugins,
  testPlugin,
  updatePlugin,
} from "../client/hooks";
import { pluginId } from "../client/named";
import { type Common, defined, type Line, verb, withDefaults } from "../command";
import { EXIT, UsageError } from "../errors";
import type { Io } from "../io";
import { noteNotInForce } from "../not-in-force";
import { columnLines, printList, printRecord, type Shape } from "../output";
import { everyRecord } from "../pages";
import { type PluginFields, pluginBody } from "../plugin-body";
import { printable } from "../printable";
import { deleteVerb, showVerb } from "../record-verbs";
import type { Column } from "../table";

export const BINDING = {
  flag: "--binding <binding>",
  meaning: "project (default), or tenant: the organization, on the data folder only",
};
const FIELDS = [
  { flag: "--access <url>", meaning: "webhook that decides which tools a user may see" },
  { flag: "--pre <url>", meaning: "webhook called before each tool call" },
  { flag: "--post <url>", meaning: "webhook called after each tool call" },
  {
    flag: "--health <url>",
    meaning: "health check, called every minute; a path is relative to the first webhook",
  },
  { flag: "--token-file <file>", meaning: "read the bearer token from a file, or - for standard input" },
  {
    flag: "--signing-secret-file <file>",
    meaning: "read the secret that signs requests (whsec_…) from a file, or - for standard input",
  },
  { flag: "--description <text>", meaning: "what the plugin is for" },
  { flag: "--status <status>", meaning: "active or inactive" },
  { flag: "--file <file>", meaning: "the whole record as JSON, or - for standard input; flags override it" },
];

const COLUMNS: readonly Column<Plugin>[] = [
  { title: "id", keep: "always", value: ({ id }) => id },
  { title: "name", keep: "always", value: ({ name }) => name },
  { title: "status", keep: "whole", value: ({ status }) => status },
  { title: "health", keep: "whole", value: ({ health_status }) => health_status },
  { title: "webhooks", value: (plugin) => Object.keys(endpointsOf(plugin)).join(" ") },
  { title: "not in force", value: ({ not_in_force = [] }) => not_in_force.map(withReason).join(" ") },
  { title: "belongs to", value: ({ binding }) => `${binding.type} ${binding.id ?? ""}` },
];

const SHAPE: Shape<Plugin> = {
  name: ({ id }) => id,
  optional: ["description", "webhook_config", "created_by", "updated_by", "hooks", "not_in_force"],
  schema: CreatePluginResponse,
  columns: COLUMNS,
  lines: (plugin) => {
    const { auth, health_check_path, signing_secret } = plugin.webhook_config ?? {};
    const endpoints = Object.entries(endpointsOf(plugin));
    return [
      ...columnLines(COLUMNS, plugin),
      ...endpoints.map(([point, endpoint]) => [point, endpoint?.url] as const),
      ["health at", health_check_path],
      ["credential", auth?.type],
      ["signed", signing_secret === undefined ? "no" : "yes"],
      ["description", plugin.description],
      ["created", plugin.created_at],
      ["updated", plugin.updated_at],
    ];
  },
};

const RESULT: Shape<PluginTrial["results"][number]> = {
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

export const verbs = [
  clientVerb({
    usage: "list",
    summary: "List the plugins of the project, or of its organization.",
    examples: ["runtime plugins list", "runtime plugins list --binding tenant"],
    flags: [BINDING],
    read: (line) => ({ binding: bindingOf(line) }),
    run: async ({ io, common, client }, { binding: binding_type }) => {
      const items = await everyRecord((window) => listPlugins(client, { ...window, binding_type }));
      const empty = "There are no plugins yet. Create one: runtime plugins create --help";
      printList(io, common, items, SHAPE, empty);
    },
  }),
  showVerb({
    summary: "Show one plugin, by its id or name.",
    examples: ["runtime plugins show channels", "runtime plugins show channels -o json"],
    find: async (client, given) => getPlugin(client, await pluginId(client, given)),
    shape: SHAPE,
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
      ...withDefaults(FIELDS, { "--status <status>": "inactive" }),
      { flag: "--failure-mode <mode>", meaning: "of its hooks: fail_closed (default) or fail_open" },
      { flag: "--phase <phase>", meaning: "of its hooks: before (default) or after the hooks of projects" },
      { flag: "--priority <n>", meaning: "of its hooks: lower runs first (default: the first free one)" },
      BINDING,
    ],
    read: (line) => ({ fields: fieldsOf(line, line.optionalWord(0)), binding: bindingOf(line) }),
    run: create,
  }),
  verb({
    usage: "update <id>",
    summary: "Change the given fields; all others stay unchanged. Failure modes are set on the hooks.",
    examples: ["runtime plugins update channels --status inactive"],
    flags: [{ flag: "--name <name>", meaning: "new name" }, ...FIELDS],
    read: (line) => ({ id: line.word(0), fields: fieldsOf(line, line.text("name")) }),
    run: async (io, common, { id, fields }) => {
      const patch = await pluginBody(io, fields, "update");
      if (Object.keys(patch).length === 0) throw new UsageError("Nothing to change. Use a flag or --file.");
      await withClient(io, common, async (client) => {
        const plugin = await updatePlugin(client, await pluginId(client, id), patch);
        printRecord(io, common, plugin, SHAPE);
        noteNotInForce(io, plugin);
      });
    },
  }),
  deleteVerb({
    summary: "Delete a plugin that has no hooks left.",
    examples: ["runtime plugins delete channels"],
    find: async (client, word) => {
      const { id, name } = await getPlugin(client, await pluginId(client, word));
      return {
        id,
        name: id,
        question: `Delete the plugin ${name} with its credentials?`,
        done: `The plugin ${id} is deleted.`,
      };
    },
    remove: deletePlugin,
  }),
  clientVerb({
    usage: "test <id>",
    summary:
      "Call each webhook of the plugin once with a sample, and show its response and the resulting decision. " +
      "No tool runs.",
    examples: ["runtime plugins test channels", "runtime plugins test channels -o json"],
    read: (line) => ({ id: line.word(0) }),
    run: async ({ io, common, client }, { id }) => {
      const trial = await testPlugin(client, await pluginId(client, id));
      if (common.output === "table" && common.fields === undefined) {
        printList(io, common, trial.results, RESULT, "");
        io.note(`The sample was a call of ${printable(trial.tool)}.`);
      } else printRecord(io, common, trial, { name: ({ plugin_id }) => plugin_id, columns: [] });
      return trial.ok ? EXIT.ok : EXIT.error;
    },
  }),
];

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

function withReason({ hook_point, reason }: { hook_point: string; reason: string }): string {
  return `${hook_point} (${reason.replace("_", " ")})`;
}

function endpointsOf({ webhook_config }: Plugin) {
  return defined(webhook_config?.endpoints ?? {});
}

async function create(
  io: Io,
  common: Common,
  { fields, binding }: { fields: PluginFields; binding: BindingType },
): Promise<void> {
  const body = await pluginBody(io, fields, "create");
  if (body["name"] === undefined) throw new UsageError("The name is missing: runtime plugins create NAME.");
  await withClient(io, common, async (client) => {
    const plugin = await createPlugin(client, body, binding);
    printRecord(io, common, plugin, SHAPE);
    for (const hook of plugin.hooks) io.note(`${hook.hook_point}: hook ${hook.id}, ${hook.failure_mode}`);
    io.note(`Try it: runtime plugins test ${plugin.id}`);
    if (plugin.status === "inactive")
      io.note(`Then activate it: runtime plugins update ${plugin.id} --status active`);
  });
}
