// Writes the handshakes that `test/mcp/agents.test.ts` replays. To be run when the version of an agent changes:
//
//   bun test/interop/agents/record.ts
import { agents, isInstalled } from "./agents";
import { fileOf } from "./handshakes";
import { played } from "./played";
import { handshakeOf } from "./recorder";

for (const agent of agents) {
  if (!isInstalled(agent)) throw new Error(`${agent.name} is not installed`);
  const { recorded } = await played(agent.name);
  await Bun.write(fileOf(agent.name), `${JSON.stringify(handshakeOf(recorded), null, 2)}\n`);
}
