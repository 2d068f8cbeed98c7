// `runtime` without a command: shows what to do next. Changes nothing.
import type { Config } from "../../src/config";
import { type Client, withClient } from "../client/client";
import { listProviders } from "../client/providers";
import { addressOf } from "../client/target";
import { type Common, type Verb, verb } from "../command";
import type { Io } from "../io";
import { print } from "../output";
import { loadCommonConfig, withSession } from "../session";

type State = "no_key" | "no_provider" | "ready";

export const nextCommands: Verb = verb({
  usage: "next",
  summary: "Show what to do next.",
  examples: ["runtime"],
  read: () => ({}),
  run: printNext,
});

async function printNext(io: Io, common: Common): Promise<void> {
  const { state, user, remote = false } = await stateOf(io, common);
  // A server that commands are sent to runs already.
  const next = commandsFor(state, user).filter(({ command }) => !remote || command !== SERVE.command);
  print(io, common.output, { state, next }, () => {
    const steps = next.map(
      ({ command, meaning }) => `  ${io.paint.bold(command)}\n      ${io.paint.dim(meaning)}\n`,
    );
    return `${TITLES[state]}\n\n${steps.join("")}\nAll commands: runtime --help\n`;
  });
}

async function stateOf(
  io: Io,
  common: Common,
): Promise<{ state: State; user: string | undefined; remote?: boolean }> {
  const config = await loadCommonConfig(io, common);
  const { user } = config.settings;
  if (addressOf(common, config) !== undefined) {
    const work = async (client: Client) => ({ state: await providerState(client), user, remote: true });
    return withClient(io, common, work, config);
  }
  if (!(await hasDatabase(io, config))) return { state: "no_key", user };
  return withSession(
    io,
    common,
    async (session) => {
      const { runtime, principal } = session;
      if (!(await runtime.identity.hasKeys(principal.projectId))) return { state: "no_key", user };
      return { state: await providerState({ kind: "direct", config, session }), user };
    },
    { config },
  );
}

async function providerState(client: Client): Promise<State> {
  const { items } = await listProviders(client);
  return items.length === 0 ? "no_provider" : "ready";
}

// Without a home folder there is no database. The note explains what to set.
async function hasDatabase(io: Io, config: Config): Promise<boolean> {
  const { isInstalled } = await import("../../src/installed");
  try {
    return await isInstalled(config);
  } catch (error) {
    if (config.settings["database.url"] !== undefined) throw error;
    io.note(error instanceof Error ? error.message : "");
    return false;
  }
}

const TITLES: { readonly [S in State]: string } = {
  no_key: "There is no API key yet. Next:",
  no_provider: "There is no auth provider yet, so users cannot consent. Next:",
  ready: "Ready. Next:",
};

interface Step {
  command: string;
  meaning: string;
}

const SERVE: Step = { command: "runtime serve", meaning: "run the server" };
const LIST: Step = { command: "runtime tools list", meaning: "list the tools" };

function commandsFor(state: State, user: string | undefined): Step[] {
  if (state === "no_key") {
    const meaning = "set the default user and create an admin and a run key";
    return [{ command: "runtime init", meaning }, SERVE, LIST];
  }
  if (state === "no_provider") {
    const command = "runtime providers create slack --provider slack --client-id ID --client-secret-stdin";
    const meaning = "your OAuth client; prints the redirect address to register";
    return [{ command, meaning }, SERVE, LIST];
  }
  const command = `runtime tools exec Chat.WhoAmI${user === undefined ? " --user USER" : ""}`;
  return [LIST, { command, meaning: "run one; requests a missing consent first" }, SERVE];
}
