// The stand-in with a user of its first data center, and rows filled in with what exists there.
import { type RecordsSandbox, startRecordsSandbox } from "../../sandbox/records";
import { KEY, type Row } from "./rows";
import { type Input, User } from "./run";

const PLACEHOLDER_ID = "3888833000000114027";
const JOB_ROUTE = "bulk.get";

export class Platform implements AsyncDisposable {
  readonly sandbox: RecordsSandbox;

  private constructor(sandbox: RecordsSandbox) {
    this.sandbox = sandbox;
  }

  static async start(): Promise<Platform> {
    return new Platform(await startRecordsSandbox());
  }

  /** Records as at the start, nothing on record, no faults, a minute later (for limits per minute). */
  fresh(): void {
    this.sandbox.reset();
    this.sandbox.clearFaults();
    this.sandbox.clearRequests();
    this.sandbox.move(61_000);
  }

  /** Alice, with these scopes (without prefix; default all). */
  alice(scopes?: readonly string[]): User {
    const { accessToken } = this.sandbox.issueToken("alice", scopes);
    return new User({ token: accessToken, serverUrl: this.sandbox.us.apiUrl });
  }

  /** The input and the path of a row, for something that exists. */
  async live(row: Row, user: User): Promise<{ input: Input; path: string }> {
    const id =
      row.route === JOB_ROUTE ? await this.#job(user) : (this.sandbox.records("us", "Products")[0]?.id ?? "");
    const { products, productForm } = this.sandbox.privateLinks("us");
    const key = row.route === "publish.add" ? productForm : products;
    const fill = (text: string): string => text.replaceAll(PLACEHOLDER_ID, id).replaceAll(KEY, key);
    const input = Object.entries(row.input).map(([name, value]) => [
      name,
      typeof value === "string" ? fill(value) : value,
    ]);
    return { input: Object.fromEntries(input), path: fill(row.path) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sandbox.stop();
  }

  async #job(user: User): Promise<string> {
    const place = { account_owner_name: "acme", application_link_name: "inventory" };
    const where = { ...place, report_reference_name: "All_Products" };
    const created = await user.run("CreateBulkReadJob", { mode: "execute", ...where, request_body: "{}" });
    this.sandbox.clearRequests();
    const id = /"id":"(\d+)"/.exec(JSON.stringify(created))?.[1];
    if (id === undefined) throw new Error("No job was started.");
    return id;
  }
}
