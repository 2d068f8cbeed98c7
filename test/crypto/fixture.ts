// A fixture for each test of the keyring: a database, and a folder for the root key.
import { join } from "node:path";
import { Redacted, systemClock } from "../../src/base";
import { type Keyring, openKeyring, type Place, type RootKeySettings, systemRandom } from "../../src/crypto";
import { mainMigrations, openSqlite, type SqliteOptions, type Store } from "../../src/store";
import { closedAfterTest, temporaryFolder } from "../support/temporary";

export const KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
export const OTHER_KEY = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";
export const PLACE: Place = { table: "secrets", row: "sec_1", field: "value" };
export const SECRET = "xoxb-plain-token-Ünïcode";

/** A folder with a database, and a configuration folder for the root key. */
export class Fixture {
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
      clock: systemClock,
    });
  }
}

/** A keyring with data keys for the projects p1 and p2. */
export async function projectRing(): Promise<{ fixture: Fixture; store: Store; ring: Keyring }> {
  const fixture = new Fixture();
  const store = fixture.store();
  const ring = await fixture.ring(store);
  await store.write(() => ring.addDataKey("p1"));
  await store.write(() => ring.addDataKey("p2"));
  return { fixture, store, ring };
}

/** Settings with RUNTIME_ROOT_KEY. */
export function withKey(text: string): Partial<RootKeySettings> {
  return { value: new Redacted(text) };
}
