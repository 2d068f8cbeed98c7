// `runtime workers`: MCP servers and HTTP workers, whose tools a project offers.
import type { Worker } from "../../src/workers/schema";
import { WorkerResponse } from "../../src/workers/schema";
import { clientVerb, withClient } from "../client/client";
import {
  deleteWorker,
  getWorker,
  listWorkers,
  refreshWorker,
  rotateIdentity,
  testWorker,
  updateWorker,
  workerHealth,
  workerTools,
} from "../client/workers";
import { defined, type Line, verb, withDefaults } from "../command";
import { EXIT, UsageError } from "../errors";
import { print, printList, printRecord, type Shape } from "../output";
import { everyRecord } from "../pages";
import { printable } from "../printable";
import { importVerb } from "../import/verb";
import { deleteVerb, listVerb, YES } from "../record-verbs";
import { requireDataFolder } from "../worker-program";
import { catalogVerbs } from "../worker-catalog-verbs";
import { workerFields, WORKER_FLAGS, serverPart, TYPES } from "../worker-body";
import { consentOfWorker, createFromAddress, noteState } from "../worker-create";

const SHAPE: Shape<Worker> = {
  name: ({ id }) => id,
  optional: [
    "http",
    "mcp",
    "toolkit",
    "limits",
    "trust_annotations",
    "strict_results",
    "send_tokens",
    "identity",
    "identity_header",
  ],
  schema: WorkerResponse,
  columns: [
    { title: "id", keep: "always", value: ({ id }) => id },
    { title: "type", keep: "whole", value: ({ type }) => type },
    { title: "toolkit", keep: "whole", value: ({ toolkit }) => toolkit ?? "" },
    { title: "tools", keep: "whole", value: ({ catalog }) => String(catalog.tools) },
    { title: "state", value: stateOf },
    { title: "address", value: ({ http, mcp }) => http?.uri ?? mcp?.uri ?? programOf(mcp?.stdio) },
  ],
};

export const verbs = [
  listVerb({
    summary: "List the workers of the project.",
    examples: ["runtime workers list", "runtime workers list -o json"],
    find: (client) => everyRecord((window) => listWorkers(client, window)),
    shape: SHAPE,
    empty: "There are no workers yet. Add one: runtime workers create ADDRESS",
  }),
  clientVerb({
    usage: "show <id>",
    summary: "Show one worker: its settings, the state of its catalog, and what of it cannot be offered.",
    examples: ["runtime workers show files", "runtime workers show files -o json"],
    read: (line) => ({ id: line.word(0) }),
    run: async ({ io, common, client }, { id }) => {
      const worker = await getWorker(client, id);
      printRecord(io, common, worker, SHAPE);
      noteState(io, worker);
    },
  }),
  createVerb("create"),
  createVerb("add"),
  importVerb,
  verb({
    usage: "update <id> [program...]",
    summary:
      "Change the given fields. A new address takes no secrets of the old one with it. Of a program, the command line behind " +
      "-- replaces the old one.",
    examples: [
      "runtime workers update files --call-timeout 20",
      "runtime workers update crm --updates auto",
      "runtime workers update memory -- npx -y @modelcontextprotocol/server-memory@2026.8.31",
    ],
    program: true,
    flags: [{ flag: "--address <address>", meaning: "its new address" }, ...WORKER_FLAGS],
    read: (line) => ({ id: oneWord(line) ?? "", address: line.text("address"), fields: workerFields(line) }),
    run: (io, common, { id, address, fields }) =>
      withClient(io, common, async (client) => {
        requireDataFolder(client, fields.program);
        const { type } = await getWorker(client, id);
        const kind = type === "http" ? "http" : "mcp";
        const part = { ...(await serverPart(io, kind, fields)), ...defined({ uri: address }) };
        const patch = { ...fields.own, ...(Object.keys(part).length === 0 ? {} : { [kind]: part }) };
        if (Object.keys(patch).length === 0)
          throw new UsageError("Nothing to change. See: runtime workers update --help");
        const worker = await updateWorker(client, id, patch);
        printRecord(io, common, worker, SHAPE);
        noteState(io, worker);
      }),
  }),
  deleteVerb({
    summary: "Delete a worker with its tools and, of an OAuth server, the users' grants.",
    examples: ["runtime workers delete files"],
    find: async (client, word) => {
      const { id, catalog } = await getWorker(client, word);
      return {
        id,
        name: id,
        question: `Delete the worker ${id} with its ${catalog.tools} tools?`,
        done: `The worker ${id} is deleted.`,
      };
    },
    remove: deleteWorker,
  }),
  enabling("enable", true, "Offer the tools of a worker again."),
  enabling("disable", false, "Offer none of a worker's tools. Its settings and catalog stay."),
  clientVerb({
    usage: "refresh <id>",
    summary: "Read the catalog of a worker again.",
    examples: ["runtime workers refresh files"],
    read: (line) => ({ id: line.word(0) }),
    run: async ({ io, common, client }, { id }) => {
      const worker = await refreshWorker(client, id);
      printRecord(io, common, worker, SHAPE);
      noteState(io, worker);
      return worker.catalog.error === undefined ? EXIT.ok : EXIT.error;
    },
  }),
  clientVerb({
    usage: "health <id>",
    summary: "Ask whether a worker answers. Exits 1 if it does not.",
    examples: ["runtime workers health files"],
    read: (line) => ({ id: line.word(0) }),
    run: async ({ io, common, client }, { id }) => {
      const health = await workerHealth(client, id);
      const { healthy = false, message } = health;
      print(io, common.output, health, () => `${healthy ? "healthy" : "not healthy"}\n`);
      if (message !== undefined && message !== "") io.note(printable(message));
      return healthy ? EXIT.ok : EXIT.error;
    },
  }),
  clientVerb({
    usage: "tools <id>",
    summary: "List the tools of a worker that the project offers.",
    examples: ["runtime workers tools files", "runtime workers tools files -o name"],
    read: (line) => ({ id: line.word(0) }),
    run: async ({ io, common, client }, { id }) => {
      const tools = await everyRecord((window) => workerTools(client, id, window));
      printList(
        io,
        common,
        tools,
        {
          name: ({ qualified_name }) => qualified_name,
          optional: ["description", "deprecation_message", "requirements", "toolkit"],
          columns: [
            { title: "name", keep: "always", value: ({ qualified_name }) => qualified_name },
            { title: "description", value: ({ description = "" }) => description.split("\n")[0] ?? "" },
          ],
        },
        `The worker offers no tools. See why: runtime workers show ${id}`,
      );
    },
  }),
  clientVerb({
    usage: "test <address>",
    summary: "Ask an address whether it is a worker, without storing anything. Exits 1 if it is not.",
    examples: ["runtime workers test https://mcp.example.com/mcp"],
    flags: [{ flag: "--type <type>", meaning: "http or mcp (default: mcp)" }],
    read: (line) => ({ uri: line.word(0), type: line.choice("type", TYPES) ?? "mcp" }),
    run: async ({ io, common, client }, { uri, type }) => {
      const result = await testWorker(client, { type, [type]: { uri } });
      print(io, common.output, result, () => `${printable(result.message)}\n`);
      return result.success ? EXIT.ok : EXIT.error;
    },
  }),
  clientVerb({
    usage: "authorize <id>",
    summary: "Consent to an OAuth server as the administrator, so that its catalog can be read.",
    examples: ["runtime workers authorize crm"],
    flags: [
      { flag: "--user <id>", meaning: "the user who consents (default: one that belongs to the worker)" },
      { flag: "--no-browser", meaning: "print the address of the consent and open no browser" },
    ],
    read: (line) => ({ id: line.word(0), browser: line.has("browser"), user: line.text("user") }),
    run: consentOfWorker,
  }),
  clientVerb({
    usage: "rotate-identity",
    summary:
      "Replace the key that tells workers who calls, at once: for one that has leaked. Workers refuse the old one as soon " +
      "as they read the keys again.",
    examples: ["runtime workers rotate-identity"],
    read: () => ({}),
    run: async ({ io, common, client }) => {
      const rotated = await rotateIdentity(client);
      print(io, common.output, rotated, () => `${rotated.key_id}\n`);
    },
  }),
  ...catalogVerbs(SHAPE),
];

function createVerb(name: "create" | "add") {
  return verb({
    usage: `${name} [address] [program...]`,
    summary:
      name === "add"
        ? "The same as create."
        : "Add a worker: find out what the address is, show its tools, and ask what must be asked. An MCP server can also be " +
          "a program of this machine, whose command line follows --.",
    examples: [
      `runtime workers ${name} https://mcp.example.com/mcp`,
      `runtime workers ${name} http://127.0.0.1:3001/mcp --id everything --yes`,
      `runtime workers ${name} http://127.0.0.1:8002 --type http --secret-env WORKER_SECRET --yes`,
      `runtime workers ${name} --id memory --yes -- npx -y @modelcontextprotocol/server-memory`,
    ],
    program: true,
    flags: [
      { flag: "--id <id>", meaning: "its id (default: after the name that the server gives)" },
      { flag: "--type <type>", meaning: "http or mcp (default: what the address turns out to be)" },
      ...withDefaults(WORKER_FLAGS, {
        "--toolkit <name>": "the id in PascalCase",
        "--send-tokens": "yes",
        "--call-timeout <seconds>": "30",
        "--retry <count>": "2",
        "--updates <manner>": "review",
        "--identity <manner>": "none",
        "--identity-header <name>": "X-Runtime-Identity",
        "--sandbox <manner>": "cage",
      }),
      { flag: "--dry-run", meaning: "only show what it is and which tools it has" },
      YES,
    ],
    read: (line: Line) => ({
      address: placeOf(line),
      id: line.text("id"),
      fields: workerFields(line),
      dryRun: line.has("dry-run"),
      yes: line.has("yes"),
    }),
    run: (io, common, options) =>
      withClient(io, common, (client) => createFromAddress({ io, common, client }, options, SHAPE)),
  });
}

/** The address of a line; undefined if a program follows `--`. Throws `usage` unless there is exactly one of them. */
function placeOf(line: Line): string | undefined {
  const address = oneWord(line);
  if ((address === undefined) === line.program.length > 0) return address;
  throw new UsageError(
    address === undefined
      ? "An address is missing, or a program behind --: runtime workers create --id ID -- COMMAND"
      : "A worker has an address or a program behind --, not both.",
  );
}

/** Throws `usage` for further words. */
function oneWord(line: Line): string | undefined {
  if (line.optionalWord(1) === undefined && line.rest.length === 0) return line.optionalWord(0);
  throw new UsageError(
    "Too many words. The command line of a program follows --, as in: -- npx -y some-server",
  );
}

function programOf(stdio: NonNullable<Worker["mcp"]>["stdio"]): string {
  return stdio === undefined ? "" : [stdio.command, ...stdio.arguments].join(" ");
}

function enabling(name: string, enabled: boolean, summary: string) {
  return clientVerb({
    usage: `${name} <id>`,
    summary,
    examples: [`runtime workers ${name} files`],
    read: (line) => ({ id: line.word(0) }),
    run: async ({ io, common, client }, { id }) =>
      printRecord(io, common, await updateWorker(client, id, { enabled }), SHAPE),
  });
}

function stateOf({ enabled, catalog, requirements }: Worker): string {
  if (!enabled) return "disabled";
  if (!requirements.met) return "needs a consent";
  if (catalog.error !== undefined) return "not reachable";
  const waiting = catalog.new + catalog.changed + catalog.missing;
  return waiting === 0 ? "ready" : `ready, ${waiting} to review`;
}
