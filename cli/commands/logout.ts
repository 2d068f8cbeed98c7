// `runtime logout`: removes a server and its key.
import { notFound } from "../../src/errors";
import { refuseServer } from "../client/client";
import { readLogins, writeLogins } from "../client/logins";
import { serverAddress } from "../client/target";
import { type Common, defined, verb } from "../command";
import type { Io } from "../io";
import { printRecord } from "../output";
import { loadCommonConfig } from "../session";

export const verbs = [
  verb({
    usage: "logout [url]",
    summary: "Forget a server and its key (default: the one that commands run against now).",
    examples: ["runtime logout", "runtime logout https://runtime.example.com"],
    read: (line) => ({ url: line.optionalWord(0) }),
    run: logOut,
  }),
];

async function logOut(io: Io, common: Common, { url }: { url: string | undefined }): Promise<void> {
  refuseServer(common, "logout");
  const config = await loadCommonConfig(io, common);
  const logins = readLogins(config);
  const address = url === undefined ? logins?.current : serverAddress(url, "logout");
  if (logins === undefined || address === undefined || logins.keys[address] === undefined)
    throw notFound("There is no login to remove.");
  const { [address]: _forgotten, ...keys } = logins.keys;
  const current = logins.current === address ? undefined : logins.current;
  const file = await writeLogins(config, { ...defined({ current }), keys });
  printRecord(
    io,
    common,
    { server: address, file },
    {
      name: () => address,
      columns: [],
      lines: () => [["forgotten", address]],
    },
  );
}
