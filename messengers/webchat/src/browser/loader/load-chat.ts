import type { Rest, Shell } from "../shell.ts";

/** Loads `chat.js` from this script's origin, with its nonce. Rejects if that fails. */
export function loadChat(line: HTMLScriptElement, shell: Shell): Promise<Rest> {
  const chat = document.createElement("script");
  chat.src = trusted(new URL("chat.js", line.src).href);
  chat.nonce = line.nonce;
  document.head.append(chat);
  return new Promise((resolve, reject) => {
    chat.onload = () => (window.GangwayChat ? resolve(window.GangwayChat.begin(shell)) : reject());
    chat.onerror = reject;
  });
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

type Policy = ReturnType<TrustedTypes["createPolicy"]>;
/** A page may not allow a second policy of this name. */
let policy: Policy | undefined;

/** For pages with `require-trusted-types-for 'script'`. */
function trusted(url: string): string {
  try {
    const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
    policy ??= trustedTypes?.createPolicy("gangway", { createScriptURL: (own) => own });
    return policy?.createScriptURL(url) ?? url;
  } catch {
    return url;
  }
}
