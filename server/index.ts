// The HTTP front: starts and stops a server over a runtime.
import { configurationError } from "../src/errors";
import { addressOf, type Runtime } from "../src/runtime";
import { createApp } from "./app";

export interface Server {
  /** Where it listens, for example `http://127.0.0.1:9099`. */
  readonly address: string;
  /** Stops accepting, waits for requests in flight. The runtime stays open. */
  stop(): Promise<void>;
}

/** Throws `configuration` with one line when the address cannot be had: in use, not of this host, not permitted. */
export async function startServer(runtime: Runtime): Promise<Server> {
  const { host, port } = runtime.core.settings;
  const app = createApp(runtime);
  try {
    app.listen({ hostname: host, port });
  } catch (error) {
    throw bindError(host, port, error);
  }
  const address = addressOf(host, app.server?.port ?? port);
  runtime.listensOn(address);
  return {
    address,
    stop: async () => {
      await app.stop();
    },
  };
}

function bindError(host: string, port: number, error: unknown): Error {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const at = `${host}:${port}`;
  const hint = "Choose another with --port (RUNTIME_PORT) or --host (RUNTIME_HOST).";
  if (code === "EADDRINUSE")
    return configurationError(`${at} is in use by another program. ${hint}`, { cause: error });
  if (code === "EACCES")
    return configurationError(`${at}: no permission to listen there. ${hint}`, { cause: error });
  return configurationError(`${at} is no address of this machine, or cannot be listened on. ${hint}`, {
    cause: error,
  });
}
