// `runtime hooks`: when a plugin is asked, and what it means when it gives no answer.
import type { BindingType, Hook, HooksFilter } from "../../src/hooks";
import { withClient } from "../client/client";
import { bulkHooks, createHook, deleteHook, getHook, listHooks, updateHook } from "../client/hooks";
import { type Common, given, type Line, type Noun, verb } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { printDeleted, printList, printRecord, type Shape } from "../output";
import { recordIn } from "../plugin-body";
import { BINDING, bindingOf } from "./plugins";

const POINTS = ["tool.access", "tool.pre", "tool.post"] as const;
const STATUSES = ["active", "inactive"] as const;
const MODES = ["fail_closed", "fail_open"] as const;

const CHANGES = [
  { flag: "--failure-mode <mode>", meaning: "fail_closed: no answer stops the call; fail_open: it goes on" },
  { flag: "--phase <phase>", meaning: "of an organization's hook: before or after those of projects" },
  { flag: "--priority <n>", meaning: "0 to 1000; lower runs first" },
  { flag: "--status <status>", meaning: "active or inactive" },
  { flag: "--timeout-ms <ms>", meaning: "how long to wait for its answer (default: 5000)" },
];

export const hooks: Noun = {
  name: "hooks",
  summary: "when webhooks are asked about tool calls",
  verbs: [
    verb({
      usage: "list",
      summary: "List the hooks of the project, or of its organization.",
      examples: ["runtime hooks list", "runtime hooks list --point tool.pre --status active"],
      flags: [
        { flag: "--point <point>", meaning: "tool.access, tool.pre or tool.post" },
        { flag: "--plugin <id>", meaning: "only of this plugin" },
        { flag: "--status <status>", meaning: "active or inactive" },
        BINDING,
      ],
      read: (line) => ({
        filter: given({
          hook_point: line.choice("point", POINTS),
          plugin_id: line.text("plugin"),
          status: line.choice("status", STATUSES),
        }),
        binding: bindingOf(line),
      }),
      run: list,
    }),
    verb({
      usage: "show <id>",
      summary: "Show one hook.",
      examples: ["runtime hooks show hk_0123456789"],
      flags: [BINDING],
      read: (line) => ({ id: line.word(0), binding: bindingOf(line) }),
      run: show,
    }),
    verb({
      usage: "create <name>",
      summary: "Ask a plugin at one more point. It belongs where the plugin does.",
      examples: [
        "runtime hooks create channels --plugin pl_0123456789 --point tool.pre",
        "runtime hooks create log --plugin pl_0123456789 --point tool.post --failure-mode fail_open --priority 900",
      ],
      flags: [
        { flag: "--plugin <id>", meaning: "whom to ask" },
        { flag: "--point <point>", meaning: "tool.access, tool.pre or tool.post" },
        ...CHANGES,
      ],
      read: (line) => ({
        body: {
          name: line.word(0),
          failure_mode: "fail_closed",
          phase: "before",
          ...given({ plugin_id: line.text("plugin"), hook_point: line.choice("point", POINTS) }),
          ...changesOf(line),
        },
      }),
      run: create,
    }),
    verb({
      usage: "update <id>",
      summary: "Change what is given and leave the rest.",
      examples: [
        "runtime hooks update hk_0123456789 --status inactive",
        "runtime hooks update hk_0123456789 --priority 5",
      ],
      flags: CHANGES,
      read: (line) => ({ id: line.word(0), patch: changesOf(line) }),
      run: update,
    }),
    verb({
      usage: "delete <id>",
      summary: "Delete a hook.",
      examples: ["runtime hooks delete hk_0123456789"],
      read: (line) => ({ id: line.word(0) }),
      run: remove,
    }),
    verb({
      usage: "bulk <file>",
      summary:
        "Create and change many hooks at once, all or none, from JSON: {configs: [{plugin_id, hook_point, …}]}.",
      examples: ["runtime hooks bulk hooks.json", "runtime hooks bulk - < hooks.json"],
      read: (line) => ({ file: line.word(0) }),
      run: bulk,
    }),
  ],
};

const SHAPE: Shape<Hook> = {
  name: ({ id }) => id,
  optional: ["cache_enabled", "cache_ttl_ms"],
  columns: [
    { title: "id", value: ({ id }) => id },
    { title: "name", value: ({ name }) => name },
    { title: "point", value: ({ hook_point }) => hook_point },
    { title: "priority", value: ({ priority }) => String(priority) },
    { title: "no answer", value: ({ failure_mode }) => failure_mode },
    { title: "phase", value: ({ phase }) => phase },
    { title: "status", value: ({ status }) => status },
    { title: "ms", value: ({ timeout_ms }) => String(timeout_ms) },
    { title: "plugin", value: ({ plugin_id }) => plugin_id },
  ],
};

type Changes = { [key: string]: unknown };

function changesOf(line: Line): Changes {
  return given({
    failure_mode: line.choice("failure-mode", MODES),
    phase: line.choice("phase", ["before", "after"]),
    priority: line.integer("priority", 0),
    status: line.choice("status", STATUSES),
    timeout_ms: line.integer("timeout-ms", 1),
  });
}

interface List {
  filter: HooksFilter;
  binding: BindingType;
}

async function list(io: Io, common: Common, { filter, binding }: List): Promise<void> {
  await withClient(io, common, async (client) => {
    const items: Hook[] = [];
    for (;;) {
      const page = await listHooks(client, { ...filter, limit: 100, offset: items.length }, binding);
      items.push(...page.items);
      if (page.items.length === 0 || items.length >= page.total_count) break;
    }
    printList(
      io,
      common,
      items,
      SHAPE,
      "There are no such hooks. Plugins bring theirs: runtime plugins create --help",
    );
  });
}

async function show(
  io: Io,
  common: Common,
  { id, binding }: { id: string; binding: BindingType },
): Promise<void> {
  await withClient(io, common, async (client) =>
    printRecord(io, common, await getHook(client, id, binding), SHAPE),
  );
}

async function create(io: Io, common: Common, { body }: { body: Changes }): Promise<void> {
  for (const [flag, field] of [
    ["--plugin", "plugin_id"],
    ["--point", "hook_point"],
  ] as const)
    if (body[field] === undefined) throw new UsageError(`${flag} is needed.`);
  await withClient(io, common, async (client) =>
    printRecord(io, common, await createHook(client, body), SHAPE),
  );
}

async function update(io: Io, common: Common, { id, patch }: { id: string; patch: Changes }): Promise<void> {
  if (Object.keys(patch).length === 0) throw new UsageError("Nothing to change: give a flag.");
  await withClient(io, common, async (client) =>
    printRecord(io, common, await updateHook(client, id, patch), SHAPE),
  );
}

async function remove(io: Io, common: Common, { id }: { id: string }): Promise<void> {
  await withClient(io, common, async (client) => {
    await deleteHook(client, id);
    printDeleted(io, common, id);
    io.note(`The hook ${id} is deleted.`);
  });
}

async function bulk(io: Io, common: Common, { file }: { file: string }): Promise<void> {
  const body = await recordIn(io, file);
  await withClient(io, common, async (client) => {
    const { results } = await bulkHooks(client, body);
    printList(
      io,
      common,
      results,
      {
        name: ({ hook_id }) => hook_id,
        columns: [
          { title: "action", value: ({ action }) => action },
          { title: "hook", value: ({ hook_id }) => hook_id },
          { title: "point", value: ({ hook_point }) => hook_point },
          { title: "plugin", value: ({ plugin_id }) => plugin_id },
        ],
      },
      "",
    );
  });
}
