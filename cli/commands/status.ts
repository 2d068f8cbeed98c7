// `runtime status`: where commands run, and whether it is healthy.
import type { Status } from "../../src/status";
import { clientVerb } from "../client/client";
import { getStatus } from "../client/projects";
import { EXIT } from "../errors";
import { printRecord, type Shape } from "../output";

const SHAPE: Shape<Status> = {
  name: ({ project_id }) => project_id,
  optional: ["reason"],
  columns: [
    { title: "version", value: ({ version }) => version },
    { title: "healthy", value: ({ healthy }) => (healthy ? "yes" : "no") },
    { title: "reason", value: ({ reason }) => reason },
    { title: "public address", value: ({ public_url }) => public_url },
    { title: "project", value: ({ project_id }) => project_id },
    { title: "tools", value: ({ tools }) => String(tools) },
    { title: "workers", value: ({ workers }) => String(workers) },
    { title: "providers", value: ({ providers }) => String(providers) },
    { title: "secrets", value: ({ secrets }) => String(secrets) },
    { title: "keys", value: ({ keys }) => String(keys) },
    { title: "connections", value: ({ connections }) => String(connections) },
  ],
};

export const verbs = [
  clientVerb({
    usage: "status",
    summary:
      "Show where commands run, whether it is healthy, and how many records exist. Exits 1 if unhealthy.",
    examples: ["runtime status", "runtime status --fields healthy,public_url -o json"],
    read: () => ({}),
    run: async ({ io, common, client }) => {
      const found = await getStatus(client);
      if (client.kind === "remote") io.note(`Commands run against ${client.server.address}.`);
      else {
        const running = await client.session.server();
        const server =
          running === undefined ? "No server is running on it." : `Its server is ${running.address}`;
        io.note(`Commands run on the data folder ${client.config.dataFolder()}. ${server}`);
      }
      printRecord(io, common, found, SHAPE);
      return found.healthy ? EXIT.ok : EXIT.error;
    },
  }),
];
