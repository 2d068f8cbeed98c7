// Backups that only the holder of another key can read: the format of age (age-encryption.org/v1).
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { Decrypter, Encrypter } from "age-encryption";
import type { Redacted } from "../base";
import { configurationError, malformedRequest } from "../errors";
import { BackupFault } from "./fault";

const BEGINNING = "age-encryption.org/v1\n";
const ARMOR = "-----BEGIN AGE ENCRYPTED FILE-----";

/** Throws `configuration` for a text that is not a recipient. */
export async function encrypted(
  source: AsyncIterable<Uint8Array>,
  recipients: readonly string[],
): Promise<AsyncIterable<Uint8Array>> {
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch (error) {
      throw configurationError(
        "A recipient of backups is not a public key of age (age1…). Make a pair of keys with: age-keygen",
        { cause: error },
      );
    }
  }
  return encrypter.encrypt(webStream(source));
}

/** The contents of a backup, decrypted if needed. `identities`: secret keys of age. */
export async function readBackup(
  file: string,
  identities: readonly Redacted[],
): Promise<AsyncIterable<Uint8Array>> {
  const plain = createReadStream(file) as AsyncIterable<Uint8Array>;
  if (!(await isEncrypted(file))) return plain;
  if (identities.length === 0)
    throw malformedRequest(
      "The backup is encrypted. Give the file with the secret key of age: --identity FILE",
    );
  const decrypter = new Decrypter();
  for (const identity of identities) addIdentity(decrypter, identity);
  try {
    return decrypted(await decrypter.decrypt(webStream(plain)));
  } catch (error) {
    throw new BackupFault(
      "It cannot be decrypted: the secret key is another one, or the file was changed.",
      error,
    );
  }
}

export async function isEncrypted(file: string): Promise<boolean> {
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(ARMOR.length), 0, ARMOR.length, 0);
    const text = buffer.toString("latin1", 0, bytesRead);
    if (text === ARMOR)
      throw new BackupFault(
        "It is encrypted as text (age --armor). Decrypt it first: age -d -i KEY FILE > BACKUP",
      );
    return text.startsWith(BEGINNING);
  } finally {
    await handle.close();
  }
}

async function* decrypted(source: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of source) yield chunk;
  } catch (error) {
    throw new BackupFault("It cannot be decrypted to its end: it was changed or cut off.", error);
  }
}

function addIdentity(decrypter: Decrypter, identity: Redacted): void {
  try {
    decrypter.addIdentity(identity.reveal());
  } catch {
    // The error of the library could repeat the key.
    throw malformedRequest("The file of --identity contains no secret key of age (AGE-SECRET-KEY-1…).");
  }
}

function webStream(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  // Types of the same stream differ between Node's and the web's declarations.
  return Readable.toWeb(Readable.from(source)) as unknown as ReadableStream<Uint8Array>;
}
