// Statements that change rows, with named parameters. Each is a constant with `?` placeholders; the order of its parameters
// is determined once, when the module is loaded.
import {
  erase,
  type Kind,
  query,
  type Query,
  run,
  send,
  type SqlValue,
  touch,
  type Transaction,
} from "./port";

type Values<Row> = { readonly [Column in keyof Row]: SqlValue };
type Columns<Row> = readonly (keyof Row & string)[];

/** A query whose text has named parameters (`:user_id`). */
export interface NamedQuery<Params, Row> extends Query<Row> {
  /** The parameters in the order of the text. */
  values(params: Params): SqlValue[];
}

export function named<Params extends Values<Params>, Row = never>(text: string): NamedQuery<Params, Row> {
  const names: string[] = [];
  const positional = text.replaceAll(/:(\w+)/g, (_whole, name: string) => {
    names.push(name);
    return "?";
  });
  const values = (params: Readonly<Record<string, SqlValue>>): SqlValue[] =>
    names.map((name) => {
      const value = params[name];
      if (value === undefined) throw new Error(`no value for the parameter ${name} of a statement`);
      return value;
    });
  return { ...query<Row>(positional), values };
}

/** A statement that changes rows. A call returns the number of changed rows. */
export function command<Params extends Values<Params>>(
  text: string,
): (params: Params) => Transaction<number> {
  const statement = named<Params>(text);
  return (params) => run(statement, ...statement.values(params));
}

/** The same without the number of changed rows, see `send`. */
export function sentCommand<Params extends Values<Params>>(
  text: string,
): (params: Params) => Transaction<void> {
  const statement = named<Params>(text);
  return (params) => send(statement, ...statement.values(params));
}

/** `whenPresent` is an `ON CONFLICT` clause. */
export function insertInto<Row extends Values<Row>>(
  table: string,
  columns: Columns<Row>,
  whenPresent = "",
): (row: Row) => Transaction<void> {
  return sentCommand(`${insertion(table, columns)} ${whenPresent}`);
}

/** Inserts a row unless one with its key is there. Returns the number of new rows. */
export function insertNew<Row extends Values<Row>>(
  table: string,
  columns: Columns<Row>,
): (row: Row) => Transaction<number> {
  return command(`${insertion(table, columns)} ON CONFLICT DO NOTHING`);
}

function insertion(table: string, columns: readonly string[]): string {
  const parameters = columns.map((column) => `:${column}`);
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${parameters.join(", ")})`;
}

/** Sets `columns` in the rows that match the `where` columns. */
export function update<Row extends Values<Row>>(
  table: string,
  columns: Columns<Row>,
  where: Columns<Row>,
): (row: Row) => Transaction<void> {
  const set = columns.map((column) => `${column} = :${column}`);
  return sentCommand(`UPDATE ${table} SET ${set.join(", ")} WHERE ${conditions(where)}`);
}

function conditions(columns: readonly string[]): string {
  return columns.map((column) => `${column} = :${column}`).join(" AND ");
}

/** A deletion that leaves no rests in the file. */
function erasing<Row>(statement: (row: Row) => Transaction<void>) {
  return function* (row: Row): Transaction<void> {
    yield* erase();
    yield* statement(row);
  };
}

/** Commands that add, change and delete one row, and raise the generation of its kind. */
export function rowCommands<Row extends Values<Row>>(
  table: string,
  kind: Kind,
  { all, settable, key }: Record<"all" | "settable" | "key", Columns<Row>>,
) {
  const touching = (statement: (row: Row) => Transaction<void>) =>
    function* (row: Row): Transaction<void> {
      yield* statement(row);
      yield* touch(kind);
    };
  return {
    add: touching(insertInto(table, all)),
    change: touching(update(table, settable, key)),
    remove: touching(erasing(sentCommand(`DELETE FROM ${table} WHERE ${conditions(key)}`))),
  };
}
