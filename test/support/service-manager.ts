// A stand-in for a service manager: the socket of sd_notify(3), with the process that each message comes from.
import { onTestFinished } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "./temporary";

export interface Notice {
  /** The sender, as the kernel names it. */
  pid: number;
  /** The assignments by name. */
  fields: Record<string, string>;
}

export interface ServiceManager {
  /** The value of `NOTIFY_SOCKET`. */
  socket: string;
  notices: Notice[];
  /** The first notice from `from` on with this assignment. */
  notice(assignment: string, from?: number): Promise<Notice>;
  /** Resolves when no notice arrives for `ms`. */
  silence(ms: number): Promise<void>;
}

// Python, because the engine has no datagram sockets in the file system, and a receiver of our own could share our faults.
const RECEIVER = `
import json, socket, struct, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
name = sys.argv[1]
receiver.bind("\\0" + name[1:] if name.startswith("@") else name)
print("{}", flush=True)
while True:
    data, control, flags, address = receiver.recvmsg(65536, socket.CMSG_SPACE(12))
    pid = struct.unpack("3i", control[0][2])[0]
    fields = dict(line.split("=", 1) for line in data.decode().split("\\n") if line)
    print(json.dumps({"pid": pid, "fields": fields}), flush=True)
`;

export async function serviceManager(options: { abstract?: boolean } = {}): Promise<ServiceManager> {
  const socket = options.abstract
    ? `@runtime-test-${crypto.randomUUID()}`
    : join(temporaryFolder(), "notify");
  const child = Bun.spawn(["/usr/bin/python3", "-c", RECEIVER, socket], { stdin: "ignore", stdout: "pipe" });
  onTestFinished(() => child.kill("SIGKILL"));
  const notices: Notice[] = [];
  const bound = Promise.withResolvers<void>();
  let wake = Promise.withResolvers<void>();
  void (async () => {
    let rest = "";
    for await (const bytes of child.stdout) {
      const lines = (rest + new TextDecoder().decode(bytes)).split("\n");
      rest = lines.pop() ?? "";
      bound.resolve();
      for (const line of lines) if (line !== "{}") notices.push(JSON.parse(line) as Notice);
      wake.resolve();
      wake = Promise.withResolvers();
    }
    bound.reject(new Error("the receiver ended"));
  })();
  await bound.promise;
  return {
    socket,
    notices,
    notice: async (assignment, from = 0) => {
      const [name = "", value] = assignment.split("=", 2);
      for (;;) {
        const found = notices.slice(from).find(({ fields }) => fields[name] === value);
        if (found !== undefined) return found;
        await wake.promise;
      }
    },
    silence: async (ms) => {
      while ((await Promise.race([wake.promise.then(() => true), Bun.sleep(ms)])) === true);
    },
  };
}
