// What failed at a connect, in words for the operator: the host, what is wrong, what to do.
import { type ErrorDetails, configurationError, RuntimeError, unavailable } from "../../errors";
import type { DatabaseAddress, DatabaseHost } from "../../config";

/** A server that answers and is not used, or that does not answer in time. */
export class NotAccepted extends Error {
  readonly reason: "timeout" | "standby" | "read_only";

  constructor(reason: NotAccepted["reason"]) {
    super(reason);
    this.reason = reason;
  }
}

export interface HostFault {
  /** `db1:5432 refuses the password of the user runtime` */
  text: string;
  advice: string;
  /** Waiting does not help. */
  isConfiguration: boolean;
  cause: unknown;
}

/** An error that has the message of several hosts, or of one. */
export function connectError(faults: readonly HostFault[]): RuntimeError {
  const [first] = faults;
  // If one host is only unreachable, it may be the right one.
  const isConfiguration = faults.length > 0 && faults.every((fault) => fault.isConfiguration);
  const advice = [...new Set(faults.map((fault) => fault.advice))].join(" ");
  const message = `PostgreSQL cannot be used: ${faults.map(({ text }) => text).join("; ")}. ${advice}`;
  const details: ErrorDetails = { cause: first?.cause };
  return isConfiguration ? configurationError(message, details) : unavailable(message, details);
}

/** Throws errors of this program, such as those about files. */
export function hostFault(
  host: DatabaseHost,
  { database, user, connectTimeoutMs }: DatabaseAddress,
  error: unknown,
  password: string,
): HostFault {
  if (error instanceof RuntimeError) throw error;
  const at = (
    isConfiguration: boolean,
    text: string,
    advice: string,
    cause: unknown = withoutSecret(error, password),
  ): HostFault => ({ text: `${host.shown} ${text}`, advice, isConfiguration, cause });
  const temporary = (text: string, advice: string): HostFault => at(false, text, advice);
  const permanent = (text: string, advice: string): HostFault => at(true, text, advice);

  if (error instanceof NotAccepted) {
    if (error.reason === "timeout")
      return temporary(`did not answer within ${connectTimeoutMs / 1000} s`, REACH);
    return temporary(error.reason === "standby" ? "is a standby" : "is read-only", WRITABLE);
  }
  const { code, state, message } = codesOf(error, password);
  if (code === "ERR_POSTGRES_CONNECTION_TIMEOUT")
    return temporary(`did not answer within ${connectTimeoutMs / 1000} s`, REACH);
  if (state !== undefined) {
    if (state === "28P01") return permanent(`refuses the password of the user ${user}`, PASSWORD);
    if (state === "28000") return permanent(`refuses the user ${user} (${message})`, LOGIN);
    if (state === "3D000") return permanent(`has no database ${database}`, DATABASE);
    if (state === "42501") return permanent(`does not let the user ${user} connect to ${database}`, LOGIN);
    if (state === "08P01" && OF_A_POOLER.test(message))
      return permanent(`refuses the connection (${message})`, POOLER);
    return temporary(`refuses the connection at the moment (${message}, ${state})`, REACH);
  }
  if (code === "ERR_POSTGRES_TLS_NOT_AVAILABLE") return permanent("does not offer TLS", NO_TLS);
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return permanent("has a certificate for other host names", NAMES);
  if (!code.startsWith("ERR_POSTGRES_") && code !== "")
    return permanent(`has a certificate that is not trusted (${code})`, AUTHORITY);
  if (/AUTH|CHANNEL_BINDING|SASL|SIGNATURE/.test(code))
    return permanent(`and this program do not agree on how to log in (${message})`, LOGIN);
  return temporary("cannot be reached", REACH);
}

const REACH = "Check that it is running and that database.url has the right host and port.";
const WRITABLE = "Start or promote the primary server, or add its host to database.url.";
const PASSWORD =
  "Check the password in database.password_file, database.password_command or RUNTIME_DATABASE_URL.";
const LOGIN = "Check the user in database.url, and pg_hba.conf on the server.";
const DATABASE = "Create it, or correct the name in database.url.";
const POOLER = "If it is a connection pooler, check its list of users and databases.";
const NO_TLS =
  "Turn TLS on there (ssl = on), or add sslmode=disable to database.url if the network in between is trusted.";
const NAMES =
  "Connect with a host name of the certificate, or add sslmode=verify-ca and sslrootcert=FILE to database.url.";
const AUTHORITY =
  "Add sslrootcert=FILE to database.url, the PEM file of the certificate authority; managed services publish theirs. " +
  "sslmode=require encrypts without checking who answers.";

/** Poolers use one code for everything; other messages of theirs, such as about full pools, are over after a while. */
const OF_A_POOLER =
  /^(?:SASL authentication failed|password authentication failed|no such (?:database|user)|unsupported startup parameter|database ".*" does not exist)/;

function codesOf(
  error: unknown,
  password: string,
): { code: string; state: string | undefined; message: string } {
  if (!(error instanceof Error)) return { code: "", state: undefined, message: "unknown reason" };
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const isOfServer = code === "ERR_POSTGRES_SERVER_ERROR";
  const state = isOfServer && "errno" in error && typeof error.errno === "string" ? error.errno : undefined;
  const isSafe = password === "" || !error.message.includes(password);
  return { code, state, message: isSafe ? error.message : "its message repeats the password" };
}

/** A server that gets the password in clear text could repeat it. */
function withoutSecret(error: unknown, password: string): unknown {
  return password !== "" && Bun.inspect(error).includes(password) ? undefined : error;
}
