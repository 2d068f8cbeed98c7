// The minimal work to verify an audit trail on bare Bun: reads all rows and hashes each with the hash before it.
// `bun audit-floor.ts FILE` prints milliseconds.
import { Database } from "bun:sqlite";

interface Row {
  project_id: string;
  id: string;
  number: number;
  incarnation: string;
  actor: string;
  action: string;
  target: string;
  result: string;
  address: string;
  details: string;
  created_at: number;
  hash: string;
}

const database = new Database(process.argv[2] ?? "", { readonly: true });
const begun = performance.now();
let former = "0".repeat(64);
let rows = 0;
for (const row of database.query<Row, []>("SELECT * FROM audit ORDER BY project_id, id").iterate()) {
  const { project_id, number, id, created_at, incarnation, actor, action, target, result, address, details } =
    row;
  const fields = [
    project_id,
    number,
    id,
    created_at,
    incarnation,
    actor,
    action,
    target,
    result,
    address,
    details,
  ];
  let text = `19:runtime audit row 1,64:${former},`;
  for (const field of fields) text += `${String(field).length}:${field},`;
  former = Bun.CryptoHasher.hash("sha256", text, "hex");
  if (former !== row.hash) throw new Error(`row ${number} differs`);
  rows++;
}
console.log(JSON.stringify({ rows, ms: performance.now() - begun }));
