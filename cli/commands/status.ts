// `runtime status`: where commands run, and whether it is healthy.
import type { ServerState } from "../../src/own-state";
import type { Status } from "../../src/status";
import { RuntimeError } from "../../src/errors";
import { type ClientCall, clientVerb, type Remote } from "../client/client";
import { getStatus } from "../client/projects";
import { EXIT } from "../errors";
import type { Io } from "../io";
import { placeOf } from "../place";
import { printable } from "../printable";
import { type Lines, printRecord, type Shape } from "../output";

const SHAPE: Shape<Status> = {
  name: ({ project_id }) => project_id,
  optional: ["reason", "commit", "build_date", "server"],
  columns: [],
  lines: (status) => [
    ...linesOf(status),
    ...(status.server === undefined ? [] : linesOfServer(status.server)),
  ],
};

/** What a person may see whose role does not show the state of the project. */
interface OwnStatus {
  healthy: boolean;
  reason?: string;
  public_url: string;
  project_id: string;
  user_id?: string;
  role: string;
}

const OWN: Shape<OwnStatus> = {
  name: ({ project_id }) => project_id,
  optional: ["reason", "user_id"],
  columns: [
    { title: "healthy", value: ({ healthy }) => (healthy ? "yes" : "no") },
    { title: "reason", value: ({ reason }) => reason },
    { title: "public address", value: ({ public_url }) => public_url },
    { title: "project", value: ({ project_id }) => project_id },
    { title: "user", value: ({ user_id }) => user_id },
    { title: "role", value: ({ role }) => role },
  ],
};

async function showOwn({ io, common }: Omit<ClientCall, "client">, { server }: Remote): Promise<number> {
  const [health, { project_id, user_id, role }] = await Promise.all([
    server.get<Pick<OwnStatus, "healthy" | "reason">>("/v1/health"),
    server.get<Pick<OwnStatus, "project_id" | "user_id" | "role">>("/v1/caller"),
  ]);
  const own = { ...health, public_url: server.address, project_id, role };
  printRecord(io, common, user_id === undefined ? own : { ...own, user_id }, OWN);
  return health.healthy ? EXIT.ok : EXIT.error;
}

/** Whether a person who is signed in has a role that does not show the state of the project. */
function isForPerson(client: ClientCall["client"], error: unknown): client is Remote {
  const isRefused = error instanceof RuntimeError && error.name === "forbidden";
  return client.kind === "remote" && client.user !== undefined && isRefused;
}

function linesOf(status: Status): Lines {
  const { version, commit, build_date, queues, backup } = status;
  const { scheduled_due, scheduled_waiting, scheduled_running } = queues;
  return [
    ["version", versionOf({ version, commit, build_date })],
    ["healthy", status.healthy ? "yes" : "no"],
    ["reason", status.reason],
    ["public address", status.public_url],
    ["project", status.project_id],
    ["tools", String(status.tools)],
    ["workers", String(status.workers)],
    ["workers down", status.workers_down.join(", ") || "none"],
    ["providers", String(status.providers)],
    ["secrets", String(status.secrets)],
    ["keys", String(status.keys)],
    ["connections", String(status.connections)],
    ["scheduled runs", `${scheduled_due} due, ${scheduled_running} running, ${scheduled_waiting} later`],
    ["revocations", `${queues.revocations} waiting`],
    ["consents", `${queues.consents} pending`],
    ["schema", String(status.schema)],
    ["last backup", backup.made_at ?? (backup.every_hours === 0 ? "none; backup.hours is not set" : "none")],
  ];
}

function linesOfServer(server: ServerState): Lines {
  const { log, load } = server;
  const streams = load.mcp_streams + load.model_streams;
  const waiting = load.unwritten_executions + load.unstored_grants;
  return [
    ["server", `${versionOf(server)}, process ${server.pid}`],
    ["started", `${server.started_at}, ${durationOf(server.uptime_seconds)} ago`],
    ["log level", withEnd(log.level, log.level_until)],
    ["access log", withEnd(log.access ? "on" : "off", log.access_until)],
    ["in flight", `${load.requests} requests, ${streams} streams, ${load.tool_calls} tool calls`],
    ["not stored yet", `${waiting}`],
    ["memory", `${Math.round(load.memory_bytes / 1_000_000)} MB`],
    ["open files", load.open_files === undefined ? undefined : String(load.open_files)],
  ];
}

interface Built {
  version: string;
  commit?: string | undefined;
  build_date?: string | undefined;
}

function versionOf({ version, commit, build_date }: Built): string {
  const built = build_date === undefined ? "" : `, ${build_date}`;
  return commit === undefined ? version : `${version} (${commit}${built})`;
}

function withEnd(state: string, until: string | undefined): string {
  return until === undefined ? state : `${state}, until ${until}`;
}

function durationOf(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} days`;
}

function noteOf(io: Io, { server, user }: Remote): void {
  const person = user === undefined ? "" : `, as ${printable(user)}`;
  io.note(`Commands run against ${server.address}${person}.`);
}

export const verbs = [
  clientVerb({
    usage: "status",
    summary:
      "Show where commands run, whether it is healthy, how many records exist, what waits, and what the server does. Exits 1 if unhealthy.",
    examples: ["runtime status", "runtime status --fields healthy,public_url -o json"],
    read: () => ({}),
    run: async ({ io, common, client }) => {
      let found: Status;
      try {
        found = await getStatus(client);
      } catch (error) {
        if (!isForPerson(client, error)) throw error;
        noteOf(io, client);
        return showOwn({ io, common }, client);
      }
      if (client.kind === "remote") noteOf(io, client);
      else {
        const running = await client.session.server();
        const server =
          running === undefined ? "No server is running on it." : `Its server is ${running.address}`;
        io.note(`Commands run on ${await placeOf(client.config)}. ${server}`);
      }
      printRecord(io, common, found, SHAPE);
      return found.healthy ? EXIT.ok : EXIT.error;
    },
  }),
];
