// `runtime sandbox`: the stand-ins and a real server in one process.
import type { Common } from "../command";
import type { Io } from "../io";
import { serve, type ServeOptions } from "../serve";
import { emptyFolder, hasSandbox, makeFolder, type SandboxFolder, sandboxFolder } from "./folder";
import { lockFolder } from "./lock";
import { consentToAll } from "./person";
import { DEFAULT_PORT, freePorts, HOST, requireFreePort, requireFreePorts } from "./ports";
import { createRecords } from "./records";
import { Saver } from "./saver";
import { ownEnvironment, USER, writeSettings } from "./settings";
import { readState, type State } from "./state";
import { type Data, welcome } from "./welcome";

export interface SandboxOptions {
  port: number | undefined;
  reset: boolean;
}

/** Serves until a stop signal. Throws `configuration` or `conflict` with what to do. */
export async function runSandbox(io: Io, common: Common, options: SandboxOptions): Promise<void> {
  const folder = sandboxFolder(common.dataDir, io.env);
  const exists = hasSandbox(folder);
  using held = new DisposableStack();
  if (exists) held.use(lockFolder(folder));
  const known = exists && !options.reset ? readState(folder.path) : undefined;
  const port = options.port ?? known?.port ?? DEFAULT_PORT;
  // Before anything is deleted or written.
  requireFreePort(port);
  const state = known?.keys === undefined ? undefined : known;
  if (state === undefined) {
    if (exists) emptyFolder(folder);
    makeFolder(folder);
    if (!exists) held.use(lockFolder(folder));
  } else requireFreePorts(state.platforms?.ports ?? []);
  const data = exists ? (options.reset ? "deleted" : state === undefined ? "incomplete" : "kept") : "new";
  await start(io, common, { folder, port, state, data });
}

interface Start {
  folder: SandboxFolder;
  port: number;
  /** Of an earlier start that was completed. */
  state: State | undefined;
  data: Data;
}

async function start(io: Io, common: Common, { folder, port, state, data }: Start): Promise<void> {
  const { LISTENERS, startSandbox } = await import("../../catalogs/sandbox");
  const saver = new Saver(folder);
  const sandbox = await startSandbox({
    ports: state?.platforms?.ports ?? freePorts(port, LISTENERS),
    saved: state?.platforms,
    changed: () => saver.later(),
  });
  try {
    writeSettings(folder, sandbox, port);
    let keys = state?.keys;
    const own = { ...common, config: folder.configFile, dataDir: folder.dataFolder };
    await serve(
      { ...io, env: ownEnvironment(io.env) },
      own,
      { isDev: false, ...flagsFor(port) },
      {
        isDisposable: true,
        listening: async (session, address) => {
          keys ??= await createRecords(session, sandbox);
          if (state === undefined) await consentToAll(session, sandbox.providers, USER);
          const bound = Number(new URL(address).port);
          writeSettings(folder, sandbox, bound);
          await saver.begin(sandbox, { keys, port: bound });
        },
        ready: (address) => {
          if (keys !== undefined) welcome(io, common, { address, folder, keys, sandbox, data });
        },
      },
    );
  } finally {
    await saver.end();
    await sandbox.stop();
  }
}

function flagsFor(port: number): ServeOptions {
  const others = { "tls.cert": undefined, "tls.key": undefined, "log.level": undefined };
  return { host: HOST, port: String(port), ...others, "log.format": undefined, "log.access": undefined };
}
