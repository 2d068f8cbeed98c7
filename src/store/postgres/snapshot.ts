// Reads inside of a transaction of one connection.
import type { Query, Reader, SqlValue } from "../port";
import type { Dialect } from "./dialect";
import type { Link } from "./link";

const LIMIT_MS = 3_600_000;

export class SnapshotReader implements Reader {
  readonly #link: Link;
  readonly #dialect: Dialect;

  constructor(link: Link, dialect: Dialect) {
    this.#link = link;
    this.#dialect = dialect;
  }

  async get<Row>(statement: Query<Row>, ...params: SqlValue[]): Promise<Row | undefined> {
    return (await this.all(statement, ...params))[0];
  }

  async all<Row>({ text }: Query<Row>, ...params: SqlValue[]): Promise<Row[]> {
    const { rows } = await this.#link.run(this.#dialect.translate(text), params, LIMIT_MS);
    // The type of the query determines the rows.
    return rows as Row[];
  }
}
