// A test process that leaves everything behind: prints the folder that must not outlive it, and waits to be killed.
import { dirname } from "node:path";
import { startBouncer } from "./bouncer";
import { startCluster } from "./cluster";
import { startOnSmallDisk } from "./full-disk";

const cluster = await startCluster();
if (process.argv.includes("bouncer")) await startBouncer(cluster);
if (process.argv.includes("disk")) await (await startOnSmallDisk()).cluster.kill();
process.stdout.write(`${dirname(cluster.socketFolder)} ${cluster.port}\n`);
process.stdin.resume();
