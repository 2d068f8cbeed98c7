// A place of its own for each test of the keyring: a database, and a folder for the root key.
import { join } from "node:path";
import { Redacted } from "../../src/base";
import { type Keyring, openKeyring, type Place, type RootKeySettings, systemRandom } from "../../src/crypto";
import { mainMigrations, openSqlite, type SqliteOptions, type Store } from "../../src/store";
import { closedAfterTest, temporaryFolder } from "../support/temporary";

export const KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
export const OTHER_KEY = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";
export const PLACE: Place = { table: "secrets", row: "sec_1", field: "value" };
export const SECRET = "xoxb-plain-token-Ünïcode";

/** A folder for a database and, elsewhere, for a configuration. */
export class Site {
  readonly folder = temporaryFolder();
  readonly database = join(this.folder, "runtime.db");
  readonly defaultFile = join(this.folder, "config", "root.key");
  readonly #open: (options: SqliteOptions) => Store;

  constructor(open: (options: SqliteOptions) => Store = openSqlite) {
    this.#open = open;
  }

  store(): Store {
    return closedAfterTest(this.#open({ file: this.database, migrations: mainMigrations }));
  }

  ring(store: Store, settings: Partial<RootKeySettings> = {}): Promise<Keyring> {
    const defaults: RootKeySettings = { value: undefined, file: undefined, defaultFile: this.defaultFile };
    return openKeyring({
      store,
      settings: { ...defaults, ...settings },
      random: systemRandom,
      now: Date.now,
    });
  }
}

/** A keyring with data keys for the projects p1 and p2. */
export async function projectRing(): Promise<{ site: Site; store: Store; ring: Keyring }> {
  const site = new Site();
  const store = site.store();
  const ring = await site.ring(store);
  await store.write(() => ring.addDataKey("p1"));
  await store.write(() => ring.addDataKey("p2"));
  return { site, store, ring };
}

/** Settings as RUNTIME_ROOT_KEY makes them. */
export function withKey(text: string): Partial<RootKeySettings> {
  return { value: new Redacted(text) };
}
