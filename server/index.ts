// The HTTP front: starts and stops a server over a runtime.
import { addressOf, type Runtime } from "../src/runtime";
import { createApp } from "./app";
import { bindError } from "./bind-error";

export interface Server {
  /** Where it listens, for example `http://127.0.0.1:9099`. */
  readonly address: string;
  /** Stops accepting, ends long polls, waits for other requests in flight. The runtime stays open. */
  stop(): Promise<void>;
}

/** Throws `configuration` with one line when the address cannot be had: in use, not of this host, not permitted. */
export async function startServer(runtime: Runtime): Promise<Server> {
  const { host, port } = runtime.core.settings;
  const stopping = new AbortController();
  const app = createApp(runtime, stopping.signal);
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
      stopping.abort();
      await app.stop();
    },
  };
}
