// `runtime status`: where commands run, and whether it is healthy.
import type { ServerState } from "../../src/own-state";
import type { Status } from "../../src/status";
import { clientVerb } from "../client/client";
import { getStatus } from "../client/projects";
import { EXIT } from "../errors";
import { placeOf } from "../place";
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

export const verbs = [
  clientVerb({
    usage: "status",
    summary:
      "Show where commands run, whether it is healthy, how many records exist, what waits, and what the server does. Exits 1 if unhealthy.",
    examples: ["runtime status", "runtime status --fields healthy,public_url -o json"],
    read: () => ({}),
    run: async ({ io, common, client }) => {
      const found = await getStatus(client);
      if (client.kind === "remote") io.note(`Commands run against ${client.server.address}.`);
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
