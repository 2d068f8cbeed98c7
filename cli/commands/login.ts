// `runtime login`: the server that commands run against, and who acts there: a person who signs in, or an API key.
import { isLoopback } from "../../src/base/hosts";
import type { Config } from "../../src/config";
import { forbidden } from "../../src/errors";
import { refuseServer } from "../client/client";
import { changeLogins, withoutAddress } from "../client/logins";
import { readKey, serverAddress } from "../client/target";
import { type Common, verb } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { printRecord, type Shape } from "../output";
import { loadCommonConfig } from "../session";

export const verbs = [
  verb({
    usage: "login <url>",
    summary:
      "Sign in at a server with a browser, or store an API key for it; commands run against this server from now on. A key " +
      "is requested at a terminal where people do not sign in, or read from --key-file.",
    examples: [
      "runtime login https://runtime.example.com",
      "runtime login https://runtime.example.com --device",
      "runtime login https://runtime.example.com --key-file - < key",
    ],
    flags: [
      { flag: "--device", meaning: "sign in with a browser on another machine, for example over SSH" },
      { flag: "--with-key", meaning: "ask for an API key, also where people sign in" },
    ],
    read: (line) => ({ url: line.word(0), device: line.has("device"), withKey: line.has("with-key") }),
    run: logIn,
  }),
];

interface LoginOptions {
  url: string;
  device: boolean;
  withKey: boolean;
}

interface LoggedIn {
  server: string;
  project_id: string;
  role: string;
  user_id?: string;
  file: string;
}

interface Caller {
  project_id: string;
  role: string;
  user_id?: string;
}

const SHAPE: Shape<LoggedIn> = {
  name: ({ server }) => server,
  optional: ["user_id"],
  columns: [
    { title: "server", value: ({ server }) => server },
    { title: "project", value: ({ project_id }) => project_id },
    { title: "user", value: ({ user_id }) => user_id },
    { title: "role", value: ({ role }) => role },
    { title: "remembered in", value: ({ file }) => file },
  ],
};

async function logIn(io: Io, common: Common, { url, device, withKey }: LoginOptions): Promise<void> {
  refuseServer(common, "login");
  const address = serverAddress(url, "login");
  const needsKey = withKey || common.keyFile !== undefined;
  if (device && needsKey)
    throw new UsageError(
      "--device is for people, and --with-key and --key-file are for keys. Use one of them.",
    );
  if (!io.interactive && !device && common.keyFile === undefined)
    throw new UsageError(
      "Signing in, and entering a key, need a terminal. Use --key-file FILE, or - for standard input; or --device.",
    );
  const config = await loadCommonConfig(io, common);
  const signedIn = needsKey ? undefined : await signIn(io, common, config, { address, device });
  const found = signedIn ?? (await withStoredKey(io, common, config, address));
  warnOfHttp(io, found.server, signedIn === undefined ? "key" : "sign-in");
  printRecord(io, common, found, SHAPE);
  io.note("Commands now run against this server. To use the data folder: --server local, or runtime logout");
}

async function withStoredKey(io: Io, common: Common, config: Config, address: string): Promise<LoggedIn> {
  const key = await keyFor(io, common, address);
  const { project_id, role } = await callerOf(common, config, { address, key });
  const file = await changeLogins(config, async ({ keys, people }) => ({
    current: address,
    keys: { ...keys, [address]: key },
    people: withoutAddress(people, address),
  }));
  return { server: address, project_id, role, file };
}

/** Undefined: people do not sign in there. */
async function signIn(
  io: Io,
  common: Common,
  config: Config,
  { address, device }: { address: string; device: boolean },
): Promise<LoggedIn | undefined> {
  const { discover } = await import("../sign-in/server");
  const found = await discover(address, config);
  if (found.kind === "here") {
    const { signedIn } = await import("../sign-in/sign-in");
    return signedIn({ io, common, config, caller: callerOf }, found.server, device);
  }
  const advice =
    found.kind === "none"
      ? `People do not sign in at ${address}.`
      : `People sign in to this server at its own address: runtime login ${found.address}`;
  if (device) throw forbidden(`${advice} With an API key: runtime login ${address} --with-key`);
  if (found.kind === "elsewhere") io.note(advice);
  return undefined;
}

/** Who the server takes the credential for. */
async function callerOf(
  common: Common,
  config: Config,
  { address, key }: { address: string; key: string },
): Promise<Caller> {
  const { serverAt } = await import("../client/http");
  return serverAt({ address, key }, (common.timeout ?? 30) * 1000, config).get<Caller>("/v1/caller");
}

async function keyFor(io: Io, { keyFile }: Common, address: string): Promise<string> {
  if (keyFile !== undefined) return readKey(io, keyFile);
  return (await io.prompts.secret(`API key for ${address}`)).trim();
}

function warnOfHttp(io: Io, address: string, what: string): void {
  const { protocol, hostname } = new URL(address);
  if (protocol === "http:" && !isLoopback(hostname))
    io.note(`warning: the ${what} is sent unencrypted to this server. Use https.`);
}
