// Official clients get from a 401 to a call by themselves, however the gateway and its provider of users are placed.
import { describe, expect, test } from "bun:test";
import { officialClients } from "./clients";
import { OAuthProvider } from "./oauth";
import { placements } from "./placements";

describe.each(placements.map((placement) => [placement.name, placement] as const))(
  "%s",
  (_name, { start }) => {
    test.each(officialClients.map((client) => [client.name, client] as const))(
      "client %s",
      async (_client, client) => {
        await using placed = await start();
        const { address, openId } = placed;
        const provider = new OAuthProvider(openId.provider.address, "alice");
        await using session = await client.connect(address, { provider });

        expect((await session.tools()).length).toBeGreaterThan(0);
        expect(provider.visited[0]?.searchParams.get("resource")).toBe(address);
      },
    );
  },
);
