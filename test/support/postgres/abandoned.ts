// A test process that leaves everything behind: prints what must not outlive it, and waits to be killed.
import { dirname } from "node:path";
import { startBouncer } from "./bouncer";
import { startCluster } from "./cluster";
import { startOnSmallDisk } from "./full-disk";

const cluster = await startCluster();
const ports = [cluster.port];
const folders = [dirname(cluster.socketFolder)];
if (process.argv.includes("bouncer")) ports.push((await startBouncer(cluster)).port);
if (process.argv.includes("disk")) {
  const disk = await startOnSmallDisk();
  folders.push(dirname(disk.cluster.dataFolder));
  await disk.cluster.kill();
}
process.stdout.write(`${JSON.stringify({ ports, folders })}\n`);
process.stdin.resume();
