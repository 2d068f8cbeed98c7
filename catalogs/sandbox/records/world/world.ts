// One data center's account with its records and publications.
import type { Location } from "../types";
import { applications } from "./applications";
import type { Account, Application, Form, Report } from "./model";
import { type Row, Table } from "./table";

/** Ids of 19 digits with different last three digits, which a JavaScript number cannot distinguish. */
const FIRST_ID: Readonly<Record<Location, bigint>> = {
  us: 3888833000000114001n,
  eu: 5120044000000207001n,
};

export interface Publication {
  readonly component: "report" | "form";
  readonly application: string;
  readonly link: string;
  readonly key: string;
}

export interface SavedWorld {
  lastId: string;
  keys: string[];
  /** By application and form. */
  tables: Record<string, readonly Row[]>;
}

export class World {
  readonly account: Account;
  publications: readonly Publication[];
  readonly #tables = new Map<string, Table>();
  readonly #now: () => number;
  #lastId: bigint;

  constructor(location: Location, now: () => number) {
    this.#now = now;
    this.#lastId = FIRST_ID[location];
    this.account =
      location === "us"
        ? { owner: "acme", ownedBy: "alice", applications: applications(["bob"]) }
        : { owner: "europa", ownedBy: "carla", applications: applications([]) };
    this.publications = [
      { component: "report", application: "inventory", link: "All_Products", key: newKey() },
      { component: "form", application: "inventory", link: "Products", key: newKey() },
    ];
    this.seed();
  }

  /** Restores the initial state. Ids are not reused. */
  seed(): void {
    for (const table of this.#tables.values()) table.clear();
    const inventory = this.application("inventory");
    const suppliers = this.table(inventory, "Suppliers");
    const by = this.account.ownedBy;
    const nordwind = suppliers.add({ Name: "Nordwind", Email: "post@nordwind.example" }, by);
    const frucht = suppliers.add({ Name: "Südfrucht", Email: "hallo@suedfrucht.example" }, by);
    const products = this.table(inventory, "Products");
    for (const [Name, SKU, Quantity, Price, Supplier, Tags] of [
      ["Lamp", "L-1", "12", "19.90", nordwind.id, ["new"]],
      ["Chair", "C-1", "4", "49.00", nordwind.id, ["heavy"]],
      ["Vase", "V-1", "0", "7.50", frucht.id, ["fragile", "new"]],
    ] as const) {
      products.add({ Name, SKU, Quantity, Price, Supplier, Tags, Active: "true" }, by);
    }
  }

  saved(): SavedWorld {
    return {
      lastId: String(this.#lastId),
      keys: this.publications.map(({ key }) => key),
      tables: Object.fromEntries([...this.#tables].map(([key, { rows }]) => [key, rows])),
    };
  }

  restore({ lastId, keys, tables }: SavedWorld): void {
    this.#lastId = BigInt(lastId);
    this.publications = this.publications.map((one, at) => ({ ...one, key: keys[at] ?? one.key }));
    for (const [key, rows] of Object.entries(tables)) {
      const table = this.#tables.get(key) ?? new Table(this.nextId, this.#now);
      table.restore(rows);
      this.#tables.set(key, table);
    }
  }

  nextId = (): string => String(++this.#lastId);

  /** Throws for an unknown name, which is a mistake in the test. */
  application(link: string): Application {
    const found = this.account.applications.find((application) => application.link === link);
    if (found === undefined) throw new Error(`There is no application ${link}.`);
    return found;
  }

  table(application: Application, form: string): Table {
    const key = `${application.link}/${form}`;
    const table = this.#tables.get(key) ?? new Table(this.nextId, this.#now);
    this.#tables.set(key, table);
    return table;
  }

  formOf(application: Application, report: Report): Form {
    const form = application.forms.find(({ link }) => link === report.form);
    if (form === undefined) throw new Error(`The report ${report.link} has no form.`);
    return form;
  }

  publication(component: "report" | "form", application: string, link: string): Publication | undefined {
    return this.publications.find(
      (candidate) =>
        candidate.component === component && candidate.application === application && candidate.link === link,
    );
  }
}

function newKey(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(24)))
    .toString("base64url")
    .replaceAll(/[-_]/g, "x");
}
