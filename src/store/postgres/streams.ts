// Rows as lines, from and to COPY.
import type { Connection } from "./connector";
import { LostConnection } from "./failures";

/** How long the server may be silent. */
const SILENCE_MS = 120_000;
const CHUNK = 256 * 1024;

/** Sends lines, each without its end. `sent` is told how many the server has taken. Throws `LostConnection`. */
export async function copyIn(
  connection: Connection,
  into: string,
  lines: Iterable<string>,
  sent: (rows: number) => void,
): Promise<void> {
  const writer = connection.sql.unsafe(`COPY ${into} FROM STDIN`).writable().getWriter();
  const encoder = new TextEncoder();
  let [chunk, rows] = ["", 0];
  for (const line of lines) {
    chunk += `${line}\n`;
    rows++;
    if (chunk.length < CHUNK) continue;
    await answered(connection, writer.write(encoder.encode(chunk)));
    chunk = "";
    sent(rows);
  }
  if (chunk !== "") await answered(connection, writer.write(encoder.encode(chunk)));
  // Constraints of all rows may be checked now.
  await answered(connection, writer.close(), 3_600_000);
  sent(rows);
}

/** The rows of a query as lines. Throws `LostConnection`. */
export async function* copyOut(connection: Connection, select: string): AsyncGenerator<string> {
  const reader = connection.sql
    .unsafe(`COPY (${select}) TO STDOUT`)
    .readable()
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await answered(connection, reader.read());
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

async function answered<T>(connection: Connection, work: Promise<T>, limitMs = SILENCE_MS): Promise<T> {
  const lost = Promise.withResolvers<never>();
  const timer = setTimeout(() => lost.reject(new LostConnection(undefined)), limitMs);
  let isWaiting = true;
  void connection.ended.then(() => {
    if (isWaiting) lost.reject(new LostConnection(undefined));
  });
  try {
    return await Promise.race([work, lost.promise]);
  } finally {
    isWaiting = false;
    clearTimeout(timer);
  }
}
