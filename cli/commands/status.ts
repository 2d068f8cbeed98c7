// `runtime status`: where commands work, and how it stands there.
import type { Status } from "../../src/status";
import { withClient } from "../client/client";
import { getStatus } from "../client/projects";
import { type Common, type Noun, verb } from "../command";
import { EXIT } from "../errors";
import type { Io } from "../io";
import { printRecord, type Shape } from "../output";

export const status: Noun = {
  name: "status",
  summary: "where commands work, and how it stands there",
  verbs: [
    verb({
      usage: "status",
      summary:
        "Say where commands work, whether it is healthy, and what is there. Exits 1 when it is not healthy.",
      examples: ["runtime status", "runtime status --fields healthy,public_url -o json"],
      read: () => ({}),
      run: show,
    }),
  ],
};

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
    { title: "providers", value: ({ providers }) => String(providers) },
    { title: "secrets", value: ({ secrets }) => String(secrets) },
    { title: "keys", value: ({ keys }) => String(keys) },
    { title: "connections", value: ({ connections }) => String(connections) },
  ],
};

async function show(io: Io, common: Common): Promise<number> {
  return withClient(io, common, async (client) => {
    const found = await getStatus(client);
    if (client.kind === "remote") io.note(`Commands work against ${client.server.address}.`);
    else {
      const running = await client.session.server();
      const where =
        running === undefined ? "No server runs on it." : `A server runs on it: ${running.address}`;
      io.note(`Commands work on the data folder ${client.config.dataFolder()}. ${where}`);
    }
    printRecord(io, common, found, SHAPE);
    return found.healthy ? EXIT.ok : EXIT.error;
  });
}
