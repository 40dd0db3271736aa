import type { GangwayEvents, GangwayOptions, GangwayUser } from "../../gangway.d.ts";
import type { Host } from "./host.ts";
import type { VisitorLanguage } from "./language.ts";
import type { Look } from "./look.ts";
import type { Memory } from "./memory.ts";
import type { Utm } from "./protocol.ts";

/** What the loader passes to the chat when it loads it. Their versions may differ by one. */
export interface Shell {
  /** `https://…/m/<door>`. */
  door: string;
  host: Host;
  launcher: Launcher;
  /**
   * Shared by all pages and tabs; and of this tab's pages only. Neither stores anything before the visitor has opened
   * the chat.
   */
  memory: Memory;
  session: Memory;
  look(): Look;
  /** Whether the look is the channel's own; asks for it again if not. Absent in older loaders. */
  checkLook?(): boolean;
  options(): GangwayOptions;
  user(): GangwayUser | undefined;
  utm(): Utm | undefined;
  language(): { language: VisitorLanguage; locale: string };
  /** From now on the browser may store things. */
  allow(): void;
  /** Ends the token and forgets; the chat begins anew. */
  logout(): Promise<void>;
  forget(): void;
  /** Not again on this tab's pages. */
  dismissGreeting(): void;
  emit<Name extends keyof GangwayEvents>(name: Name, detail: GangwayEvents[Name]): void;
}

export interface Launcher {
  element: HTMLElement;
  draw(open: boolean, unread: number): void;
}

/** The rest of the widget, in `chat.js`. */
export interface Rest {
  isOpen(): boolean;
  /** `quietly`: the focus stays where it is. */
  open(text?: string, quietly?: boolean): void;
  close(): void;
  /** Beside the launcher. */
  greet(text: string): void;
  /** Options, look or user have changed. */
  update(): void;
  /** The visitor is somebody else from now on. */
  restart(): void;
  /** Follows the chat, without opening its window. */
  follow(): void;
}

declare global {
  interface Window {
    /** Set by `chat.js`. */
    GangwayChat?: { begin(shell: Shell): Rest };
  }
}
