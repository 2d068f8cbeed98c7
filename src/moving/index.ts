// Moving an installation to PostgreSQL.
export { type Checked, checkMoved } from "./check";
export { type Moved, moveToPostgres } from "./copy";
