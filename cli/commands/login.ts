// `runtime login` and `runtime logout`: the server that commands work against, and the key for it.
import { refuseServer } from "../client/client";
import { readLogins, writeLogins } from "../client/logins";
import { readKey, serverAddress } from "../client/target";
import { type Common, type Noun, verb } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { printRecord, type Shape } from "../output";
import { loadCommonConfig } from "../session";

export const login: Noun = {
  name: "login",
  summary: "work against a server from now on",
  verbs: [
    verb({
      usage: "login <url>",
      summary:
        "Remember a server and the API key for it: commands work against it from now on. The key is asked for at a " +
        "terminal, or read from --key-file.",
      examples: [
        "runtime login https://runtime.example.com",
        "runtime login https://runtime.example.com --key-file - < key",
      ],
      read: (line) => ({ url: line.word(0) }),
      run: logIn,
    }),
  ],
};

export const logout: Noun = {
  name: "logout",
  summary: "forget a server; commands work on the data folder again",
  verbs: [
    verb({
      usage: "logout [url]",
      summary: "Forget a server and its key (default: the one that commands work against now).",
      examples: ["runtime logout", "runtime logout https://runtime.example.com"],
      read: (line) => ({ url: line.optionalWord(0) }),
      run: logOut,
    }),
  ],
};

interface LoggedIn {
  server: string;
  project_id: string;
  role: string;
  file: string;
}

const SHAPE: Shape<LoggedIn> = {
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
  if (address.startsWith("http:") && !/^http:\/\/(localhost|127\.|\[::1\])/.test(address))
    io.note("warning: the key travels unencrypted to this server. Use https.");
  printRecord(io, common, { server: address, project_id, role, file }, SHAPE);
  io.note("Commands work against it from now on. Back to the data folder: --server local, or runtime logout");
}

async function keyFor(io: Io, { keyFile }: Common, address: string): Promise<string> {
  if (keyFile !== undefined) return readKey(io, keyFile);
  if (io.interactive) return (await io.prompts.secret(`API key for ${address}`)).trim();
  throw new UsageError("There is no terminal to ask for the key at. Give it by --key-file FILE, or - .");
}

async function logOut(io: Io, common: Common, { url }: { url: string | undefined }): Promise<void> {
  refuseServer(common, "logout");
  const config = await loadCommonConfig(io, common);
  const logins = readLogins(config);
  const address = url === undefined ? logins?.current : serverAddress(url, "logout");
  if (logins === undefined || address === undefined || logins.keys[address] === undefined) {
    const { notFound } = await import("../../src/errors");
    throw notFound("There is no such login.");
  }
  const { [address]: _forgotten, ...keys } = logins.keys;
  const current = logins.current === address ? undefined : logins.current;
  const file = await writeLogins(config, { ...(current === undefined ? {} : { current }), keys });
  printRecord(io, common, { server: address, file }, { name: ({ server }) => server, columns: [] }, [
    ["forgotten", address],
  ]);
}
