// The table of docs/roles.md, which says which credential may call which address.
import { join } from "node:path";
import type { PersonRole } from "../../src/identity";

/** Roles of API keys. */
const KEYS = ["read", "run", "verify", "metrics", "admin"] as const;
/** Roles of people. */
export const PEOPLE = ["member", "approver", "auditor", "administrator"] as const;
/** The columns, in the order of the page. */
export const COLUMNS = ["none", ...KEYS, ...PEOPLE] as const;
export type Column = (typeof COLUMNS)[number];
export type PersonColumn = (typeof PEOPLE)[number];

/** The role of the people of a column. */
export const ROLE_OF: Readonly<Record<PersonColumn, PersonRole>> = {
  member: "member",
  approver: "approver",
  auditor: "auditor",
  administrator: "admin",
};

export interface TableRow {
  /** For example `GET /v1/tools/{name}`. */
  address: string;
  what: string;
  may: ReadonlySet<Column>;
}

const PAGE = join(import.meta.dir, "../../docs/roles.md");
const ROW = /^\| `([A-Z]+ \/\S*)` +\|/;

/** Throws for a cell that is neither empty nor `yes`. */
export function rowsOfTable(page: string): TableRow[] {
  return page
    .split("\n")
    .filter((line) => ROW.test(line))
    .map((line) => {
      const [address = "", what = "", ...cells] = line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim());
      if (cells.length !== COLUMNS.length || cells.some((cell) => cell !== "" && cell !== "yes"))
        throw new Error(`docs/roles.md: each cell of ${address} must be empty or "yes".`);
      return {
        address: address.replaceAll("`", ""),
        what,
        may: new Set(COLUMNS.filter((_, at) => cells[at] === "yes")),
      };
    });
}

export const ROLE_TABLE = rowsOfTable(await Bun.file(PAGE).text());

/** Which credentials may call the operation. Throws for one that the table does not list. */
export function mayCall(method: string, path: string): ReadonlySet<Column> {
  const row = ROLE_TABLE.find(({ address }) => address === `${method} ${path}`);
  if (row === undefined) throw new Error(`docs/roles.md has no row for ${method} ${path}. Add one.`);
  return row.may;
}
