// The infrastructure that every service uses.
import type { Clock, LeveledLog, Redacted, WorkInFlight } from "./base";
import type { Keyring, Random } from "./crypto";
import type { Settings, TlsFiles } from "./config";
import type { Egress } from "./egress";
import type { Store } from "./store";
import type { Telemetry } from "./telemetry";

export interface Core {
  /** A random name of this opened data folder, by which a server recognizes its own announcement. */
  instance: string;
  store: Store;
  keyring: Keyring;
  egress: Egress;
  /** What observes requests, runs of tools, and the rest of the work. */
  telemetry: Telemetry;
  clock: Clock;
  random: Random;
  log: LeveledLog;
  settings: Settings;
  /** What this process is doing right now. */
  work: WorkInFlight;
  /** The client secret of this deployment at the OpenID provider (`auth.client_secret`). */
  clientSecret: Redacted | undefined;
  /** The files of the server certificate; undefined: no TLS. */
  tls: TlsFiles | undefined;
  /** The address at which browsers reach this deployment, without a trailing slash. Final once the port is bound. */
  publicUrl(): string;
}
