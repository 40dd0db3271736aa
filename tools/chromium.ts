import { existsSync } from "node:fs";

/** Debian's package of Chromium without windows: it draws alike, and a new context takes a sixth of the CPU. */
export const SHELL = "chromium-headless-shell";
const NAMES = [SHELL, "chromium", "chromium-browser", "google-chrome"];

/** The path of the best Chromium that is there. */
export const installedChromium = (): string | undefined => NAMES.map((name) => `/usr/bin/${name}`).find(existsSync);
