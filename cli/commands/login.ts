// `runtime login`: the server that commands run against, and the key for it.
import { refuseServer } from "../client/client";
import { readLogins, writeLogins } from "../client/logins";
import { readKey, serverAddress } from "../client/target";
import { type Common, verb } from "../command";
import { isLoopback } from "../../src/base/hosts";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { printRecord, type Shape } from "../output";
import { loadCommonConfig } from "../session";

export const verbs = [
  verb({
    usage: "login <url>",
    summary:
      "Store a server and its API key; commands run against this server from now on. The key is requested at a " +
      "terminal, or read from --key-file.",
    examples: [
      "runtime login https://runtime.example.com",
      "runtime login https://runtime.example.com --key-file - < key",
    ],
    read: (line) => ({ url: line.word(0) }),
    run: logIn,
  }),
];

const SHAPE: Shape<{ server: string; project_id: string; role: string; file: string }> = {
  name: ({ server }) => server,
  columns: [
    { title: "server", value: ({ server }) => server },
    { title: "project", value: ({ project_id }) => project_id },
    { title: "role", value: ({ role }) => role },
    { title: "remembered in", value: ({ file }) => file },
  ],
};

async function logIn(io: Io, common: Common, { url }: { url: string }): Promise<void> {
  refuseServer(common, "login");
  const address = serverAddress(url, "login");
  const config = await loadCommonConfig(io, common);
  const key = await keyFor(io, common, address);
  const { serverAt } = await import("../client/http");
  const server = serverAt({ address, key }, (common.timeout ?? 30) * 1000, config);
  const { project_id, role } = await server.get<{ project_id: string; role: string }>("/v1/caller");
  const keys = { ...readLogins(config)?.keys, [address]: key };
  const file = await writeLogins(config, { current: address, keys });
  const { protocol, hostname } = new URL(address);
  if (protocol === "http:" && !isLoopback(hostname))
    io.note("warning: the key is sent unencrypted to this server. Use https.");
  printRecord(io, common, { server: address, project_id, role, file }, SHAPE);
  io.note("Commands now run against this server. To use the data folder: --server local, or runtime logout");
}

async function keyFor(io: Io, { keyFile }: Common, address: string): Promise<string> {
  if (keyFile !== undefined) return readKey(io, keyFile);
  if (io.interactive) return (await io.prompts.secret(`API key for ${address}`)).trim();
  throw new UsageError("Entering the key needs a terminal. Use --key-file FILE, or - for standard input.");
}
