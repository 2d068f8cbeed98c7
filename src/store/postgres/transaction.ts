// How a transaction of the writer begins and ends. Each of the two is sent in one go.
import { beginning, STATEMENT_MS } from "./beginning";
import { isRolledBack, LostConnection, OtherVersion, PartlySent, RolledBack } from "./failures";
import { endsTransaction, type Execute, failureOf, type Ran } from "./group";
import { allOf, type Link } from "./link";

export interface TransactionOptions {
  /** Text of the port to text of the server. */
  translate(text: string): string;
  schema: string;
  /** Names the writer in the database. */
  instance: string;
  /** The schema version that this program writes. */
  version: number;
  /** `normal`: the last commits may be lost when the database's machine loses power. */
  durability: "full" | "normal";
}

/** How much longer than the server's limit an answer may take. */
export const ROLLBACK_MS = 2000;
const ANSWER_MS = STATEMENT_MS + ROLLBACK_MS;
/** Every process that writes has a row, also each command. Rows are only read within seconds. */
const REMOVE_OLD = "DELETE FROM writers WHERE at < clock_timestamp() - interval '30 days'";

/** A transaction whose beginning is sent. */
export class WriteTransaction {
  /** Fulfilled when it has begun, which means that it has the lock (`performance.now`). Rejects with `OtherVersion`. */
  readonly begin: Promise<number>;
  readonly #link: Link;
  readonly #options: TransactionOptions;
  #hasBegun = false;

  /** `hasSession` is told the process of the server that works for the link. */
  constructor(link: Link, options: TransactionOptions, hasSession: (session: number) => void) {
    this.#link = link;
    this.#options = options;
    this.begin = begin(link, options, hasSession);
    this.begin.then(
      () => (this.#hasBegun = true),
      () => undefined,
    );
  }

  /** Ends the connection: nothing more can be asked on it. */
  lose(): void {
    this.#link.lose();
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  readonly execute: Execute = (text, params) => {
    const answer = this.#link.run(this.#options.translate(text), params, ANSWER_MS);
    if (this.#hasBegun) return answer;
    answer.catch(() => undefined);
    // Without the lock, or with other tables, it means nothing.
    return this.begin.then(() => answer);
  };

  /**
   * Sends what ends the transaction. Returns false if a statement that was not waited for has failed, so that nothing is stored
   * and the group can run again with savepoints.
   */
  async commit({ touched, sent }: Ran, { number, isFirst }: Commit): Promise<boolean> {
    const { instance, schema } = this.#options;
    const { execute } = this;
    const kinds = [...touched].sort();
    const answers = allOf([
      ...(isFirst ? [execute(REMOVE_OLD, [])] : []),
      ...kinds.map((kind) => execute("UPDATE generations SET value = value + 1 WHERE kind = ?", [kind])),
      execute(
        "INSERT INTO writers (instance, number, at) VALUES (?, ?, clock_timestamp()) " +
          "ON CONFLICT (instance) DO UPDATE SET number = excluded.number, at = excluded.at",
        [instance, number],
      ),
      ...(kinds.length === 0 ? [] : [execute("SELECT pg_notify(?, ?)", [schema, kinds.join(" ")])]),
      execute("COMMIT", []),
    ]);
    answers.catch(() => undefined);
    const failed = await failureOf(sent);
    if (failed !== undefined) {
      await answers.catch(() => undefined);
      if (endsTransaction(failed)) throw failed;
      // The server has refused it, so it has answered the commit by ROLLBACK.
      if (isRolledBack(failed)) return false;
      throw new PartlySent(failed);
    }
    const command = (await answers).at(-1)?.command;
    if (command === "COMMIT") return true;
    // The commit of a failed transaction is answered by ROLLBACK, without an error.
    if (command === "ROLLBACK") throw new RolledBack();
    throw new LostConnection(new Error(`a commit was answered by ${command}`));
  }
}

export interface Commit {
  /** Of the transaction, by which its writer finds out later whether it was stored. */
  number: number;
  /** Whether it is the first of its process. */
  isFirst: boolean;
}

async function begin(
  link: Link,
  { schema, durability, version }: TransactionOptions,
  hasSession: (session: number) => void,
): Promise<number> {
  const answers = await allOf(
    beginning(schema, durability).map((text) => link.run(text, [], ANSWER_MS)),
    (rows) => {
      const session = rows[0]?.["session"];
      if (typeof session === "number") hasSession(session);
    },
  );
  const found = answers.at(-1)?.rows[0]?.["value"];
  if (found !== version) throw new OtherVersion(Number(found), version);
  return performance.now();
}
