// The script of the pages that use passkeys: browsers offer passkeys to scripts only. It gets what to ask from the server, asks
// the authenticator, and sends the answer back. The form says where; see passkey-page.ts.
export const PASSKEY_SCRIPT = `"use strict";
(() => {
  const form = document.querySelector("form[data-passkey]");
  const problem = document.getElementById("problem");
  const status = document.getElementById("status");
  const button = form.querySelector("button");

  const say = (element, words) => {
    element.textContent = words;
    element.hidden = words === "";
  };
  const bytesOf = (text) =>
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
  const textOf = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replaceAll("=", "");

  class Refused extends Error {}

  async function send(address, more) {
    let answer;
    try {
      answer = await fetch(address, {
        method: "POST",
        credentials: "same-origin",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...JSON.parse(form.dataset.body), ...more }),
      });
    } catch {
      throw new Refused("The server cannot be reached. Check your connection, then try again.");
    }
    const body = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Refused(body.message ?? "The server could not do this. Try again later.");
    return body;
  }

  function decoded(options) {
    const list = (credentials = []) => credentials.map((one) => ({ ...one, id: bytesOf(one.id) }));
    const publicKey = { ...options, challenge: bytesOf(options.challenge) };
    if (options.user) publicKey.user = { ...options.user, id: bytesOf(options.user.id) };
    if (options.excludeCredentials) publicKey.excludeCredentials = list(options.excludeCredentials);
    if (options.allowCredentials) publicKey.allowCredentials = list(options.allowCredentials);
    return { publicKey };
  }

  function encoded({ id, rawId, type, response }) {
    const answer = { clientDataJSON: textOf(response.clientDataJSON) };
    if (response.attestationObject) {
      answer.attestationObject = textOf(response.attestationObject);
      answer.transports = response.getTransports ? response.getTransports() : [];
    } else {
      answer.authenticatorData = textOf(response.authenticatorData);
      answer.signature = textOf(response.signature);
      answer.userHandle = textOf(response.userHandle ?? new ArrayBuffer(0));
    }
    return { id, rawId: textOf(rawId), type, response: answer };
  }

  function wordsOf(error) {
    if (error instanceof Refused) return error.message;
    switch (error.name) {
      case "NotAllowedError":
      case "AbortError":
        return "It was cancelled, took too long, or this device has no passkey for this address. Try again.";
      case "InvalidStateError":
        return "This device has a passkey of yours already. Use it to sign in, or add another device.";
      case "NotSupportedError":
      case "ConstraintError":
        return (
          "This device cannot keep a passkey that it protects with a PIN, fingerprint or face. " +
          "Use another device, or set up a screen lock first."
        );
      case "SecurityError":
        return "Passkeys do not work at this address. Open the address that you were given.";
      default:
        return "This did not work (" + error.name + "). Try again, or use another browser or device.";
    }
  }

  async function run() {
    const creates = form.dataset.passkey === "create";
    const options = decoded(await send(form.dataset.options, {}));
    say(status, "Your browser asks for your passkey now.");
    const credential = await (creates ? navigator.credentials.create(options) : navigator.credentials.get(options));
    const name = form.elements.namedItem("name");
    const done = await send(form.dataset.answer, {
      answer: encoded(credential),
      ...(name ? { name: name.value.trim() || name.defaultValue } : {}),
    });
    say(status, "Done. One moment.");
    location.replace(done.to);
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    say(problem, "");
    try {
      await run();
    } catch (error) {
      say(status, "");
      say(problem, wordsOf(error));
      button.disabled = false;
      button.focus();
    }
  });

  if (window.PublicKeyCredential && navigator.credentials) form.hidden = false;
  else
    say(
      problem,
      window.isSecureContext
        ? "This browser cannot use passkeys. Open this address in another browser or on another device."
        : "Passkeys need https. Open this address with https, or ask its administrator.",
    );
})();
`;
