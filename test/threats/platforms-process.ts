// The stand-ins of the platforms in a process of their own, so that their work does not count as the server's.
import { startPlatforms } from "../sandbox/platforms";

const { chat, environment, providers, secrets } = await startPlatforms();
process.stdout.write(
  `${JSON.stringify({ chat: { apiUrl: chat.apiUrl }, environment, providers, secrets })}\n`,
);
// Its end is the end of the process that uses them, however that ended.
for await (const _ of Bun.stdin.stream());
process.exit();
