// Codex, Gemini CLI and opencode as published, each with a home of its own and no network but this machine: `gateways connect
// --write` configures the gateway, the agent calls a tool of a worker, and a missing consent reaches the person as an address.
// Only the model is scripted.
import { expect } from "bun:test";
import { testIfAllowed, testWith } from "../../support/require";
import { testWithWorkerPeers } from "../workers/peers";
import { agents, isInstalled } from "./agents";
import { canBeAlone } from "./alone";
import { handshake } from "./handshakes";
import { PLAY_MS, played } from "./played";
import { handshakeOf } from "./recorder";

const isHere = process.platform === "linux" && process.arch === "x64";
// The worker is one of these servers.
testWithWorkerPeers();

for (const agent of agents) {
  const hasAgent = isHere && isInstalled(agent);
  const test = hasAgent
    ? testIfAllowed("a network namespace (unshare, ip)", canBeAlone)
    : testWith(`${agent.name} (bun install needs the network)`, hasAgent);
  test(
    `${agent.name} calls a tool of a worker, and shows where to consent`,
    async () => {
      const { code, stdout, stderr, written, keys, recorded, interfaces } = await played(agent.name);

      expect({ code, stderr, interfaces }).toMatchObject({ code: 0, interfaces: ["lo"] });
      // Each prints its own JSON, so quotes may be escaped more than once.
      const printed = stdout.replaceAll("\\", "");
      expect(printed).toContain("The tools said: ");
      const [, said = ""] = printed.split("The tools said: ");
      expect(said).toContain("Echo: hello from the agent");
      expect(said).toMatch(/Chat\.WhoAmI needs your consent/);
      expect(said).toMatch(/http:\/\/127\.0\.0\.1:\d+\/authorize\/[\w-]{43}/);
      for (const key of keys) expect(written).not.toContain(key);
      expect(handshakeOf(recorded)).toEqual(handshake(agent.name));
    },
    PLAY_MS,
  );
}
