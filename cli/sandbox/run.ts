// `runtime sandbox`: the stand-ins and a real server in one process.
import type { Sandbox } from "../../catalogs/sandbox";
import type { Common } from "../command";
import type { Io } from "../io";
import { heldLog, serveSession } from "../serve";
import { loadCommonConfig, withSession } from "../session";
import { emptyFolder, hasSandbox, makeFolder, type SandboxFolder, sandboxFolder } from "./folder";
import { lockFolder } from "./lock";
import { consentToAll } from "./person";
import { DEFAULT_PORT, freePorts, HOST, requireFreePort, requireFreePorts, requireLoopback } from "./ports";
import { createRecords } from "./records";
import { Saver } from "./saver";
import { ownEnvironment, USER, writeSettings } from "./settings";
import { readState, type State } from "./state";
import { type Data, welcome } from "./welcome";

export interface SandboxOptions {
  port: number | undefined;
  reset: boolean;
}

/** Serves until a stop signal; resolves to the exit code. Throws `configuration` or `conflict` with what to do. */
export async function runSandbox(io: Io, common: Common, options: SandboxOptions): Promise<number> {
  const folder = sandboxFolder(common.dataDir, io.env);
  if (common.database !== undefined || io.env["RUNTIME_DATABASE_URL"] !== undefined)
    io.note(`The sandbox has its data in files in ${folder.path}. It does not use the PostgreSQL database.`);
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
  // The lock is held until it ends.
  return await start(io, common, { folder, port, state, data });
}

interface Start {
  folder: SandboxFolder;
  port: number;
  /** Of an earlier start that was completed. */
  state: State | undefined;
  data: Data;
}

async function start(io: Io, common: Common, { folder, port, state, data }: Start): Promise<number> {
  const { LISTENERS, startSandbox } = await import("../../catalogs/sandbox");
  const saver = new Saver(folder);
  const sandbox = await startSandbox({
    ports: state?.platforms?.ports ?? freePorts(port, LISTENERS),
    saved: state?.platforms,
    changed: () => saver.later(),
  });
  try {
    await requireLoopback(sandbox.model.url);
    await writeSettings(folder, sandbox, port);
    return await serve(io, common, { folder, port, state, data, saver, sandbox });
  } finally {
    try {
      await saver.end();
    } finally {
      await sandbox.stop();
    }
  }
}

/** The same server as that of `runtime serve`, without the settings of an installation. */
async function serve(
  io: Io,
  common: Common,
  { folder, port, state, data, saver, sandbox }: Start & { saver: Saver; sandbox: Sandbox },
): Promise<number> {
  const log = heldLog(io);
  const own = { ...common, config: folder.configFile, dataDir: folder.dataFolder, database: undefined };
  const ownIo = { ...io, env: ownEnvironment(io.env) };
  const flags = { host: HOST, port: String(port) };
  const config = await loadCommonConfig(ownIo, own, { flags, strict: true });
  let keys = state?.keys;
  try {
    return await withSession(
      ownIo,
      own,
      // A copy of this root key is of no use, so that nothing is said about it.
      (session) =>
        serveSession(
          ownIo,
          { ...session, newKey: undefined },
          {
            ready: async ({ address }) => {
              keys ??= await createRecords(session, sandbox);
              if (state === undefined) await consentToAll(session, sandbox.providers, USER);
              const bound = Number(new URL(address).port);
              await writeSettings(folder, sandbox, bound);
              await saver.begin(sandbox, { keys, port: bound });
              // The first line is the address and nothing else: scripts wait for it.
              io.note(address);
              welcome(io, common, { address, folder, keys, sandbox, data });
              log.release();
            },
          },
        ),
      { config, serves: log.write },
    );
  } finally {
    log.release();
  }
}
