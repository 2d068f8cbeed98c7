// Twenty simultaneous creations of one slug at two processes on one database.
import { expect, test } from "bun:test";
import { startChatSandbox } from "../sandbox/chat";
import { api, at } from "../support/api";
import { Installation } from "../support/runtime-process";

const PATH = "/v1/orgs/default/projects/default/gateways";

test("one of 20 creations of a slug at two processes is 201, and 19 are 409 [fault: slug-race]", async () => {
  const chat = await startChatSandbox();
  try {
    await using installation = new Installation(chat);
    const key = await installation.key("admin");
    const servers = [await installation.serve(), await installation.serve()];
    const [first, second] = servers.map(({ address }) => api(address, key));
    for (const slug of ["race-1", "race-2", "race-3"]) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? first : second)?.post(PATH, {
            name: `Racer ${index}`,
            slug,
            auth_type: "arcade_header",
          }),
        ),
      );
      const statuses = answers.map((answer) => answer?.status).toSorted();
      expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
      const listed = await second?.get(`${PATH}?limit=100`);
      const slugs = (at(listed?.body, "items") as { slug: string }[]).map((gateway) => gateway.slug);
      expect(slugs.filter((one) => one === slug)).toEqual([slug]);
    }
  } finally {
    await chat.stop();
  }
}, 60_000);
