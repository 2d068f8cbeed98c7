// The URL of a PostgreSQL database, as libpq reads it (PostgreSQL manual, 34.1.1.2 "Connection URIs"), for the parameters that
// matter here. Messages name the faulty part by its position and never repeat its text: if a password contains an
// unescaped `@` or `/`, any part may be a piece of it.
import { userInfo } from "node:os";
import ipaddr from "ipaddr.js";
import { Redacted } from "../base";
import { configurationError } from "../errors";

export const TLS_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
export type TlsMode = (typeof TLS_MODES)[number];

const TARGETS = ["read-write", "primary", "any"] as const;
const BINDINGS = ["disable", "prefer", "require"] as const;

export interface DatabaseHost {
  /** A host name or an address without brackets; for a socket its folder. */
  host: string;
  port: number;
  /** The file of the Unix socket; undefined for TCP. */
  socket: string | undefined;
  /** For messages and logs. */
  shown: string;
}

export interface DatabaseTls {
  /** Undefined: the default of each host. */
  mode: TlsMode | undefined;
  /** Files (PEM), or `system` as the root certificates: the authorities that are public. */
  rootCert: string | undefined;
  cert: string | undefined;
  key: string | undefined;
  /** Whether the login is bound to the certificate of the server (SCRAM-SHA-256-PLUS). */
  channelBinding: (typeof BINDINGS)[number];
}

export interface DatabaseAddress {
  /** In the order in which they are tried. */
  hosts: readonly DatabaseHost[];
  database: string;
  user: string;
  password: Redacted | undefined;
  tls: DatabaseTls;
  /** Which servers are accepted: whose sessions may write, that are not a standby, or all. */
  target: (typeof TARGETS)[number];
  connectTimeoutMs: number;
}

const PARAMETERS = [
  "host",
  "port",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "channel_binding",
  "target_session_attrs",
  "connect_timeout",
] as const;
type Parameter = (typeof PARAMETERS)[number];
type Parameters = ReadonlyMap<Parameter, string>;

/** Where Debian, RPM packages and their containers have the socket. */
const DEFAULT_SOCKET = "/var/run/postgresql";
const DEFAULT_PORT = 5432;
const DEFAULT_TIMEOUT = 5;
const SCHEME = /^postgres(?:ql)?:\/\//;
const ENCODE = "In a user name or password, write @ as %40, / as %2F, : as %3A and % as %25.";

/** Throws `configuration`. The message names the faulty part, and contains nothing of the URL that may be a password. */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const { credentials, hosts, path, query } = split(url);
  const parameters = parametersOf(query);
  const { user, password } = credentialsOf(credentials);
  const owner = user ?? systemUser();
  const database = decoded(path, "database name");
  return {
    hosts: hostsOf(hosts, parameters),
    database: database === "" ? owner : database,
    user: owner,
    password,
    tls: tlsOf(parameters),
    target: choice(parameters, "target_session_attrs", TARGETS) ?? "read-write",
    connectTimeoutMs: timeoutOf(parameters.get("connect_timeout")) * 1000,
  };
}

/** For messages and logs: hosts, database and user. */
export function shownDatabase({ hosts, database, user }: DatabaseAddress): string {
  return `${hosts.map(({ shown }) => shown).join(",")}, database ${database}, user ${user}`;
}

/** The URL without its password. Also right for a URL that cannot be parsed. */
export function withoutPassword(url: string): string {
  // Greedy: everything up to the last @ may be a piece of the password.
  return url.replace(/^([a-z]+:\/\/[^:@/?]*):.*@/s, "$1:***@");
}

interface Parts {
  credentials: string | undefined;
  hosts: string;
  path: string;
  query: string;
}

function split(url: string): Parts {
  const scheme = SCHEME.exec(url)?.[0];
  if (scheme === undefined)
    throw fault("must start with postgres:// or postgresql://, for example postgres://runtime@db1/runtime.");
  if (/[\s\p{Cc}]/u.test(url))
    throw fault("contains a space or a control character. Write it percent-encoded: a space is %20.");
  const rest = url.slice(scheme.length);
  // As libpq: credentials are what precedes the first @, unless a / comes first.
  const credentials = /^([^@/]*)@/.exec(rest)?.[1];
  const tail = credentials === undefined ? rest : rest.slice(credentials.length + 1);
  if (tail.includes("@")) throw fault(`contains an @ behind the credentials. ${ENCODE}`);
  const [, hosts = "", path = "", query = ""] = /^([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/.exec(tail) ?? [];
  if (path.includes("/")) throw fault(`contains a / in the database name. ${ENCODE}`);
  return { credentials, hosts, path, query };
}

function parametersOf(query: string): Parameters {
  const found = new Map<Parameter, string>();
  for (const [index, pair] of query === "" ? [] : query.split("&").entries()) {
    const [name = "", ...value] = pair.split("=");
    const known = PARAMETERS.find((each) => each === name);
    if (known === undefined) throw unknownParameter(name, index);
    if (value.length !== 1) throw fault(`has no value for the parameter ${known}: write ${known}=VALUE.`);
    if (found.has(known)) throw fault(`has the parameter ${known} twice. Keep one of them.`);
    const text = decoded(value[0] ?? "", `parameter ${known}`);
    if (text !== "") found.set(known, text);
  }
  return found;
}

function unknownParameter(name: string, index: number): Error {
  const advice =
    name === "password" || name === "user" || name === "dbname"
      ? " Write it as postgres://USER:PASSWORD@HOST/DATABASE."
      : "";
  // A name is shown only if it looks like one.
  const which = /^[a-z_]{2,40}$/.test(name) ? name : `number ${index + 1}`;
  return fault(
    `has the parameter ${which}, which is not supported.${advice} Parameters are: ${PARAMETERS.join(", ")}.`,
  );
}

function credentialsOf(text: string | undefined): Pick<DatabaseAddress, "password"> & { user?: string } {
  if (text === undefined) return { password: undefined };
  const colon = text.indexOf(":");
  const user = decoded(colon < 0 ? text : text.slice(0, colon), "user name");
  const password = colon < 0 ? "" : decoded(text.slice(colon + 1), "password");
  return {
    ...(user === "" ? {} : { user }),
    password: password === "" ? undefined : new Redacted(password),
  };
}

/** As libpq, the name of the operating system's user. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    throw fault("has no user name. Write it as postgres://USER@HOST/DATABASE.");
  }
}

function hostsOf(authority: string, parameters: Parameters): DatabaseHost[] {
  const [hostList, portList] = [parameters.get("host"), parameters.get("port")];
  if (authority !== "") {
    if (hostList !== undefined || portList !== undefined)
      throw fault(
        "has hosts in front of the database name and in the parameters host or port. Keep one of them.",
      );
    return authority.split(",").map((text, index) => hostOf(...hostAndPort(text, index), index));
  }
  const hosts = hostList?.split(",") ?? [""];
  const ports = portList?.split(",") ?? [];
  if (ports.length > 1 && ports.length !== hosts.length)
    throw fault(
      "has another number of ports than of hosts in its parameters. Give one port, or one for each host.",
    );
  return hosts.map((host, index) => hostOf(host, ports[ports.length === 1 ? 0 : index] ?? "", index));
}

function hostAndPort(text: string, index: number): [host: string, port: string] {
  const [, bracketed, plain = "", port = ""] = /^(?:\[([^\][]*)\]|([^:\][]*))(?::([^:]*))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === "" && text !== "" && port === "")
    throw fault(
      `is not valid at host ${index + 1}. IPv6 addresses are written in brackets: [::1]:5432. ${ENCODE}`,
    );
  const name = decoded(host, `host ${index + 1}`);
  if (bracketed !== undefined && !ipaddr.IPv6.isValid(name))
    throw fault(`has no IPv6 address in the brackets at host ${index + 1}.`);
  return [name, port];
}

function hostOf(host: string, portText: string, index: number): DatabaseHost {
  const port = portText === "" ? DEFAULT_PORT : Number(portText);
  if (!/^\d{0,5}$/.test(portText) || port < 1 || port > 65_535)
    throw fault(`has a port of host ${index + 1} that is not a number from 1 to 65535. ${ENCODE}`);
  const folder = host === "" ? DEFAULT_SOCKET : host;
  if (folder.startsWith("/")) {
    const socket = `${folder.replace(/\/$/, "")}/.s.PGSQL.${port}`;
    return { host: folder, port, socket, shown: socket };
  }
  if (ipaddr.IPv6.isValid(host)) return { host, port, socket: undefined, shown: `[${host}]:${port}` };
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]{0,252}$/.test(host))
    throw fault(
      `has a host ${index + 1} that is neither a host name, an address nor the folder of a Unix socket. ${ENCODE}`,
    );
  return { host, port, socket: undefined, shown: `${host}:${port}` };
}

function tlsOf(parameters: Parameters): DatabaseTls {
  const [cert, key] = [parameters.get("sslcert"), parameters.get("sslkey")];
  if ((cert === undefined) !== (key === undefined))
    throw fault("has only one of sslcert and sslkey. A client certificate needs both files.");
  const mode = choice(parameters, "sslmode", TLS_MODES);
  const rootCert = parameters.get("sslrootcert");
  if (rootCert === "system" && mode !== undefined && mode !== "verify-full")
    throw fault(`has sslrootcert=system with sslmode=${mode}. Public authorities need sslmode=verify-full.`);
  if (rootCert === undefined && mode === "verify-ca")
    throw fault(
      "has sslmode=verify-ca without sslrootcert, the file with the certificates of the authority.",
    );
  return {
    mode,
    rootCert,
    cert,
    key,
    channelBinding: choice(parameters, "channel_binding", BINDINGS) ?? "prefer",
  };
}

function timeoutOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_TIMEOUT;
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (seconds < 1 || seconds > 300)
    throw fault("has a connect_timeout that is not a number of seconds from 1 to 300.");
  return seconds;
}

function choice<T extends string>(
  parameters: Parameters,
  name: Parameter,
  values: readonly T[],
): T | undefined {
  const text = parameters.get(name);
  if (text === undefined) return undefined;
  const found = values.find((each) => each === text);
  if (found !== undefined) return found;
  throw fault(`has a value of ${name} that is not supported. It takes: ${values.join(", ")}.`);
}

function decoded(text: string, part: string): string {
  let plain: string;
  try {
    plain = decodeURIComponent(text);
  } catch {
    throw fault(`has a ${part} with a % that does not begin an escape such as %40. Write % as %25.`);
  }
  if (plain.includes("\0"))
    throw fault(`has a ${part} that contains a NUL character, which PostgreSQL refuses.`);
  return plain;
}

function fault(text: string): Error {
  return configurationError(`The database URL ${text}`);
}
