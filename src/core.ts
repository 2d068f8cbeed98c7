// What every service is given: the infrastructure, not the rules.
import type { Clock, Log, Redacted } from "./base";
import type { Keyring, Random } from "./crypto";
import type { Settings, TlsFiles } from "./config";
import type { Egress } from "./egress";
import type { Store } from "./store";

export interface Core {
  store: Store;
  keyring: Keyring;
  egress: Egress;
  clock: Clock;
  random: Random;
  log: Log;
  settings: Settings;
  /** Secret of our own client at the OpenID provider (`auth.client_secret`). */
  clientSecret: Redacted | undefined;
  /** Files of the server's certificate; undefined: no TLS. */
  tls: TlsFiles | undefined;
  /** Address under which browsers reach this deployment, without a slash at the end. Known once the port is bound. */
  publicUrl(): string;
}
