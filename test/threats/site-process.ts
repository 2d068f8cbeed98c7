// A server in a process of its own, so that a test survives what freezes it: prints its address and a key of an administrator
// as one line, and serves until it is killed.
import { startSite } from "../support/site";

const site = await startSite();
process.stdout.write(`${JSON.stringify({ url: site.url, key: await site.key("admin") })}\n`);
