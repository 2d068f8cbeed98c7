// What every service is given: the means, not the rules.
import type { Clock, Log } from "./base";
import type { Keyring, Random } from "./crypto";
import type { Settings } from "./config";
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
  /** Address under which browsers reach this deployment, without a slash at the end. Known once the port is bound. */
  publicUrl(): string;
}
