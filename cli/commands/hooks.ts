// `runtime hooks`: when a plugin is called, and what happens if it fails.
import type { Hook } from "../../src/hooks";
import { RuntimeError } from "../../src/errors";
import { type Client, clientVerb, withClient } from "../client/client";
import {
  bulkHooks,
  createHook,
  deleteHook,
  getHook,
  getPlugin,
  listHooks,
  updateHook,
} from "../client/hooks";
import { hookId, pluginId } from "../client/named";
import { defined, type Line, verb, withDefaults } from "../command";
import { UsageError } from "../errors";
import { readObject } from "../input";
import { printList, printRecord, type Shape } from "../output";
import { everyRecord } from "../pages";
import { type Deletion, deleteVerb } from "../record-verbs";

const POINTS = ["tool.access", "tool.pre", "tool.post"] as const;
const STATUSES = ["active", "inactive"] as const;
const BINDING = {
  flag: "--binding <binding>",
  meaning: "only hooks of the project (project) or of its organization (tenant)",
};
const BINDINGS = ["project", "tenant"] as const;
const POINT = { flag: "--point <point>", meaning: "tool.access, tool.pre or tool.post" };

const CHANGES = [
  {
    flag: "--failure-mode <mode>",
    meaning: "if the webhook fails: fail_closed stops the call, fail_open continues",
  },
  { flag: "--phase <phase>", meaning: "for a hook of an organization: before or after those of projects" },
  { flag: "--priority <n>", meaning: "0 to 1000; lower runs first" },
  { flag: "--status <status>", meaning: "active or inactive" },
  { flag: "--timeout-ms <ms>", meaning: "timeout of the webhook" },
];

const DEFAULTS = {
  "--failure-mode <mode>": "fail_closed",
  "--phase <phase>": "before",
  "--priority <n>": "the first free one",
  "--timeout-ms <ms>": "5000",
};

const SHAPE: Shape<Hook> = {
  name: ({ id }) => id,
  optional: ["cache_enabled", "cache_ttl_ms", "not_in_force"],
  columns: [
    // The last ones are left out first on a narrow terminal.
    { title: "id", keep: "always", value: ({ id }) => id },
    { title: "point", keep: "whole", value: ({ hook_point }) => hook_point },
    {
      title: "in force",
      keep: "whole",
      value: ({ not_in_force: not }) => (not === undefined ? "yes" : `no: ${not.reason.replace("_", " ")}`),
    },
    { title: "priority", keep: "whole", value: ({ priority }) => String(priority) },
    { title: "no answer", keep: "whole", value: ({ failure_mode }) => failure_mode },
    { title: "status", keep: "whole", value: ({ status }) => status },
    { title: "name", value: ({ name }) => name },
    { title: "phase", keep: "whole", value: ({ phase }) => phase },
    { title: "ms", keep: "whole", value: ({ timeout_ms }) => String(timeout_ms) },
    { title: "plugin", keep: "whole", value: ({ plugin_id }) => plugin_id },
    { title: "binding", value: ({ binding }) => binding.type },
  ],
};

const BULK: Shape<Awaited<ReturnType<typeof bulkHooks>>["results"][number]> = {
  name: ({ hook_id }) => hook_id,
  columns: [
    { title: "action", keep: "whole", value: ({ action }) => action },
    { title: "hook", keep: "always", value: ({ hook_id }) => hook_id },
    { title: "point", keep: "whole", value: ({ hook_point }) => hook_point },
    { title: "plugin", keep: "always", value: ({ plugin_id }) => plugin_id },
  ],
};

export const verbs = [
  clientVerb({
    usage: "list",
    summary: "List the hooks that apply to the project: its own and those of its organization.",
    examples: ["runtime hooks list", "runtime hooks list --point tool.pre --status active"],
    flags: [
      POINT,
      { flag: "--plugin <id>", meaning: "only hooks of this plugin, by its id or name" },
      { flag: "--status <status>", meaning: "active or inactive" },
      BINDING,
    ],
    read: (line) => ({
      filter: defined({
        hook_point: line.choice("point", POINTS),
        plugin_id: line.text("plugin"),
        status: line.choice("status", STATUSES),
      }),
      type: line.choice("binding", BINDINGS),
    }),
    run: async ({ io, common, client }, { filter, type }) => {
      const plugin =
        filter.plugin_id === undefined ? {} : { plugin_id: await pluginId(client, filter.plugin_id) };
      const all = await everyRecord((window) => listHooks(client, { ...filter, ...plugin, ...window }));
      const items = all.filter(({ binding }) => binding.type === (type ?? binding.type));
      const empty = "No such hooks. Plugins are created with hooks: runtime plugins create --help";
      printList(io, common, items, SHAPE, empty);
    },
  }),
  clientVerb({
    usage: "show <id>",
    summary: "Show one hook, by its id or name.",
    examples: ["runtime hooks show 'channels tool.pre'"],
    flags: [BINDING],
    read: (line) => ({ id: line.word(0), binding: line.choice("binding", BINDINGS) }),
    run: async ({ io, common, client }, { id, binding }) =>
      printRecord(io, common, await getHook(client, await hookId(client, id, binding), binding), SHAPE),
  }),
  clientVerb({
    usage: "create <name>",
    summary: "Call a plugin at one more hook point. The hook has the same binding as its plugin.",
    examples: [
      "runtime hooks create again --plugin channels --point tool.pre",
      "runtime hooks create log --plugin audit --point tool.post --failure-mode fail_open --priority 900",
    ],
    flags: [
      { flag: "--plugin <id>", meaning: "plugin to call, by its id or name" },
      POINT,
      ...withDefaults(CHANGES, DEFAULTS),
    ],
    read: (line) => ({
      body: {
        name: line.word(0),
        failure_mode: "fail_closed",
        phase: "before",
        plugin_id: line.required("plugin"),
        hook_point: line.choice("point", POINTS) ?? line.required("point"),
        ...changesOf(line),
      },
    }),
    run: async ({ io, common, client }, { body }) =>
      printRecord(
        io,
        common,
        await createHook(client, { ...body, plugin_id: await pluginId(client, body.plugin_id) }),
        SHAPE,
      ),
  }),
  clientVerb({
    usage: "update <id>",
    summary: "Change the given fields; all others stay unchanged.",
    examples: [
      "runtime hooks update 'channels tool.pre' --status inactive",
      "runtime hooks update 'channels tool.pre' --priority 5",
    ],
    flags: CHANGES,
    read: (line) => {
      const patch = changesOf(line);
      if (Object.keys(patch).length === 0) throw new UsageError("Nothing to change. Use at least one flag.");
      return { id: line.word(0), patch };
    },
    run: async ({ io, common, client }, { id, patch }) =>
      printRecord(io, common, await updateHook(client, await hookId(client, id), patch), SHAPE),
  }),
  deleteVerb({
    summary: "Delete a hook.",
    examples: ["runtime hooks delete 'channels tool.pre'"],
    find: hookToDelete,
    remove: deleteHook,
  }),
  verb({
    usage: "bulk <file>",
    summary:
      "Create and change many hooks at once, all or none, from JSON: {configs: [{plugin_id, hook_point, …}]}.",
    examples: ["runtime hooks bulk hooks.json", "runtime hooks bulk - < hooks.json"],
    read: (line) => ({ file: line.word(0) }),
    run: async (io, common, { file }) => {
      const body = await readObject(io, file);
      await withClient(io, common, async (client) => {
        const { results } = await bulkHooks(client, body);
        printList(io, common, results, BULK, "");
      });
    },
  }),
];

async function hookToDelete(client: Client, given: string): Promise<Deletion> {
  const id = await hookId(client, given);
  const hook = await getHook(client, id, "project").catch((error: unknown) => {
    if (error instanceof RuntimeError && error.name === "not_found") return getHook(client, id, "tenant");
    throw error;
  });
  const { name, hook_point, plugin_id, status } = hook;
  const inForce = status === "active" && (await getPlugin(client, plugin_id)).status === "active";
  return {
    id,
    name: id,
    question: `Delete the hook ${name} (${hook_point})?`,
    done: `The hook ${id} is deleted.`,
    inUse: inForce ? `It is in force: it decides about calls at ${hook_point}.` : undefined,
  };
}

function changesOf(line: Line): { [key: string]: unknown } {
  return defined({
    failure_mode: line.choice("failure-mode", ["fail_closed", "fail_open"]),
    phase: line.choice("phase", ["before", "after"]),
    priority: line.integer("priority", 0),
    status: line.choice("status", STATUSES),
    timeout_ms: line.integer("timeout-ms", 1),
  });
}
