import type { GangwayCalls, GangwayOptions, GangwayUser } from "../../../gangway.d.ts";
import { createHost } from "../host.ts";
import { languageFrom, localeFor } from "../language.ts";
import { joined, type Look, lookFrom, optionsIn } from "../look.ts";
import type { Memory } from "../memory.ts";
import type { Rest, Shell } from "../shell.ts";
import { visitOf } from "../visit.ts";
import { installApi } from "./api.ts";
import { askLook, createPeek, endToken } from "./asking.ts";
import { createGreeter, watchAddress } from "./greeting.ts";
import { labels } from "./labels.ts";
import { createLauncher } from "./launcher.ts";
import { createListeners } from "./listeners.ts";
import { loadChat } from "./load-chat.ts";
import { createMemories, type Memories } from "./memories.ts";
import { tellPresence } from "./presence.ts";

/** Entry point: `<script src="…/channels/webchat/widget.js" data-channel="…" async>`. Loads the chat when it is needed. */
const script = document.currentScript as HTMLScriptElement | null;

/** The launcher waits this long for the channel's settings, ms. */
const LOOK_MS = 3_000;

/** The launcher, and the page's values that the chat needs. */
class Loader implements Shell {
  readonly door: string;
  readonly host = createHost();
  readonly launcher;
  readonly memory: Memory;
  readonly session: Memory;
  readonly utm;
  readonly listeners = createListeners();
  readonly emit = this.listeners.emit;
  readonly #script: HTMLScriptElement;
  #options: GangwayOptions;
  #known: Partial<Look> | undefined;
  #asked: Promise<void> | undefined;
  #user: GangwayUser | undefined;
  #rest: Rest | undefined;
  #loading: Promise<Rest> | undefined;
  readonly #memories: Memories;
  readonly #greeter = createGreeter({
    look: () => this.look(),
    isKnown: () => this.#memories.isKnown(),
    isOver: () => this.session.get("greeted") !== null || (this.#rest?.isOpen() ?? false),
    greet: () => this.greet(),
  });
  /** Loads the chat if an answer is waiting, or may come soon. */
  readonly #peek = createPeek(
    () => ({ door: this.door, memory: this.memory, session: this.session }),
    () => void this.#load((rest) => rest.follow()),
  );

  constructor(line: HTMLScriptElement, channel: string) {
    this.#script = line;
    this.door = `${new URL(line.src).origin}/m/${channel}`;
    this.#options = optionsIn(line.dataset);
    this.#memories = createMemories(channel);
    this.memory = this.#memories.memory;
    this.session = this.#memories.session;
    const texts = () => ({ ...labels[this.language().language], words: this.look().launcher });
    const near = () => void this.#load(() => {});
    this.launcher = createLauncher(() => this.toggle(), near, texts);
    this.utm = visitOf(this.memory, location.href, document.referrer);
  }

  look = (): Look => lookFrom(this.#known, this.#options, Date.now());
  options = () => this.#options;
  checkLook = () => {
    if (!this.#known) void this.#askLook();
    return this.#known !== undefined;
  };
  user = () => this.#user;
  language = () => spokenIn(this.#options.language, this.#known?.language);

  allow = () => this.#memories.allow();
  dismissGreeting = () => this.#memories.sentAway();

  async start(): Promise<void> {
    const asked = this.#askLook();
    await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, LOOK_MS))]);
    this.draw();
    this.host.root.append(this.launcher.element);
    document.body.append(this.host.element);
    this.emit("ready", undefined);
    watchAddress(() => this.#moved());
    watchAddress(tellPresence(this));
    document.addEventListener("visibilitychange", () => void this.#peek());
    if (this.session.get("open")) void this.#load((rest) => rest.open(undefined, true));
    else void this.#peek();
    this.#moved();
  }

  draw(): void {
    const { language, locale } = this.language();
    this.host.speak(language, locale);
    this.host.paint(this.look());
    this.launcher.draw(this.#rest?.isOpen() ?? false, 0);
  }

  open(text?: string): void {
    this.allow();
    this.session.set("open", "1");
    this.#greeter.stop();
    void this.#load((rest) => rest.open(text));
  }

  close(): void {
    this.session.set("open", null);
    this.#rest?.close();
  }

  toggle(): void {
    if (this.#rest?.isOpen()) this.close();
    else this.open();
  }

  greet(text?: string): void {
    if (!this.#rest?.isOpen()) void this.#load((rest) => rest.greet(text ?? this.look().greeting));
  }

  update(options: GangwayOptions): void {
    this.#options = joined(this.#options, options);
    this.draw();
    this.#rest?.update();
  }

  identify(user: GangwayUser): void {
    this.#user = { ...user };
    this.#rest?.update();
  }

  async logout(): Promise<void> {
    const token = this.memory.get("visitor");
    this.#user = undefined;
    this.forget();
    if (token) await endToken(this.door, token);
  }

  forget(): void {
    this.#memories.forget();
    this.#rest?.restart();
  }

  /** The URL has changed, perhaps without a new page; some pages replace their whole body. */
  #moved(): void {
    if (!this.host.element.isConnected) document.body.append(this.host.element);
    this.#greeter.moved();
  }

  /** One request at a time. Draws only changes: callers may ask repeatedly. Also applies the greeting rules. */
  #askLook(): Promise<void> {
    this.#asked ??= askLook(this.door).then((look) => {
      [this.#asked, this.#known] = [undefined, look];
      if (look) this.update({});
      if (look && !this.session.get("open")) this.#greeter.moved();
    });
    return this.#asked;
  }

  async #load(act: (rest: Rest) => void): Promise<void> {
    const { element } = this.launcher;
    element.setAttribute("aria-busy", "true");
    try {
      this.#loading ??= loadChat(this.#script, this);
      this.#rest = await this.#loading;
      act(this.#rest);
    } catch {
      // The next click tries again.
      this.#loading = undefined;
    }
    element.removeAttribute("aria-busy");
  }
}

/** The language of the texts, and the tag for times and numbers. */
function spokenIn(site: string | undefined, channel: string | undefined) {
  const tags = { site, visitor: navigator.languages ?? [], page: document.documentElement.lang, channel };
  const language = languageFrom(tags);
  return { language, locale: localeFor(language, tags) };
}

/** Undefined for anything but a text, such as the event that a listener gets. */
const textIn = (given: unknown) => (typeof given === "string" ? given : undefined);

function begin(): void {
  const { channel, consent } = script?.dataset ?? {};
  if (!script || !channel || !/^[\w-]+$/.test(channel)) return;
  const loader = new Loader(script, channel);
  const { root } = loader.host;
  let waits = consent === "wait";
  const calls: GangwayCalls = {
    open: (text) => loader.open(textIn(text)),
    close: () => loader.close(),
    toggle: () => loader.toggle(),
    hide: () => void root.setAttribute("hidden", ""),
    show: () => root.removeAttribute("hidden"),
    identify: (user) => loader.identify(user),
    update: (options) => loader.update(options),
    logout: () => void loader.logout(),
    greet: (text) => loader.greet(textIn(text)),
    on: loader.listeners.on,
    off: loader.listeners.off,
    consent() {
      loader.allow();
      if (!waits) return;
      waits = false;
      void loader.start();
      release?.();
    },
  };
  const release = installApi(calls, (name) => waits && !/^(consent|on|off)$/.test(name));
  release?.();
  if (release && consent !== "wait") void loader.start();
}

if (document.body) begin();
else document.addEventListener("DOMContentLoaded", begin);
