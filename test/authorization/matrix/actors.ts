// What happens in an interleaving. Each actor takes steps, which the schedule lets happen one at a time among those of
// the others. All that chance decides is drawn when the actor is made, so that a seed is a story.
import { at } from "../../support/api";
import type { Owner, ProviderId } from "./owners";
import type { World } from "./world";

export interface Actor {
  /** The next step. */
  next(): Promise<{ done?: boolean | undefined }>;
}

/** An actor of one step. */
export function once(work: () => Promise<void> | void): Actor {
  return {
    next: async () => {
      await work();
      return { done: true };
    },
  };
}

export interface Actions {
  /** The owner as he is now expected to be served: "must" be, "may" be, or "never". */
  expected(owner: Owner): Served;
  /** A consent of the owner may be stored from here on. */
  mayBeGranted(owner: Owner): void;
  /** Something went wrong; the words name it. */
  fault(words: string): void;
  served(): void;
}

export type Served = "must" | "may" | "never";
/** `process`: the terminal as a process of its own. */
export type Front = "http" | "terminal" | "process";

const POST = "Chat.SendMessage";
const TOOLS: Readonly<Record<ProviderId, readonly [naming: string, telling: string]>> = {
  slack: [POST, "Chat.WhoAmI"],
  google: ["Sheets.GetSpreadsheetMetadata", "Sheets.GetSpreadsheetMetadata"],
};

/** Authorize, our address, the provider, the callback, "yes, this is me": all of it, or up to where another comes first. */
export async function* consent(
  world: World,
  actions: Actions,
  owner: Owner,
  { front, foreign, twice }: { front: Front; foreign: Owner | undefined; twice: boolean },
): Actor {
  const url = await authorize(world, actions, owner, front);
  if (url === undefined) return;
  yield;
  const browser = world.browser(owner);
  const location = (await browser.open(url)).headers.get("location");
  if (location === null || !location.startsWith(world.platforms.url)) return;
  const { searchParams } = new URL(location);
  const callback = new URL(searchParams.get("redirect_uri") ?? "");
  callback.searchParams.set("code", world.platforms.consent(owner));
  callback.searchParams.set("state", searchParams.get("state") ?? "");
  yield;
  if (foreign !== undefined) {
    // The address of the callback in another person's browser: refused, and still good in its own.
    const answer = await world.browser(foreign).open(callback.href);
    if (answer.status !== 400)
      actions.fault(`${foreign.name} brought ${owner.name}'s callback: ${answer.status}`);
    yield;
  }
  actions.mayBeGranted(owner);
  const pages = await Promise.all(Array.from({ length: twice ? 2 : 1 }, () => browser.open(callback.href)));
  yield;
  for (const page of pages) {
    // Two consents of one wish share a flow: whoever comes second finds it used, or ended.
    if (!(await page.clone().text()).includes('name="check"')) continue;
    const end = await browser.answer(page, new URL(url).origin, "yes");
    if (end.status >= 500) actions.fault(`the consent of ${owner.name} ended with ${end.status}`);
  }
}

async function authorize(
  world: World,
  actions: Actions,
  { project, user, provider, name }: Owner,
  front: Front,
): Promise<string | undefined> {
  const [tool_name] = TOOLS[provider];
  let body: unknown;
  if (front === "http") {
    const answer = await world.client(project).post("/v1/tools/authorize", { tool_name, user_id: user });
    if (answer.status !== 200) actions.fault(`authorize for ${name} was ${answer.status}`);
    body = answer.body;
  } else {
    const ran = await world.terminal(project, "tools", "authorize", tool_name, "--user", user);
    if (ran.code !== 0) actions.fault(`authorize for ${name} ended with ${ran.code}: ${ran.stderr}`);
    body = ran.body;
  }
  if (at(body, "user_id") !== user)
    actions.fault(`authorize for ${name} answered for ${at(body, "user_id")}`);
  return at(body, "status") === "pending" ? String(at(body, "url")) : undefined;
}

/** One call of a tool for the owner; `telling`: the tool that says whose grant it is. */
export async function execute(
  world: World,
  actions: Actions,
  owner: Owner,
  { front, telling }: { front: Front; telling: boolean },
): Promise<void> {
  const { project, user, provider, name } = owner;
  const tool_name = TOOLS[provider][telling ? 1 : 0];
  const input = inputOf(owner, tool_name);
  // Before and after: what others do meanwhile may count, or may not.
  const before = actions.expected(owner);
  let outcome: { served: boolean; body: unknown; said: string };
  if (front === "http") {
    const { status, body, text } = await world
      .client(project)
      .post("/v1/tools/execute", { tool_name, user_id: user, input });
    outcome = { served: status === 200 && at(body, "success") === true, body, said: `${status} ${text}` };
    if (status !== 200 && status !== 403) actions.fault(`execute for ${name} was ${outcome.said}`);
  } else {
    const args = ["tools", "exec", tool_name, "--user", user, "--input", JSON.stringify(input)];
    const { code, body, stderr } = await (front === "process" ? world.process : world.terminal)(
      project,
      ...args,
    );
    outcome = { served: code === 0, body, said: `${code} ${stderr}` };
    if (code !== 0 && code !== 6 && code !== 9)
      actions.fault(`tools exec for ${name} ended with ${outcome.said}`);
  }
  if (outcome.served) {
    actions.served();
    if (before === "never" && actions.expected(owner) === "never")
      actions.fault(`${name} was served without a consent`);
    const told = tellerOf(outcome.body, provider);
    if (told !== name) actions.fault(`${name} was answered with what ${String(told)} may see`);
  } else if (before === "must" && actions.expected(owner) === "must") {
    actions.fault(`${name} has consented and was not served: ${outcome.said}`);
  }
}

function inputOf({ name }: Owner, tool: string): object {
  if (tool === POST) return { conversation_id: "C0123456789", message: name };
  return tool === "Chat.WhoAmI" ? {} : { spreadsheet_id: name };
}

/** The owner of the token that the platform saw, as it tells in every answer. */
function tellerOf(body: unknown, provider: ProviderId): unknown {
  if (provider === "google") return at(body, "output.value.title");
  return at(body, "output.value.username") ?? at(body, "output.value.data.message.user");
}

/** An administrator forgets the owner's connection. */
export async function* remove(
  world: World,
  actions: Actions,
  owner: Owner,
  { front }: { front: Front },
): Actor {
  const { project, user, provider, name } = owner;
  world.platforms.mayRevoke(owner);
  const admin = world.client(project, "admin");
  const list = await admin.get(`/v1/admin/user_connections?user_id=${user}&provider_id=${provider}`);
  const id = at(list.body, "items.0.id");
  yield;
  if (typeof id !== "string") return;
  if (front === "http") {
    const { status } = await admin.delete(`/v1/admin/user_connections/${id}`);
    if (status !== 204 && status !== 404) actions.fault(`deleting ${name}'s connection was ${status}`);
    return;
  }
  const { code, stderr } = await world.terminal(project, "connections", "delete", id, "--yes");
  if (code !== 0 && code !== 3) actions.fault(`deleting ${name}'s connection ended with ${code}: ${stderr}`);
}
