// Coding agents as published: where each program is, the files that it needs besides the entry of the gateway, and its
// command for one turn without a terminal.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const INTEROP = join(import.meta.dir, "..");
const INSTALL_MS = 240_000;

/** Where an agent works, and which model it asks. */
export interface Place {
  home: string;
  /** The folder of its project. */
  folder: string;
  /** Address of the scripted model: its own protocol, or ours in front of it. */
  model: string;
  /** API key of the model. */
  key: string;
}

export interface Agent {
  /** Its name at `gateways connect`. */
  name: string;
  /** The folder in which its package is installed. */
  installed: string;
  program: string;
  /** Speaks a protocol that this server does not serve, so the stand-in serves it. */
  ownProtocol?: true;
  prepare(place: Place): void;
  command(prompt: string): string[];
  environment(place: Place): Record<string, string>;
}

const modules = (folder: string): string => join(INTEROP, folder, "node_modules");

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const codex: Agent = {
  name: "codex",
  installed: join(INTEROP, "codex"),
  program: join(modules("codex"), "@openai", "codex", "bin", "codex.js"),
  prepare: ({ home, model }) =>
    write(
      join(home, ".codex", "config.toml"),
      [
        'model = "local/test-model"',
        'model_provider = "scripted"',
        'web_search = "disabled"',
        "",
        "[model_providers.scripted]",
        'name = "scripted"',
        `base_url = "${model}/v1"`,
        'env_key = "MODEL_KEY"',
        'wire_api = "responses"',
        "request_max_retries = 0",
        "stream_max_retries = 0",
        "",
        "[analytics]",
        "enabled = false",
        "",
      ].join("\n"),
    ),
  // The sandbox of the agent is for its shell. This turn runs no program, and a namespace cannot be made in every container.
  command: (prompt) => [
    "exec",
    "--skip-git-repo-check",
    "--json",
    "--dangerously-bypass-approvals-and-sandbox",
    prompt,
  ],
  environment: ({ key }) => ({ MODEL_KEY: key }),
};

const gemini: Agent = {
  name: "gemini",
  installed: import.meta.dir,
  program: join(modules("agents"), "@google", "gemini-cli", "bundle", "gemini.js"),
  ownProtocol: true,
  prepare: ({ home }) =>
    write(
      join(home, ".gemini", "settings.json"),
      JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false },
      }),
    ),
  command: (prompt) => [
    "--skip-trust",
    "--approval-mode",
    "yolo",
    "--model",
    "gemini-2.5-flash",
    "--output-format",
    "json",
    "--prompt",
    prompt,
  ],
  environment: ({ key, model }) => ({
    GEMINI_API_KEY: key,
    GOOGLE_GEMINI_BASE_URL: model,
    GEMINI_CLI_TRUST_WORKSPACE: "true",
  }),
};

const opencode: Agent = {
  name: "opencode",
  installed: join(INTEROP, "mcp", "programs"),
  program: join(modules("mcp/programs"), "opencode-linux-x64", "bin", "opencode"),
  // The file of the user. The gateway is written into that of the project.
  prepare: ({ home, model }) =>
    write(
      join(home, ".config", "opencode", "opencode.json"),
      JSON.stringify({
        autoupdate: false,
        share: "disabled",
        model: "scripted/test-model",
        small_model: "scripted/test-model",
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${model}/v1`, apiKey: "{env:MODEL_KEY}" },
            models: { "test-model": { name: "test-model" } },
          },
        },
      }),
    ),
  command: (prompt) => ["run", "--format", "json", prompt],
  environment: ({ key }) => ({ MODEL_KEY: key, OPENCODE_DISABLE_MODELS_FETCH: "1" }),
};

export const agents: readonly Agent[] = [codex, gemini, opencode];

/** Whether the package of an agent is there or could be installed. */
export function isInstalled({ program, installed }: Agent): boolean {
  if (existsSync(program)) return true;
  const command = [process.execPath, "install", "--frozen-lockfile"];
  Bun.spawnSync(command, { cwd: installed, timeout: INSTALL_MS });
  return existsSync(program);
}

/** The command that runs the program: its interpreter, if it has one. */
export function commandOf({ program }: Agent): string[] {
  return program.endsWith(".js") ? [Bun.which("node") ?? "node", program] : [program];
}
