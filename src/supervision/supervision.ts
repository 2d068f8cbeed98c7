// What a server tells its service manager, from the moment that it answers until it has stopped.
import type { Core } from "../core";
import { type Environment, type Notifier, openNotifier, statusLine } from "./notify";
import { watchOver } from "./watchdog";

export interface Supervision {
  /** Whether there is a service manager, so that SIGHUP means a reload. */
  readonly isPresent: boolean;
  /** Announces that the server answers at `address`. From then on it is watched, and may be asked to reload or to stop. */
  ready(address: string): Promise<void>;
  /** Shows one line, for example in `systemctl status`. */
  status(text: string): void;
  /** Announces a reload, does it, and announces its end also if it fails. */
  reload(work: () => Promise<void>): Promise<void>;
  /** Announces that the server stops. It is still watched. */
  stopping(): void;
  /** Ends the messages, after those before were sent. */
  end(): Promise<void>;
}

/** For a server over `core`. Removes the variables of the service manager from `env`. */
export async function supervise(core: Core, env: Environment): Promise<Supervision> {
  const notifier = await openNotifier(env, core.log);
  return notifier === undefined ? UNSUPERVISED : supervised(core, notifier);
}

const UNSUPERVISED: Supervision = {
  isPresent: false,
  ready: () => Promise.resolve(),
  status: () => undefined,
  reload: (work) => work(),
  stopping: () => undefined,
  end: () => Promise.resolve(),
};

function supervised(core: Core, notifier: Notifier): Supervision {
  const { watchdogMs } = notifier;
  const alive = (): void => void notifier.send("WATCHDOG=1");
  let serving = "";
  let unwatch: (() => void) | undefined;
  let stops = false;
  return {
    isPresent: true,
    ready: async (address) => {
      serving = statusLine(`Serving at ${address}`);
      await notifier.send("READY=1", serving);
      if (watchdogMs !== undefined) unwatch = watchOver({ store: core.store, intervalMs: watchdogMs, alive });
    },
    status: (text) => void notifier.send(statusLine(text)),
    reload: async (work) => {
      const since = notifier.monotonicMicroseconds();
      void notifier.send("RELOADING=1", `MONOTONIC_USEC=${since}`, statusLine("Reloading"));
      try {
        await work();
      } finally {
        // READY would end the state of stopping.
        if (!stops) void notifier.send("READY=1", serving);
      }
    },
    stopping: () => {
      stops = true;
      void notifier.send(
        "STOPPING=1",
        statusLine("Stopping: waiting for requests in flight and scheduled runs"),
      );
    },
    end: async () => {
      unwatch?.();
      await notifier.send(statusLine("Stopped"));
      notifier.close();
    },
  };
}
