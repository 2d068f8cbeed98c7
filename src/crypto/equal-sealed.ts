// Compares a given value with a stored one.
import { sameSecret } from "./ids";
import { Unopenable } from "./unopenable";

/** Whether an opened value is this text, in constant time. False if it cannot be opened: it must be set again. */
export async function equalsSealed(
  opened: string | undefined | Promise<string | undefined>,
  text: string,
): Promise<boolean> {
  try {
    const value = await opened;
    return value !== undefined && sameSecret(value, text);
  } catch (error) {
    if (error instanceof Unopenable) return false;
    throw error;
  }
}
