// A model that takes 40 s in real time: nothing may interrupt it.
import { expect, test } from "bun:test";
import { say } from "../sandbox/models/chat-server";
import { scaled } from "../support/long";
import { asking, startChatSite } from "../support/chat-site";

test.each([false, true])(
  "an answer after 40 s is delivered (stream: %p) [fault: silent-request]",
  async (stream) => {
    await using chat = await startChatSite({
      turn: async (request, reply) => {
        await Bun.sleep(scaled(40_000));
        say(request, reply, { content: "At last." });
      },
    });
    const answer = await chat.send(asking({ stream }));
    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringContaining(stream ? "[DONE]" : "At last."),
    ]);
  },
  60_000,
);
