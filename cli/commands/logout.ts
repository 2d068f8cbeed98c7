// `runtime logout`: removes a server with its key or sign-in, which also ends at the server.
import type { Config } from "../../src/config";
import { notFound } from "../../src/errors";
import { refuseServer } from "../client/client";
import { changeLogins, readLogins, withoutAddress } from "../client/logins";
import { serverAddress } from "../client/target";
import { type Common, defined, verb } from "../command";
import type { Io } from "../io";
import { printRecord } from "../output";
import { printable } from "../printable";
import { loadCommonConfig } from "../session";

export const verbs = [
  verb({
    usage: "logout [url]",
    summary:
      "End the sign-in at a server, or forget its key (default: the server that commands run against now).",
    examples: ["runtime logout", "runtime logout https://runtime.example.com"],
    read: (line) => ({ url: line.optionalWord(0) }),
    run: logOut,
  }),
];

async function logOut(io: Io, common: Common, { url }: { url: string | undefined }): Promise<void> {
  refuseServer(common, "logout");
  const config = await loadCommonConfig(io, common);
  const known = readLogins(config);
  const address = url === undefined ? known?.current : serverAddress(url, "logout");
  const isKnown = address !== undefined && [known?.keys, known?.people].some((each) => each?.[address]);
  if (!isKnown) throw notFound("There is no login to remove.");
  const file = await changeLogins(config, async ({ current, keys, people }) => {
    const signIn = people[address];
    // Other commands cannot renew it meanwhile.
    if (signIn !== undefined) await end(io, config, address, signIn.refresh_token);
    return {
      ...defined({ current: current === address ? undefined : current }),
      keys: withoutAddress(keys, address),
      people: withoutAddress(people, address),
    };
  });
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

async function end(io: Io, config: Config, address: string, token: string): Promise<void> {
  const [{ signInServer }, { revoke }] = await Promise.all([
    import("../sign-in/server"),
    import("../sign-in/tokens"),
  ]);
  try {
    await revoke(await signInServer(address, config), token);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown reason";
    io.note(`warning: the sign-in was not ended at the server, only forgotten here: ${printable(reason)}`);
  }
}
